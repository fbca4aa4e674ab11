import Diagnosis
import Foundation
import Inspection
import Testing

/// One way to break a system, and what the doctor is to say of it.
struct Breakage: Sendable, CustomTestStringConvertible {
    let check: Check
    /// What it is about: two of one area cannot be seen side by side.
    let areas: Set<String>
    let make: @Sendable (FakeSystem) throws -> Void

    init(_ check: Check, _ areas: String..., make: @escaping @Sendable (FakeSystem) throws -> Void) {
        self.check = check
        self.areas = Set(areas)
        self.make = make
    }

    var testDescription: String { check.rawValue }

    /// Nothing is there that could be a reader.
    var isAbsence: Bool { areas.isSuperset(of: ["hardware", "told"]) }
    /// The daemon tells of it alone.
    var needsDaemon: Bool { areas.contains("told") && !isAbsence }

    static let all: [Breakage] = machine + daemon + access + absence + devices + sound + told + companions

    private static let machine = [
        Breakage(.noProc, "proc", "answer", "settings", "held", "nodes") { system in
            try system.remove("/proc")
        },
        Breakage(.clock, "clock") { $0.clock = 86_400 },
        Breakage(.lowPower, "kernel") {
            $0.programs["journalctl -k"] = (
                0, "usb 1-2: new device\nhwmon hwmon1: Undervoltage detected!\n"
            )
        },
    ]

    private static let daemon = [
        Breakage(.notInstalled, "answer", "settings", "gateway", "broker") { system in
            system.answer = .none
            system.programs = system.programs.filter { !$0.key.hasPrefix("systemctl") }
            for path in ["/usr/sbin/swiped", "/proc/812"] { try system.remove(path) }
        },
        Breakage(.daemonFailed, "answer", "settings") { system in
            system.answer = .none
            system.unit("failed")
            try system.remove("/proc/812")
        },
        Breakage(.daemonDown, "answer", "settings") { system in
            system.answer = .none
            system.unit("inactive", socket: "inactive")
            try system.remove("/proc/812")
        },
        Breakage(.socketLost, "answer") { system in
            system.answer = .none
            try system.remove("/run/swiped/swiped.sock")
        },
        Breakage(.daemonSilent, "answer") { $0.answer = .silence },
        Breakage(.notLoaded, "settings", "clock") { try $0.startedEarlier() },
        Breakage(.needsRestart, "settings") {
            $0.programs["journalctl -q -b -n 1 -o cat -u swiped _PID=812 "] = (
                0, "[server], [cards] and [metrics] take effect at the next start\n"
            )
        },
    ]

    private static let access = [
        Breakage(.groupMissing, "answer", "groups") { system in
            system.answer = .forbidden
            try system.write("/proc/self/status", "Uid:\t1000\nGid:\t54321\nGroups:\t54321\n")
            try system.write("/etc/group", "anna:x:54321:\nswiped:x:\(getgid()):\n")
        },
        Breakage(.groupNotYet, "answer", "groups") { system in
            system.answer = .forbidden
            try system.write("/proc/self/status", "Uid:\t1000\nGid:\t54321\nGroups:\t54321\n")
        },
        Breakage(.noRole, "answer") { $0.answer = .noRole },
        Breakage(.statusOnly, "answer") { $0.answer = .roles(["status"]) },
    ]

    private static let absence = [
        Breakage(.container, "hardware", "told", "settings", "proc") { system in
            try system.removeReaders()
            try system.write("/.dockerenv", "")
        },
        Breakage(.virtualMachine, "hardware", "told", "settings", "proc") { system in
            try system.removeReaders()
            try system.write("/sys/class/dmi/id/sys_vendor", "QEMU\n")
        },
        Breakage(.virtualMachine, "hardware", "told", "settings", "proc") { system in
            try system.removeReaders()
            try system.write("/proc/device-tree/model", "linux,dummy-virt\u{0}")
        },
        Breakage(.noReader, "hardware", "told", "settings", "proc") { try $0.removeReaders() },
    ]

    private static let devices = [
        Breakage(.keyboardMode, "hardware keyboard", "hardware") {
            try $0.reader("hidraw7", port: "1-7", ids: "0801:0001", descriptor: [0x05, 0x01, 0x09, 0x06])
        },
        Breakage(.unsupported, "hardware left", "hardware") {
            try $0.reader("hidraw8", port: "1-8", ids: "0ACD:3820")
        },
        Breakage(.unlisted, "hardware unlisted", "hardware") {
            try $0.reader("hidraw9", port: "1-9", ids: "0801:0FFF")
        },
        Breakage(.hidOff, "hid", "hardware") { system in
            try system.write("/etc/swiped/swiped.conf.d/hid.conf", "[hid]\nenabled = off\n")
        },
        Breakage(.ruleMissing, "nodes", "hardware") { system in
            try system.remove("/usr/lib/udev/rules.d/70-swiped.rules")
            system.mode("/dev/hidraw0", 0)
        },
        Breakage(.ruleShadowed, "nodes", "hardware") { system in
            try system.write("/etc/udev/rules.d/70-swiped.rules", "")
            system.mode("/dev/hidraw0", 0)
        },
        Breakage(.nodeNotOurs, "nodes", "hardware") { $0.mode("/dev/hidraw0", 0) },
        Breakage(.held, "held", "hardware", "proc") {
            try $0.process(900, "makers-tool", files: ["/dev/hidraw0"])
        },
        Breakage(.powerSaving, "hardware") {
            try $0.write("/sys/devices/usb1/1-2/power/control", "auto\n")
        },
        Breakage(.lineAbsent, "hardware line", "hardware") { try $0.remove("/dev/ttyUSB0") },
    ]

