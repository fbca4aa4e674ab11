import Diagnosis
import Foundation
import Inspection
import SwipeProtocol
import Testing

/// What the doctor finds of the daemon, the way to it and what it was told to read.
@Suite struct DoctorOfDaemonsTests {
    /// A demonstration's daemon, or one of a source tree: what it was told to read is looked at, and not the package's file.
    @Test(arguments: ["--config\0/srv/till.conf", "--config=/srv/till.conf", "--config\0till.conf"])
    func theFileThatTheDaemonReadsIsLookedAt(words: String) throws {
        let system = try FakeSystem()
        try system.write("/etc/swiped/swiped.conf", "[serial-reader other]\ndevice = /dev/ttyS9\n")
        try system.write("/srv/till.conf", "[virtual-audio sound]\nsource = /run/sound\n")
        try system.write("/proc/812/cmdline", "swiped\0\(words)\0")
        try system.link("/proc/812/cwd", "/srv")
        #expect(Diagnosis.findings(system.facts()).map(\.subject) == [.section("virtual-audio sound")])
        try system.write("/run/sound", "")
        #expect(system.checks() == [])
        try system.startedEarlier()
        #expect(system.checks() == [.notLoaded])
    }

    /// The folder of another user's process is not told: the package's file is not read in its place.
    @Test func aFileThatCannotBeFoundIsNoOther() throws {
        let system = try FakeSystem()
        try system.write("/etc/swiped/swiped.conf", "[virtual-audio sound]\nsource = /run/sound\n")
        #expect(system.checks() == [.pipeAbsent])
        try system.write("/proc/812/cmdline", "swiped\0--config\0till.conf\0")
        #expect(system.checks() == [])
    }

    /// Of several daemons, the one that listens where the doctor asked.
    @Test func anotherDaemonsFileIsNotLookedAt() throws {
        let system = try FakeSystem()
        try system.process(700, "swiped")
        try system.write("/proc/700/cmdline", "swiped\0--socket\0/tmp/s\0--config\0/srv/till.conf\0")
        try system.write("/srv/till.conf", "[virtual-audio sound]\nsource = /run/sound\n")
        #expect(system.checks() == [])
        try system.process(900, "swiped")
        try system.write(
            "/proc/900/cmdline", "swiped\0--socket=/run/swiped/swiped.sock\0--config=/srv/till.conf\0")
        #expect(system.checks().contains(.pipeAbsent))
    }

