import Diagnosis
import Foundation
import Inspection

/// The files of a system in a folder of its own, the programs that it would be asked with, and what its daemon says. All is in
/// order until something is broken.
final class FakeSystem: @unchecked Sendable {
    /// After the files are made: when a file changed is this machine's to say.
    static let boot = Int(Date().timeIntervalSince1970) + 3_600
    static let now = boot + 900_000
    /// When the daemon began, in seconds since the machine did.
    static let start = 1_000

    let root: URL
    /// What programs say, by their first words.
    var programs: [String: (Int32, String)] = [:]
    var mixers: [Int: Inspection.MixerFacts] = [:]
    var clock = FakeSystem.now
    var answer = DaemonFacts.Answer.roles(["status", "masked"])
    var readers: [ReaderFacts] = []
    var unused: [UnusedFacts] = []
    /// Whose the readers' nodes are: nobody but root can give a file to another user.
    let daemon: UInt32 = getuid() == 0 ? 990 : getuid()

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(
            path: "system-\(UUID().uuidString.prefix(8))")
        try people()
        try service()
        try reader("hidraw0", port: "1-2", ids: "0801:0011", serial: "B05A9C4")
        try card(1, "Headset", port: "1-3")
        try line()
        readers = [
            ReaderFacts(id: "magtek-B05A9C4"), ReaderFacts(id: "audio-Headset", bus: "audio"),
            ReaderFacts(id: "serial-till", bus: "serial"),
        ]
        readers[0].serial = "B05A9C4"
        for index in readers.indices { readers[index].counts = ["GoodReadCount": 3] }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    // MARK: Files

    func write(_ path: String, _ text: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func link(_ path: String, _ target: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: root.appending(path: path))
    }

    func mode(_ path: String, _ mode: mode_t) { chmod(root.appending(path: path).path, mode) }

