import Foundation
import SwipeClient
import Testing

/// What scripts rely on: which socket is meant, and what an exit status says.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ShellContractTests {
    private static let swipectl = BuiltProgram.path("swipectl").path

    // MARK: SWIPED_SOCKET

    /// Every client that is told no socket takes that of the environment.
    @Test(arguments: [
        ["python3", "examples/swipes.py"], ["examples/swipes.sh"], ["clients/shell/watch"],
        ["python3", "clients/python/swiped.py"], ["python3", "clients/python/till.py", "virtual-till"],
        ["clients/shell/till", "virtual-till"], [swipectl, "watch"],
    ])
    func theEnvironmentNamesTheSocket(_ program: [String]) throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        let client = try observer.waitForRequests {
            try RunningProgram(program, environment: ["SWIPED_SOCKET": daemon.socket])
        }
        client.stop()
    }

    /// A variable that is set to nothing is not set.
    @Test func anEmptyVariableNamesNothing() throws {
        let ended = try FinishedProgram([Self.swipectl, "status"], environment: ["SWIPED_SOCKET": ""])
        #expect(ended.errors.contains(SwipeClient.systemPath), "\(ended.errors)")
    }

    // MARK: No daemon

    @Test(arguments: [
        (["python3", "examples/swipes.py"], 1), (["examples/swipes.sh"], 1), (["clients/shell/watch"], 1),
        (["python3", "clients/python/swiped.py"], 1), (["clients/shell/till", "virtual-till"], 3),
    ])
    func whereThereIsNoDaemonTheStatusSaysSo(_ program: [String], status: Int) throws {
        let ended = try FinishedProgram(program, environment: ["SWIPED_SOCKET": "/nonexistent/s"])
        #expect(Int(ended.status) == status)
        #expect(!ended.errors.isEmpty && !ended.errors.contains("has ended"), "\(ended.errors)")
    }

    @Test func aTillSaysThatTheDaemonHasEndedWhereThereWasOne() throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n")
        let observer = try daemon.connect()
        let till = Process()
        let errors = Pipe()
        till.executableURL = BuiltProgram.root.appending(path: "clients/shell/till")
        till.arguments = ["nope", daemon.socket]
        till.standardOutput = FileHandle.nullDevice
        till.standardError = errors.fileHandleForWriting
        try observer.waitForRequests(2) { try till.run() }
        try errors.fileHandleForWriting.close()
        #expect(daemon.terminate().status == 0)
        let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        till.waitUntilExit()
        #expect(till.terminationStatus == 1)
        #expect(told.hasSuffix("the daemon has ended the connection: shutdown\n"), "\(told)")
    }

    /// Who has no role is turned away: that is no daemon that has ended.
    @Test func aTillSaysThatItIsTurnedAway() throws {
        let daemon = try DaemonUnderTest("[access]\nstatus =\nmasked =\nadmin =\n")
        _ = try? daemon.connect()
        let ended = try FinishedProgram(["clients/shell/till", "nope", daemon.socket])
        #expect(ended.status == 3)
        #expect(
            ended.errors.contains("no daemon lets this user in at \(daemon.socket): denied"),
            "\(ended.errors)")
    }

    // MARK: A daemon that says nothing

    /// Something listens and never answers, or takes the connection and ends it: the daemon cannot be reached.
    @Test(arguments: [["status"], ["readers"], ["watch"], ["stats"]], [true, false])
    func aMuteSocketIsNoDaemon(_ words: [String], isMute: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mute-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let socket = folder.appending(path: "s").path
        let listener = try RunningProgram([
            "python3", "-c",
            """
            import socket, sys
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(sys.argv[1])
            listener.listen()
            print("listens", flush=True)
            taken = []
            while True:
                taken.append(listener.accept()[0])
                if sys.argv[2] == "ends": taken.pop().close()
            """, socket, isMute ? "mute" : "ends",
        ])
        #expect(listener.firstLine() == "listens")
        let ended = try FinishedProgram([Self.swipectl] + words + ["--socket", socket, "--timeout", "1"])
        #expect(ended.status == 3, "\(ended.errors)")
        #expect(
            ended.errors.contains("Something listens at \(socket) and does not answer"), "\(ended.errors)")
        listener.stop()
    }

    @Test(arguments: ["0", "3601", "soon"]) func aTimeHasBounds(_ time: String) throws {
        #expect(try FinishedProgram([Self.swipectl, "status", "--timeout", time]).status == 2)
    }

    // MARK: Nothing found

    /// As with grep: found somewhere is found; a file that cannot be read is worse than one without a swipe.
    @Test(arguments: [
        (["silence.wav"], 6), (["--json", "silence.wav"], 6), (["--to", "bits", "silence.wav"], 6),
        (["silence.wav", "swipe.wav"], 0), (["swipe.wav"], 0), (["silence.wav", "missing.wav"], 1),
    ])
    func decodeSaysWhetherThereIsASwipe(_ words: [String], status: Int) throws {
        let fixture = try SoundFixture()
        let silence = [Int16](repeating: 0, count: 20_000)
        _ = try fixture.write(SoundFixture.wav([silence]), "silence.wav")
        _ = try fixture.write(SoundFixture.wav([try SoundFixture.swipe(SoundFixture.track2)]), "swipe.wav")
        let ended = try FinishedProgram(
            [Self.swipectl, "decode"]
                + words.map { $0.hasSuffix(".wav") ? fixture.folder.appending(path: $0).path : $0 })
        #expect(Int(ended.status) == status, "\(ended.errors)")
        #expect(ended.errors.contains("silence.wav: no swipe found") == words.contains("silence.wav"))
    }

    @Test func decodeFindsNothingOnStandardInput() throws {
        let ended = try FinishedProgram([
            "sh", "-c", #"head -c 100000 /dev/zero | "$0" decode --json -"#, Self.swipectl,
        ])
        #expect(ended.status == 6 && ended.output.isEmpty)
    }

    // MARK: A terminal

    /// A terminal of software, which Python has in its library.
    private static let onATerminal = [
        "python3", "-c",
        "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
    ]

    @Test func synthWritesNoSoundToATerminal() throws {
        let ended = try FinishedProgram(Self.onATerminal + [Self.swipectl, "synth", SoundFixture.track2])
        #expect(ended.status == 2)
        #expect(ended.output.contains("say --output FILE, or | swipectl decode -"), "\(ended.output)")
        #expect(!ended.output.contains("RIFF"))
        let fixture = try SoundFixture()
        let file = fixture.folder.appending(path: "a.wav").path
        let written = try FinishedProgram(
            Self.onATerminal + [Self.swipectl, "synth", "-o", file, SoundFixture.track2])
        #expect(written.status == 0 && FileManager.default.fileExists(atPath: file))
    }
}
