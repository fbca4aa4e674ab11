import AudioReaders
import DeviceIO
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// `swipectl audio probe` as the first owner of a reader runs it, with a reader of software at the other end.
@Suite(.serialized, .timeLimit(.minutes(3))) struct AudioProbeTests {
    /// The folder of a virtual card, without a daemon.
    private final class Card {
        let folder: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(
                path: "probe-\(UUID().uuidString.prefix(8))")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for name in ["sound", "played"] { mkfifo(path(name), 0o600) }
            try Data(JackedDaemon.quietVolume.utf8).write(to: folder.appending(path: "volume"))
            let plugin = BuiltProgram.path("libasound_module_pcm_swiped.so").path
            let card = VirtualSoundCard(source: path("sound"), sink: path("played"), plugin: plugin)
            let text =
                card.definition(of: "probed") + card.mixerDefinition(of: "probed", volume: path("volume"))
            try Data(text.utf8).write(to: folder.appending(path: "alsa.conf"))
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func path(_ name: String) -> String { folder.appending(path: name).path }
        func text(_ name: String) -> String {
            (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
        }

        func insert(_ kind: ReaderSimulator.Kind) -> SimulatedJack {
            SimulatedJack(ReaderSimulator(kind, rate: 48_000), source: path("sound"), sink: path("played"))
        }

        /// Whether the volume comes to be that, in time.
        func comesToSay(_ volume: String) -> Bool {
            let deadline = ContinuousClock.now + .seconds(30)
            while text("volume") != volume, .now < deadline { usleep(2_000) }
            return text("volume") == volume
        }

        var words: [String] {
            [
                "audio", "probe", "--card", "probed", "--alsa-configuration", path("alsa.conf"), "--output",
                path("report"), "--state", path("state"),
            ]
        }

        func probe(_ more: [String] = ["--yes"]) throws -> FinishedProgram {
            try FinishedProgram([BuiltProgram.path("swipectl").path] + words + more)
        }

        /// A probe that waits for an answer to its tones, the volume raised.
        func probeInMidTone() throws -> Process {
            let process = Process()
            // A child inherits the signals that a test's thread blocks or ignores.
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments =
                ["--default-signal=INT,TERM,HUP", BuiltProgram.path("swipectl").path] + words
                + ["--yes", "--reader", "ips"]
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            #expect(comesToSay(JackedDaemon.fullVolume))
            return process
        }
    }

    /// One profile, so that the test takes seconds.
    private static let profiles = """
        [profile mine]
        like = unimag-9600-48000-48000-1
        """ + "\n"

    @Test func reportsWhatAReaderAnswers() throws {
        let card = try Card()
        let jack = card.insert(.battery(.ips))
        defer { jack.stop() }
        let ended = try card.probe(["--yes", "--reader", "ips"])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output == card.path("report/report.txt") + "\n")
        #expect(ended.errors == "trying ips\n")
        let report = card.text("report/report.txt")
        #expect(report.contains("audio probe of probed"))
        #expect(report.contains("[profile ips]") && report.contains("ANSWERED"))
        #expect(report.contains("samples a bit"))
        #expect(jack.commands.first == IPSMessage.wakeUp)
        #expect(card.text("volume") == JackedDaemon.quietVolume)
        var status = stat()
        #expect(stat(card.path("report/report.txt"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    /// A card that is swiped meanwhile is counted, and nothing of it is in any file that the probe leaves.
    @Test func writesNothingOfACard() throws {
        let card = try Card()
        let jack = card.insert(.battery(.ips))
        defer { jack.stop() }
        var generator = SeededGenerator(state: 2)
        let packet = SimulatedPackets.ips(&generator)
        // For as long as the probe takes, however late it begins to listen; the pauses part one swipe from the next.
        let swiping = Thread {
            while !Thread.current.isCancelled {
                _ = jack.swipe(packet)
                usleep(300_000)
            }
        }
        swiping.start()
        defer { swiping.cancel() }
        let ended = try card.probe(["--yes", "--reader", "ips"])
        #expect(ended.status == 0, "\(ended.errors)")
        let report = card.text("report/report.txt")
        #expect(report.contains("bytes, not shown"))
        let files = try FileManager.default.contentsOfDirectory(atPath: card.path("report"))
        #expect(files == ["report.txt"])
        for secret in ["TEST/IPS", "426684", "9999"] { #expect(!report.contains(secret)) }
        // No run of the packet's bytes either, in whatever spelling.
        let spelled = packet[5..<12].map { String(format: "%02x", $0) }.joined()
        #expect(!report.lowercased().contains(spelled))
    }

    @Test func saysThatNothingAnswers() throws {
        let card = try Card()
        let jack = card.insert(.headphone)
        defer { jack.stop() }
        let ended = try card.probe(["--yes", "--reader", "ips"])
        #expect(ended.status == 0)
        let report = card.text("report/report.txt")
        #expect(report.contains("no answer") && !report.contains("ANSWERED"))
        // What a headphone lets through of the tone is in the figures.
        #expect(report.contains("tone: level 0.0"))
        #expect(card.text("volume") == JackedDaemon.quietVolume)
    }

    /// Loud tones need a yes; a card that is in use is left alone.
    @Test func asksFirst() throws {
        let card = try Card()
        let unasked = try card.probe([])
        #expect(unasked.status == 2 && unasked.errors.contains("--yes"))
        #expect(!FileManager.default.fileExists(atPath: card.path("report")))
        let other = open(card.path("played"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let busy = try card.probe(["--yes", "--reader", "ips"])
        #expect(busy.status != 0 && busy.errors.contains("in use"))
        #expect(card.text("volume") == JackedDaemon.quietVolume)
        #expect(try card.probe(["--reader", "square"]).status == 2)
    }

    /// A profile of one's own is tried before the known ones.
    @Test func triesAProfileOfOnesOwn() throws {
        let card = try Card()
        let jack = card.insert(.uniMag(AcousticProfile.uniMagProfiles[0]))
        defer { jack.stop() }
        try Data(Self.profiles.utf8).write(to: card.folder.appending(path: "mine.conf"))
        let process = Process()
        process.executableURL = BuiltProgram.path("swipectl")
        process.arguments =
            card.words + ["--yes", "--reader", "unimag", "--profiles", card.path("mine.conf")]
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // The second profile begins: the first is through.
        var said = ""
        while !said.contains("trying unimag"), process.isRunning {
            said += String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        }
        #expect(said.hasPrefix("trying mine\n"))
        #expect(jack.commands.first == UniMagCommand.version.bytes)
        process.interrupt()
        process.waitUntilExit()
        #expect(card.text("volume") == JackedDaemon.quietVolume)
    }

    /// Killed in mid-tone: the volume stays up, written down in the daemon's folder or the report's, and the next probe or the
    /// next daemon puts it back.
    @Test("puts back what a killed probe left", arguments: ["probe", "daemon"])
    func isKilled(next: String) throws {
        let card = try Card()
        let jack = card.insert(.silence)
        defer { jack.stop() }
        let state = card.path("state")
        // Without that folder, as where no daemon is installed, the record lies in the report's.
        if next == "daemon" {
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        }
        let process = try card.probeInMidTone()
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(card.text("volume") == JackedDaemon.fullVolume)
        let environment = ["ALSA_CONFIG_PATH": card.path("alsa.conf")]
        if next == "daemon" {
            let daemon = try DaemonUnderTest("[server]\nstate = \(state)\n", environment: environment)
            _ = try daemon.connect()
            #expect(card.comesToSay(JackedDaemon.quietVolume))
            #expect(daemon.terminate().status == 0)
            #expect(daemon.logged.contains("is put back"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: state) == [])
        } else {
            // Another card's probe, which raises nothing and cannot begin, into the same folder.
            let other = try FinishedProgram(
                [
                    BuiltProgram.path("swipectl").path, "audio", "probe", "--card", "none", "--keep-volume",
                    "--output", card.path("report"), "--state", state, "--yes", "--reader", "ips",
                ], environment: environment)
            #expect(other.status != 0 && other.errors.contains("is put back"))
            #expect(card.text("volume") == JackedDaemon.quietVolume)
        }
    }

    /// Ended by hand in mid-tone: silence, the volume as before, no record of it, and the shell sees the signal.
    @Test("is ended by a signal", arguments: [SIGINT, SIGTERM, SIGHUP])
    func isInterrupted(by signal: Int32) throws {
        let card = try Card()
        let jack = card.insert(.silence)
        defer { jack.stop() }
        let process = try card.probeInMidTone()
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == signal)
        #expect(card.text("volume") == JackedDaemon.quietVolume)
        #expect(try FileManager.default.contentsOfDirectory(atPath: card.path("report")) == [])
    }
}