    /// Gives a file's content a date.
    func date(_ path: String, _ time: Int) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(time))],
            ofItemAtPath: root.appending(path: path).path)
    }

    /// The daemon began before its files were written.
    func startedEarlier() throws {
        let boot = Self.boot - 86_400
        try write("/proc/stat", "cpu 1 2 3\nbtime \(boot)\n")
        unit("active", changed: boot + Self.start)
    }

    // MARK: What is in order

    private func people() throws {
        try write(
            "/proc/self/status",
            "Name:\tswipectl\nUid:\t1000\t1000\t1000\t1000\nGid:\t54321\t54321\nGroups:\t54321 \(getgid())\n"
        )
        try write(
            "/etc/passwd",
            "root:x:0:0::/root:/bin/sh\nswiped:x:\(daemon):990::/:/bin/false\nanna:x:1000:54321::/home/anna:/bin/sh\n"
        )
        try write("/etc/group", "anna:x:54321:\nswiped:x:\(getgid()):anna\n")
        try write("/proc/stat", "cpu 1 2 3\nbtime \(Self.boot)\n")
    }

    private func service() throws {
        try write("/usr/sbin/swiped", "")
        try write("/run/swiped/swiped.sock", "")
        try write(
            "/usr/lib/udev/rules.d/70-swiped.rules",
            "SUBSYSTEM==\"hidraw\", OWNER=\"swiped\", MODE=\"0600\"\n")
        try write(
            "/usr/lib/udev/rules.d/72-swiped-keyboards.rules",
            "SUBSYSTEM==\"hidraw\", RESULT==\"silent\", OWNER=\"swiped\", MODE=\"0600\"\n")
        try process(
            812, "swiped", uid: daemon, files: ["/dev/hidraw0", "/dev/snd/pcmC1D0c", "/dev/ttyUSB0"])
        try write(
            "/etc/swiped/swiped.conf",
            """
            [audio-reader desk]
            device = hw:CARD=Headset,DEV=0
            [serial-reader till]
            device = /dev/serial/by-id/usb-adapter
            type = text-line

            """)
        unit("active")
    }

    /// - Parameter main: the process that systemd says is the service's.
    func unit(
        _ state: String, socket: String = "active", changed: Int = boot + start, main: Int = 812
    ) {
        for (name, state) in [("swiped.service", state), ("swiped.socket", socket)] {
            programs["systemctl show \(name)"] = (
                0,
                "LoadState=loaded\nActiveState=\(state)\nStateChangeTimestamp=@\(changed)\nMainPID=\(main)\n"
            )
        }
    }

    func process(_ number: Int, _ name: String, uid: UInt32 = 1000, files: [String] = []) throws {
        try write("/proc/\(number)/comm", name + "\n")
        try write("/proc/\(number)/status", "Uid:\t\(uid)\t\(uid)\nGid:\t\(uid)\nGroups:\t\n")
        let ticks = Self.start * sysconf(Int32(_SC_CLK_TCK))
        try write(
            "/proc/\(number)/stat",
            "\(number) (a (name) S 1 \(String(repeating: "0 ", count: 17))\(ticks) 0 0\n")
        for (index, file) in files.enumerated() { try link("/proc/\(number)/fd/\(index + 3)", file) }
    }

    func reader(
        _ node: String, port: String, ids: String, serial: String = "",
        descriptor: [UInt8] = [0x06, 0x00, 0xFF]
    ) throws {
        let parts = ids.split(separator: ":")
        let hid = "/sys/devices/usb1/\(port)/\(port):1.0/0003:\(ids).0001"
        try write(
            "\(hid)/uevent",
            "HID_ID=0003:0000\(parts[0]):0000\(parts[1])\nHID_NAME=Reader\nHID_UNIQ=\(serial)\n")
        try Data(descriptor).write(to: root.appending(path: "\(hid)/report_descriptor"))
        try link("\(hid)/hidraw/\(node)/device", "../../../0003:\(ids).0001")
        try link(
            "/sys/class/hidraw/\(node)",
            "../../devices/usb1/\(port)/\(port):1.0/0003:\(ids).0001/hidraw/\(node)")
        try usb(port)
        try write("/dev/\(node)", "")
        chown(root.appending(path: "/dev/\(node)").path, daemon, getgid())
        mode("/dev/\(node)", 0o600)
    }

    private func usb(_ port: String) throws {
        try write("/sys/devices/usb1/\(port)/idVendor", "0d8c\n")
        try write("/sys/devices/usb1/\(port)/idProduct", "0014\n")
        try write("/sys/devices/usb1/\(port)/power/control", "on\n")
    }

    func card(_ index: Int, _ id: String, port: String, records: Bool = true) throws {
        let folder = "/sys/devices/usb1/\(port)/\(port):1.0/sound/card\(index)"
        try write("\(folder)/id", id + "\n")
        try write("\(folder)/pcmC\(index)D0\(records ? "c" : "p")/uevent", "")
        try link("\(folder)/device", "../../../\(port):1.0")
        try link(
            "/sys/class/sound/card\(index)", "../../devices/usb1/\(port)/\(port):1.0/sound/card\(index)")
        try usb(port)
        try write("/run/udev/data/+sound:card\(index)", "E:ACP_IGNORE=1\nE:PULSE_IGNORE=1\n")
        var mixer = Inspection.MixerFacts()
        mixer.controls = [
            .init(name: "Mic", isOn: true, percent: 70), .init(name: "Mic Boost", percent: 0),
            .init(name: "Auto Gain Control", isOn: false),
        ]
        mixer.source = "Mic"
        mixer.sources = ["Mic", "CD"]
        mixers[index] = mixer
    }

    private func line() throws {
        try write("/dev/ttyUSB0", "")
        try link("/dev/serial/by-id/usb-adapter", "../../ttyUSB0")
    }

    /// A bridge that runs, with what it counts.
    func bridge(_ metrics: String) throws {
        programs["systemctl show swiped-mqtt.service"] = (0, "LoadState=loaded\nActiveState=active\n")
        try write("/run/swiped-mqtt/metrics.prom", "# HELP words\n" + metrics)
    }

    // MARK: What is found

    func facts(socketPath: String = "/run/swiped/swiped.sock") -> Facts {
        let (programs, mixers) = (programs, mixers)
        let inspection = Inspection(
            tree: SystemTree(root: root.path),
            run: { words in
                let line = words.joined(separator: " ")
                return programs.first { line.hasPrefix($0.key) }.map { ($0.value.0, $0.value.1) }
            },
            mixer: { mixers[$0] ?? Inspection.MixerFacts() }, clock: clock)
        var facts = inspection.facts(socketPath: socketPath)
        facts.daemon.answer = answer
        // Who does not answer tells of no readers.
        facts.readers = facts.daemon.isReached ? readers : []
        facts.unused = unused
        return facts
    }

    func checks(about reader: String? = nil) -> [Check] {
        Diagnosis.findings(facts(), about: reader).map(\.check)
    }

    /// A reader of the daemon's that is in trouble, beside the others.
    func add(
        _ reader: ReaderFacts, encryption: String = "clear",
        counts: [String: Int] = ["GoodReadCount": 1]
    ) {
        var reader = reader
        reader.encryption = encryption
        reader.counts = counts
        readers.append(reader)
    }

    /// Nothing that could be a reader is there or configured.
    func removeReaders() throws {
        for path in ["/sys", "/dev"] { try remove(path) }
        try write("/etc/swiped/swiped.conf", "[log]\nlevel = info\n")
        readers = []
    }
}