    /// A drop-in of the unit may name another file. When the unit was reloaded says nothing of a daemon that somebody started by hand.
    @Test func anotherFileIsReloadedWhereTheDaemonIsTheUnits() throws {
        let system = try FakeSystem()
        try system.write("/srv/anna's till.conf", "[log]\nlevel = info\n")
        try system.write("/proc/812/cmdline", "swiped\0--config\0/srv/anna's till.conf\0")
        try system.startedEarlier()
        let found = try #require(Diagnosis.findings(system.facts()).first)
        #expect(found.check == .notLoaded)
        #expect(
            found.advice == [
                #"sudo swiped --check-config --config '/srv/anna'\''s till.conf'"#,
                "sudo systemctl reload swiped",
            ])
        system.unit("active", changed: FakeSystem.boot - 86_400, main: 0)
        #expect(system.checks() == [])
    }

    /// By its configuration, or as it was told: nothing was deleted, and no restart brings it here.
    @Test func aDaemonThatListensElsewhereIsFound() throws {
        let system = try FakeSystem()
        system.answer = .none
        try system.write("/etc/swiped/swiped.conf", "[server]\nsocket = /run/it's/s\n")
        let configured = try #require(Diagnosis.findings(system.facts()).first)
        #expect(configured.check == .socketLost)
        #expect(configured.advice.first == #"swipectl doctor --socket '/run/it'\''s/s'"#)
        let other = try FakeSystem()
        other.answer = .none
        other.programs = [:]
        try other.write("/proc/812/cmdline", "swiped\0--socket\0/srv/s\0")
        let told = try #require(Diagnosis.findings(other.facts()).first)
        #expect(told.check == .socketLost && told.evidence == ["process 812 was told to listen at /srv/s"])
    }

    @Test func aDaemonThatWasStoppedGoesOn() throws {
        let system = try FakeSystem()
        system.answer = .silence
        try system.write(
            "/proc/812/stat", "812 (swiped) T 1 \(String(repeating: "0 ", count: 17))100000 0 0\n")
        let found = try #require(Diagnosis.findings(system.facts()).first)
        #expect(found.check == .daemonSilent && found.advice == ["sudo kill -CONT 812"])
    }

    /// Who controls readers sees no cards by that.
    @Test(arguments: [
        (["status", "admin"], true), (["status", "admin", "masked"], false), (["status", "full"], false),
    ])
    func rolesWithoutCards(roles: [String], isTold: Bool) throws {
        let system = try FakeSystem()
        system.answer = .roles(Set(roles))
        #expect(system.checks() == (isTold ? [.statusOnly] : []))
    }

    /// Its name alone makes no rule another one's shadow.
    @Test func theOnlyRuleIsNotInTheWay() throws {
        let system = try FakeSystem()
        try system.write("/etc/udev/rules.d/70-swiped.rules", "")
        system.mode("/dev/hidraw0", 0)
        #expect(system.checks() == [.ruleShadowed])
        try system.remove("/usr/lib/udev/rules.d/70-swiped.rules")
        #expect(system.checks() == [.ruleMissing])
    }

    /// What it opens is a pipe, by a plugin of ALSA's: no class of devices is missing.
    @Test func aVirtualReaderThatFailsIsNoDevice() throws {
        let system = try FakeSystem()
        try system.write("/etc/swiped/swiped.conf", "[virtual-audio till]\nsource = /run/sound\n")
        try system.write("/run/sound", "")
        var failed = ReaderFacts(
            id: "virtual-till", bus: "audio", state: "failed",
            detail: "swiped_virtual-till is not there for the daemon, though it is plugged in")
        failed.isSimulated = true
        system.readers = [failed]
        let found = try #require(Diagnosis.findings(system.facts()).first)
        #expect(found.check == .failed && found.advice.first == "ls -l '/run/sound'")
        #expect(found.advice.contains { $0.contains("libasound_module_pcm_swiped.so") })
    }

    /// Nothing is known of a socket in a folder that is closed.
    @Test func aFolderThatLetsNobodyIn() throws {
        let system = try FakeSystem()
        system.answer = .forbidden
        // A link to itself: root may look everywhere else.
        try system.link("/run/closed", "closed")
        var facts = system.facts(socketPath: "/run/closed/s")
        facts.daemon.answer = .forbidden
        let found = try #require(Diagnosis.findings(facts).first)
        #expect(found.check == .groupMissing && found.advice.first == "namei -l '/run/closed'")
    }

    /// Of two that were not told where to listen, it is the unit's.
    @Test func theUnitsDaemonGoesBeforeOneThatWasNotToldWhere() throws {
        let system = try FakeSystem()
        try system.process(700, "swiped")
        try system.write("/proc/700/cmdline", "swiped\0--config=/srv/other.conf\0")
        try system.write("/srv/other.conf", "[virtual-audio sound]\nsource = /run/sound\n")
        #expect(system.checks() == [])
        system.unit("active", main: 700)
        #expect(system.checks().contains(.pipeAbsent))
    }

    /// The unit's daemon has a /tmp of its own.
    @Test(arguments: ["/tmp/till", "/home/anna/till"])
    func aPipeThatIsThereAndHiddenFromTheDaemon(path: String) throws {
        let system = try FakeSystem()
        try system.write("/etc/swiped/swiped.conf", "[virtual-hid till]\nsource = \(path)\n")
        try system.write(path, "")
        let found = Diagnosis.findings(system.facts())
        #expect(found.map(\.check) == [.pipeAbsent])
        #expect(found.first?.advice.contains("sudo -u swiped mkfifo /run/swiped/NAME") == true)
        system.unit("active", main: 0)
        #expect(system.checks() == [])
    }

    /// Nothing is known of what it says: neither that it is wrong nor that it names no reader.
    @Test func aConfigurationThatCannotBeRead() throws {
        let system = try FakeSystem()
        try system.removeReaders()
        system.programs["/usr/sbin/swiped --check-config"] = (78, "swiped: it may not be read\n")
        try system.startedEarlier()
        #expect(system.checks() == [.notLoaded, .noReader])
        // A link to itself: root may read everything else.
        try system.write("/etc/swiped/swiped.conf.d/a.conf", "")
        try system.remove("/etc/swiped/swiped.conf")
        try system.link("/etc/swiped/swiped.conf", "swiped.conf")
        #expect(system.checks() == [.notLoaded])
        #expect(Diagnosis.findings(system.facts()).first?.evidence.count == 1)
    }

    /// Without systemd, and where a change is not loaded: the daemon cannot say what is wrong with its file.
    @Test func theFaultOfAConfigurationIsTold() throws {
        let system = try FakeSystem()
        let fault = "/etc/swiped/swiped.conf:3: 'baud' is not a number"
        system.programs["/usr/sbin/swiped --check-config"] = (78, fault + "\n")
        #expect(system.checks() == [])
        try system.startedEarlier()
        let changed = try #require(Diagnosis.findings(system.facts()).first)
        #expect(changed.check == .notLoaded && changed.evidence.last == fault)
        system.answer = .none
        system.programs = system.programs.filter { !$0.key.hasPrefix("systemctl") }
        try system.remove("/proc/812")
        let stopped = try #require(Diagnosis.findings(system.facts()).first)
        #expect(stopped.check == .daemonFailed)
        #expect(stopped.evidence == ["no process is called swiped", fault])
    }

    /// No fault, and the answer to who asks about that reader.
    @Test func aClosedMicrophoneIsExplained() throws {
        let system = try FakeSystem()
        system.readers[1].whyClosed = "it is not activated"
        #expect(system.checks() == [])
        let found = Diagnosis.findings(system.facts(), about: "audio-Headset")
        #expect(found.map(\.check) == [.closed] && found.first?.evidence == ["it is not activated"])
    }

    /// A package's files have the date of its build, which a machine without a clock of its own has not reached; and `cp -p` keeps an old one.
    @Test func aFileWasChangedWhenItCameHere() throws {
        let system = try FakeSystem()
        try system.date("/etc/swiped/swiped.conf", FakeSystem.now - 60)
        #expect(system.checks() == [])
        try system.startedEarlier()
        try system.date("/etc/swiped/swiped.conf", 1_000_000_000)
        #expect(system.checks() == [.notLoaded])
        // The clock went back since.
        system.clock = FakeSystem.boot - 7_200
        #expect(system.checks() == [])
    }

    /// Nobody is told to join root's group.
    @Test func aSocketOfRootsAloneIsNoReasonToBecomeRoot() throws {
        var facts = Facts()
        facts.daemon.answer = .forbidden
        facts.daemon.socketGroup = "root"
        let finding = try #require(Diagnosis.findings(facts).first { $0.check == .groupMissing })
        #expect(!finding.advice.contains { $0.contains("--groups root") })
        #expect(finding.advice.contains { $0.contains("socket_group") })
    }
}
