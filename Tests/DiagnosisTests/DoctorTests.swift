import Diagnosis
import Foundation
import Inspection
import SwipeProtocol
import Testing

/// What is broken is named, and nothing else; from files and programs like a real system's, through the code that reads one.
@Suite struct DoctorTests {
    @Test func aHealthySystemHasNothing() throws {
        #expect(try FakeSystem().checks() == [])
    }

    /// For who may ask the daemon and look at nothing else: the gateway's page.
    @Test func whatTheDaemonSaysIsEnoughForSome() throws {
        var list = ReaderList(readers: [], audioInputs: [])
        #expect(Diagnosis.findings(list, counted: JSONObject()) == [])
        let good = ReaderInfo(id: "good", kind: "k", model: "m", bus: .usb, encryption: .clear, state: .ready)
        var silent = good
        silent.id = "silent"
        silent.state = .connected
        silent.detail = "MSR206, 605 or 606 does not answer: has it power (some have a supply of their own)"
        var worn = good
        worn.id = "worn"
        list.readers = [good, silent, worn]
        list.unusedInputs = [
            UnusedInputInfo(section: "serial-reader wedge", device: "/dev/ttyS9", why: "it is not there"),
            UnusedInputInfo(section: "audio-reader desk", device: "hw:9", why: "it is not there"),
        ]
        let counts: JSONValue = ["good": ["GoodReadCount": 3], "worn": ["FailedReadCount": 2]]
        let counted = try #require(counts.object)
        let found = Diagnosis.findings(list, counted: counted)
        #expect(found.map(\.check) == [.lineAbsent, .cardAbsent, .encoderSilent, .onlyNoise])
        #expect(
            found.map(\.subject) == [
                .section("serial-reader wedge"), .section("audio-reader desk"), .reader("silent"),
                .reader("worn"),
            ])
        #expect(found[0].evidence == ["[serial-reader wedge] names /dev/ttyS9: it is not there"])
    }

    /// The daemon runs with another file than /etc's, and knows what is not there.
    @Test func aSectionThatTheDaemonDoesNotUseIsNamed() throws {
        let system = try FakeSystem()
        system.unused = [
            UnusedFacts(section: "serial-reader w", device: "/dev/ttyS9", why: "nothing is there")
        ]
        #expect(system.checks() == [.lineAbsent])
        // Not twice, where the files say it.
        try system.remove("/dev/ttyUSB0")
        system.unused.append(
            UnusedFacts(section: "serial-reader till", device: "/dev/ttyUSB0", why: "nothing is there"))
        #expect(system.checks() == [.lineAbsent, .lineAbsent])
        // A reader that is there is none of these.
        #expect(system.checks(about: "magtek-B05A9C4").filter { $0 == .lineAbsent } == [])
        // Where a section waits for a device, nobody has to be told that there is none.
        try system.removeReaders()
        #expect(!system.checks().contains(.noReader))
    }

    /// A failed opening is told as that, and as nothing else.
    @Test func aFailedOpeningIsToldOnce() throws {
        let system = try FakeSystem()
        let reader = ReaderFacts(
            id: "serial-x", bus: "serial", state: "failed",
            detail: "permission denied: /dev/ttyS9: the group dialout")
        system.add(reader, counts: ["CommunicationErrorCount": 4, "GoodReadCount": 1])
        let found = Diagnosis.findings(system.facts())
        #expect(found.map(\.check) == [.failed])
        #expect(found.first?.cause.contains("does not mend by itself") == true)
    }

    @Test(arguments: Breakage.all) func eachAloneIsNamed(_ breakage: Breakage) throws {
        let system = try FakeSystem()
        try breakage.make(system)
        #expect(system.checks() == [breakage.check])
        for finding in Diagnosis.findings(system.facts()) {
            #expect(!finding.evidence.isEmpty && !finding.cause.isEmpty && !finding.advice.isEmpty)
        }
    }

    @Test(arguments: Breakage.all) func eachWithAnotherIsNamed(_ first: Breakage) throws {
        for second in Breakage.all where first.check.rawValue < second.check.rawValue {
            guard canBeSeenTogether(first, second) else { continue }
            let system = try FakeSystem()
            try first.make(system)
            try second.make(system)
            // A daemon that does not answer tells of no reader.
            let isReached = system.facts().daemon.isReached
            let expected = [first, second].filter { isReached || !$0.needsDaemon }.map(\.check)
            #expect(Set(system.checks()) == Set(expected), "\(first.check) and \(second.check)")
        }
    }

    private func canBeSeenTogether(_ first: Breakage, _ second: Breakage) -> Bool {
        let touching = first.areas.intersection(second.areas)
        if first.isAbsence || second.isAbsence { return touching.isEmpty }
        guard touching.isSubset(of: ["hardware", "told", "card"]) else { return false }
        if [first, second].contains(where: { $0.check == .cardAbsent }) {
            return !touching.contains("card")
        }
        // One program has a card, and is told of.
        let servers: Set<Check> = [.soundServer, .soundServerHolds]
        return !servers.isSuperset(of: [first.check, second.check])
    }

    @Test func allChecksAreBroken() {
        let broken = Set(Breakage.all.map(\.check))
        // It is told beside an absence alone (``aCardOfNobodysIsToldWhereNothingElseIsThere()``).
        let never: Set<Check> = [.cardNotConfigured]
        #expect(Set(Check.allCases.filter { !$0.onlyExplains }).subtracting(broken) == never)
    }

    /// A reader that types is told of until the configuration has it taken out of the focus.
    @Test(arguments: [
        "[keyboard-reader till]\nkeyboard = c216:0180\n", "[hid]\nkeyboard_readers = known\n",
    ]) func aKeyboardThatIsTaken(settings: String) throws {
        let system = try FakeSystem()
        try system.reader("hidraw7", port: "1-7", ids: "C216:0180", descriptor: [0x05, 0x01, 0x09, 0x06])
        #expect(system.checks() == [.keyboardMode])
        try system.write("/etc/swiped/swiped.conf.d/keyboards.conf", settings)
        #expect(!system.checks().contains(.keyboardMode))
    }

    /// Of a section that stands in two files the later value holds, as for the daemon.
    @Test(arguments: [
        "[audio-reader till]\ndevice = hw:CARD=Headset\n", "[audio-reader till]\ntype = none\n",
    ]) func aSectionThatALaterFileChanges(later: String) throws {
        let system = try FakeSystem()
        try system.write(
            "/etc/swiped/swiped.conf.d/10-till.conf", "[audio-reader till]\ndevice = hw:CARD=Gone\n")
        #expect(system.checks().contains(.cardAbsent))
        try system.write("/etc/swiped/swiped.conf.d/20-till.conf", later)
        #expect(!system.checks().contains(.cardAbsent))
    }

    /// In the order in which to act: who has no daemon is told that before anything of a sound card.
    @Test func theOrderIsThatInWhichToAct() throws {
        let system = try FakeSystem()
        system.mixers[1]?.controls[0].isOn = false
        system.answer = .none
        system.unit("inactive")
        try system.remove("/proc/812")
        system.clock = 0
        #expect(system.checks() == [.clock, .daemonDown, .muted])
    }

    @Test func whatExplainsIsToldOfANamedReader() throws {
        let system = try FakeSystem()
        system.readers[0].counts = ["untaken_swipes": 2]
        system.readers[0].encryption = "encrypted"
        system.readers[0].holder = 77
        #expect(system.checks() == [])
        #expect(
            system.checks(about: "magtek-B05A9C4") == [.untaken, .claimed, .encrypts, .nothingSwiped])
        #expect(system.checks(about: "audio-Headset") == [])
    }

    /// One quick hand among many is no fault of the gain's.
    @Test func aSwipeThatIsCutOffNowAndThenIsNoFault() throws {
        let system = try FakeSystem()
        system.add(ReaderFacts(id: "j", bus: "audio"), counts: ["clipped_swipes": 2, "GoodReadCount": 5])
        #expect(system.checks() == [])
        system.add(ReaderFacts(id: "k", bus: "audio"), counts: ["clipped_swipes": 2, "FailedReadCount": 2])
        #expect(system.checks() == [.clipping])
    }

    /// Who asks about one reader hears nothing of another's.
    @Test func whatIsAnothersIsLeftOut() throws {
        let system = try FakeSystem()
        system.mixers[1]?.controls[0].isOn = false
        system.mode("/dev/hidraw0", 0)
        #expect(system.checks() == [.nodeNotOurs, .muted])
        #expect(system.checks(about: "magtek-B05A9C4") == [.nodeNotOurs])
        #expect(system.checks(about: "audio-Headset").contains(.muted))
    }

    @Test func aCardOfNobodysIsToldWhereNothingElseIsThere() throws {
        let system = try FakeSystem()
        try system.removeReaders()
        try system.card(1, "Headset", port: "1-3")
        #expect(system.checks() == [.noReader, .cardNotConfigured])
        // A reader of software is what somebody wants here.
        try system.write("/etc/swiped/swiped.conf", "[virtual-hid till]\nsource = /dev/null\n")
        #expect(system.checks() == [.pipeAbsent])
    }

    /// It was there before the daemon could be given its class of devices: the daemon says nothing of it, and has no reader.
    @Test func aCardThatTheDaemonDoesNotSeeIsNamed() throws {
        let system = try FakeSystem()
        system.readers.removeAll { $0.bus == "audio" }
        #expect(system.checks() == [.classTooLate])
        var blind = ReaderFacts(id: "audio-Headset", bus: "audio", state: "absent")
        blind.whyClosed = "it is not known yet whether something is in the jack"
        system.readers.append(blind)
        #expect(system.checks() == [.classTooLate])
        // There is a plainer reason.
        try system.write("/dev/snd/controlC1", "")
        system.mode("/dev/snd/controlC1", 0)
        #expect(system.checks() == [.nodeNotOurs])
        system.mode("/dev/snd/controlC1", 0o666)
        #expect(system.checks() == [.classTooLate])
        // Nobody has read its section yet, or it is said already why it is not used.
        try system.startedEarlier()
        #expect(system.checks() == [.notLoaded])
        let other = try FakeSystem()
        other.readers.removeAll { $0.bus == "audio" }
        other.unused = [UnusedFacts(section: "audio-reader desk", device: "hw:CARD=Headset,DEV=0", why: "no")]
        #expect(other.checks() == [.cardAbsent])
        // Of one without an input the reason is the better word.
        try other.remove("/sys/devices/usb1/1-3/1-3:1.0/sound/card1/pcmC1D0c")
        #expect(other.checks() == [.noMicrophone])
    }

    @Test func theFilesOfAnotherReadersRulesAreNoShadow() throws {
        let system = try FakeSystem()
        system.mode("/dev/hidraw0", 0)
        try system.write(
            "/usr/lib/udev/rules.d/70-u2f.rules",
            "KERNEL==\"hidraw*\", SUBSYSTEM==\"hidraw\", ATTRS{idVendor}==\"1050\", MODE=\"0660\"\n")
        #expect(system.checks() == [.nodeNotOurs])
        try system.write(
            "/etc/udev/rules.d/99-hid.rules", "KERNEL==\"hidraw*\", GROUP=\"plugdev\", MODE=\"0660\"\n")
        #expect(system.checks() == [.ruleShadowed])
    }

    /// The reading of files that are not as they should be ends, and finds what it can.
    @Test func nonsenseIsReadToo() throws {
        let system = try FakeSystem()
        for path in [
            "/proc/812/stat", "/proc/stat", "/etc/group", "/etc/passwd", "/sys/class/sound/card1/id",
            "/proc/self/status",
        ] {
            try system.write(path, "\u{0}:::: ( ) nonsense\n\n:")
        }
        try system.write("/etc/swiped/swiped.conf", "[audio-reader\ndevice")
        #expect(!system.checks().contains(.noReader))
        #expect(throws: Never.self) { system.facts() }
    }
}
