import Foundation
import Testing

/// A result that cannot be written is a failure: of every command, on a full device, into a pipe that nobody reads, and
/// with standard output closed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OutputFailureTests {
    private static let swipectl = BuiltProgram.path("swipectl").path
    private static let swiped = BuiltProgram.path("swiped").path
    private static let report = "Tests/Vectors/MagTek/published/v5_hid856_level2.hex"
    private static let reader = "virtual-till"

    private static let offline = [
        ["--help"], ["--version"], ["help", "decode"], ["status", "--help"],
        ["--generate-completion-script", "bash"], ["--generate-completion-script", "zsh"],
        ["--generate-completion-script", "fish"], ["generate", "readers"], ["generate", "udev-rules"],
        ["synth", SoundFixture.track2], ["synth", "--raw", SoundFixture.track2],
        ["decode", "WAV"], ["decode", "--json", "WAV"], ["decode", "--to", "card", "WAV"],
        ["decode", "--to", "bits", "WAV"], ["decode", "--to", "pulses", "WAV"], ["decode", "--hid", report],
        ["quality", "WAV"], ["quality", "--json", "WAV"],
    ]
    private static let online = [
        ["status"], ["status", "--json"], ["readers"], ["readers", "--json"], ["readers", "--ids"],
        ["readers", reader], ["readers", reader, "--json"], ["stats"], ["stats", "--json"],
        ["get", "virtual-desk"], ["get", "virtual-desk", "--json"], ["property", reader],
        ["property", reader, "--json"], ["reload"], ["reload", "--json"], ["log-level"],
        ["log-level", "info", "--json"], ["watch", "--kept"], ["watch", "--kept", "--json"],
        ["---completion", "readers", "--", "positional@0", "2", "0", "swipectl", "readers", ""],
    ]
    private static let ofTheDaemon = [
        ["--help"], ["--version"], ["--settings-page"], ["--generate-completion-script", "bash"],
        ["--check-config", "--config", "etc/swiped.conf"],
    ]

    // MARK: A full device

    @Test(arguments: offline.map { [swipectl] + $0 } + ofTheDaemon.map { [swiped] + $0 })
    func aFullDeviceIsTold(_ words: [String]) throws {
        let sound = try Self.sound()
        try expectFull(words.map { $0 == "WAV" ? sound.path("swipe.wav") : $0 })
    }

    @Test func aFullDeviceIsToldBesideADaemon() throws {
        let (daemon, observer) = try start()
        for words in Self.online { try expectFull([Self.swipectl] + words, daemon) }
        withExtendedLifetime(observer) {}
    }

    private func expectFull(_ words: [String], _ daemon: DaemonUnderTest? = nil) throws {
        let ended = try FinishedProgram(
            ["sh", "-c", #"exec "$@" >/dev/full"#, "sh"] + words, environment: environment(daemon))
        #expect(ended.status == 1, "\(words)")
        let program = words.first.map { URL(filePath: $0).lastPathComponent } ?? ""
        #expect(
            ended.errors.hasSuffix("\(program): standard output: No space left on device\n"),
            "\(words): \(ended.errors)")
    }

    /// A file that is told by name is checked as well.
    @Test(arguments: [
        ["synth", "--output", "/dev/full", SoundFixture.track2], ["decode", "--svg", "/dev/full", "WAV"],
        ["quality", "--svg", "/dev/full", "WAV"],
    ])
    func aFullFileIsTold(_ words: [String]) throws {
        let sound = try Self.sound()
        let ended = try FinishedProgram(
            [Self.swipectl] + words.map { $0 == "WAV" ? sound.path("swipe.wav") : $0 })
        #expect(ended.status == 1)
        #expect(ended.errors.contains("/dev/full: No space left on device"), "\(ended.errors)")
    }

    @Test(arguments: try scripts()) func aScriptTellsOfAFullDevice(_ script: String) throws {
        let ended = try FinishedProgram(["sh", "-c", #"exec "$@" >/dev/full"#, "sh", script, "--help"])
        #expect(ended.status != 0 && !ended.errors.isEmpty, "\(ended.errors)")
    }

    private static func scripts() throws -> [String] {
        try ["scripts", "Checkout/scripts"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(
                atPath: BuiltProgram.root.appending(path: folder).path
            )
            .map { "\(folder)/\($0)" }.filter { $0 != "scripts/lib" }
        }.sorted()
    }

    // MARK: A closed pipe

    /// It ends as any program does: by the signal, in silence; also where whoever started it ignores that signal.
    @Test(arguments: offline.map { [swipectl] + $0 }, [true, false])
    func aClosedPipeEndsIt(_ words: [String], isIgnored: Bool) throws {
        let sound = try Self.sound()
        try expectBroken(words.map { $0 == "WAV" ? sound.path("swipe.wav") : $0 }, isIgnored: isIgnored)
    }

    @Test func aClosedPipeEndsItBesideADaemon() throws {
        let (daemon, observer) = try start()
        for words in Self.online { try expectBroken([Self.swipectl] + words, daemon) }
        withExtendedLifetime(observer) {}
    }

    private func expectBroken(
        _ words: [String], _ daemon: DaemonUnderTest? = nil, isIgnored: Bool = false
    ) throws {
        let ended = try intoAClosedPipe(words, daemon, isIgnored: isIgnored)
        #expect(ended.status == SIGPIPE && ended.isSignal, "\(words): \(ended)")
        #expect(ended.errors.isEmpty, "\(words): \(ended.errors)")
    }

    /// Who claims a reader gives it back first: the daemon cannot tell its end from a connection that broke.
    @Test func aClaimIsGivenBackFirst() throws {
        let (daemon, observer) = try start("[server]\nswipe_hold = 300\n")
        let pipe = Pipe()
        let claim = try observer.waitForRequests(2) {
            let claim = makeProcess(
                [Self.swipectl, "claim", Self.reader], daemon, into: pipe, errors: FileHandle.nullDevice)
            try claim.run()
            return claim
        }
        try pipe.fileHandleForReading.close()
        try writePipe(daemon.folder.appending(path: "reports").path, try VirtualSwipes.publishedReport())
        #expect(try observer.lines(through: "claim_released").last?.contains(#""why":"released""#) == true)
        claim.waitUntilExit()
        #expect(claim.terminationReason == .uncaughtSignal && claim.terminationStatus == SIGPIPE)
    }

    private func intoAClosedPipe(
        _ words: [String], _ daemon: DaemonUnderTest?, isIgnored: Bool
    ) throws -> (status: Int32, isSignal: Bool, errors: String) {
        let (output, errors) = (Pipe(), Pipe())
        try output.fileHandleForReading.close()
        let process = makeProcess(
            words, daemon, into: output, errors: errors.fileHandleForWriting, isIgnored: isIgnored)
        try process.run()
        try errors.fileHandleForWriting.close()
        let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, process.terminationReason == .uncaughtSignal, told)
    }

    private func makeProcess(
        _ words: [String], _ daemon: DaemonUnderTest?, into output: Pipe, errors: FileHandle,
        isIgnored: Bool = false
    ) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [isIgnored ? "--ignore-signal=PIPE" : "--default-signal=PIPE"] + words
        process.currentDirectoryURL = BuiltProgram.root
        process.environment = ProcessInfo.processInfo.environment.merging(environment(daemon)) { _, new in
            new
        }
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        return process
    }

    // MARK: Closed streams

    /// What is opened next takes the number of a stream that is closed: without care the daemon's socket, into which the
    /// result would be written.
    @Test(arguments: [">&-", "<&- >&-", "<&- >&- 2>&-"]) func aClosedStreamIsAFailure(_ closing: String)
        throws
    {
        let (daemon, observer) = try start()
        for words in [["status"], ["readers", "--json"], ["--version"]] {
            let ended = try FinishedProgram(
                ["sh", "-c", #"exec "$@" \#(closing)"#, "sh", Self.swipectl] + words,
                environment: environment(daemon))
            #expect(ended.status == 1, "\(words)")
            #expect(closing.contains("2") || ended.errors.contains("Bad file descriptor"))
        }
        withExtendedLifetime(observer) {}
    }

    // MARK: Clients in other languages

    @Test(arguments: [
        ["python3", "clients/python/swiped.py"], ["python3", "clients/python/till.py", reader],
        ["clients/shell/till", reader], ["clients/shell/watch"], ["python3", "examples/swipes.py"],
        ["examples/swipes.sh"],
    ])
    func aClientEndsWhereItsOutputIsFull(_ words: [String]) throws {
        let (daemon, observer) = try start()
        let pipe = daemon.folder.appending(path: "reports").path
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["--default-signal=TERM", "timeout", "30", "sh", "-c", #"exec "$@" >/dev/full"#, "sh"] + words
        process.currentDirectoryURL = BuiltProgram.root
        process.environment = ProcessInfo.processInfo.environment.merging(environment(daemon)) { _, new in
            new
        }
        process.standardError = errors.fileHandleForWriting
        process.standardInput = FileHandle.nullDevice
        try observer.waitForRequests { try process.run() }
        try errors.fileHandleForWriting.close()
        try writePipe(pipe, try VirtualSwipes.publishedReport())
        let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus != 0 && process.terminationStatus != 124, "\(told)")
        #expect(!told.isEmpty && !told.contains("Traceback"), "\(told)")
    }

    // MARK: What is there

    private func environment(_ daemon: DaemonUnderTest?) -> [String: String] {
        daemon.map { ["SWIPED_SOCKET": $0.socket] } ?? [:]
    }

    /// A daemon with a reader that is ready, a sound input, and events that it still keeps.
    private func start(_ more: String = "") throws -> (daemon: DaemonUnderTest, observer: LineClient) {
        let daemon = try DaemonUnderTest(
            more
                + "[access]\nmasked = *\nadmin = *\n[virtual-hid till]\nsource = {}/reports\n[virtual-audio desk]\nsource = {}/sound\n"
        )
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        _ = daemon.makePipe("sound")
        _ = try observer.lines(through: #""event":"ready""#)
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        return (daemon, observer)
    }

    private static func sound() throws -> OneSound { try OneSound() }
}

/// A recording of one swipe, in a folder that goes with it.
private final class OneSound {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "sound-\(UUID().uuidString.prefix(8))")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = try FinishedProgram([
            BuiltProgram.path("swipectl").path, "synth", "--output", path("swipe.wav"), SoundFixture.track2,
        ])
        #expect(made.status == 0, "\(made.errors)")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }
}