    private static let sound = [
        Breakage(.cardAbsent, "card", "hardware") { try $0.remove("/sys/class/sound/card1") },
        Breakage(.pipeAbsent, "pipe", "hardware") { system in
            try system.write(
                "/etc/swiped/swiped.conf.d/pipe.conf", "[virtual-hid till]\nsource = /run/till\n")
        },
        Breakage(.equalCards, "card", "hardware") { try $0.card(2, "Headset_1", port: "1-4") },
        Breakage(.noMicrophone, "card input", "card", "hardware") { system in
            try system.remove("/sys/devices/usb1/1-3/1-3:1.0/sound/card1/pcmC1D0c")
        },
        Breakage(.soundServerHolds, "card", "hardware", "proc") {
            try $0.process(901, "pipewire", files: ["/dev/snd/pcmC1D0c"])
        },
        Breakage(.soundServer, "card", "hardware", "proc") { system in
            try system.process(902, "pulseaudio")
            try system.write("/run/udev/data/+sound:card1", "E:ACP_IGNORE=1\n")
        },
        Breakage(.muted, "card", "hardware", "mixer") { $0.mixers[1]?.controls[0].isOn = false },
        Breakage(.inputSource, "card", "hardware") { $0.mixers[1]?.source = "CD" },
        Breakage(.automaticGain, "card", "hardware") { $0.mixers[1]?.controls[2].isOn = true },
        Breakage(.lowGain, "card", "hardware", "mixer") { $0.mixers[1]?.controls[0].percent = 12 },
    ]

    private static let told = [
        Breakage(.classTooLate, "told") {
            $0.add(
                ReaderFacts(
                    id: "a", state: "failed",
                    detail: "/dev/hidraw4 is not there for the daemon, though it is plugged in"))
        },
        Breakage(.encoderSilent, "told") {
            $0.add(
                ReaderFacts(
                    id: "b", bus: "serial", state: "connected",
                    detail:
                        "MSR206, 605 or 606 does not answer: has it power (some have a supply of their own)"
                ), counts: ["CommunicationErrorCount": 1])
        },
        Breakage(.keyExhausted, "told") { $0.add(ReaderFacts(id: "c"), encryption: "key_exhausted") },
        Breakage(.suspended, "told") { $0.add(ReaderFacts(id: "d", state: "suspended")) },
        Breakage(.failed, "told") { $0.add(ReaderFacts(id: "e", state: "failed", detail: "error 5")) },
        Breakage(.nothingInJack, "told") { system in
            var reader = ReaderFacts(id: "f", bus: "audio", state: "absent")
            reader.isPluggedIn = false
            system.add(reader)
        },
        Breakage(.brokenProtocol, "told") {
            $0.add(ReaderFacts(id: "g"), counts: ["CommunicationErrorCount": 2, "GoodReadCount": 1])
        },
        Breakage(.lost, "told") {
            $0.add(ReaderFacts(id: "h"), counts: ["overruns": 1, "GoodReadCount": 1])
        },
        Breakage(.clipping, "told") {
            $0.add(
                ReaderFacts(id: "j", bus: "audio"), counts: ["clipped_swipes": 3, "GoodReadCount": 5])
        },
        Breakage(.onlyNoise, "told") {
            $0.add(ReaderFacts(id: "i", bus: "audio"), counts: ["FailedReadCount": 4])
        },
    ]

    private static let companions = [
        Breakage(.companionFailed, "gateway") { system in
            system.programs["systemctl show swiped-web.service"] = (
                0, "LoadState=loaded\nActiveState=failed\n"
            )
            system.programs["/usr/sbin/swiped-web --check-config"] = (
                1, "swiped-web.conf:3: unknown key 'prot'\n"
            )
        },
        Breakage(.brokerUnreachable, "broker") {
            try $0.bridge("swiped_mqtt_broker_connected 0\nswiped_mqtt_broker_failures_total 7\n")
        },
        Breakage(.messagesLost, "broker") {
            try $0.bridge(
                "swiped_mqtt_broker_connected 1\nswiped_mqtt_lost_total{reason=\"a\"} 0\nswiped_mqtt_lost_total{reason=\"b\"} 2\n"
            )
        },
    ]
}
