import Foundation
import KeyboardReaders
import ReaderTesting
import TestSupport
import Testing

/// `swipectl record` of encoders and of readers that type, and what `replay` makes of it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct RecordedEncoderTests {
    private static let swipectl = BuiltProgram.path("swipectl").path
    private static let masked = "411111******1111"

    private static func data(_ line: String) -> String {
        line.range(of: #""data":"#).map { String(line[$0.lowerBound...]) } ?? line
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "record-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// The data of the swipe that a daemon with that section gets of what `act` does.
    private func swipe(_ section: String, _ act: (DaemonUnderTest) throws -> Void) throws -> String {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\nfull = *\n\(section)\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        try act(daemon)
        let swipe = try client.lines(through: #""event":"swipe""#).last ?? ""
        #expect(daemon.terminate().status == 0)
        return Self.data(swipe)
    }

    private func replayed(_ file: String, _ section: String) throws -> String {
        try swipe("\(section)\nsource = {}/source") { daemon in
            let run = try FinishedProgram([
                Self.swipectl, "replay", file, "--speed", "1000", "--source",
                daemon.folder.appending(path: "source").path,
            ])
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    // MARK: An encoder on a line

    /// It is asked as the daemon asks it, and left as it was.
    private func recordLine(_ folder: URL, _ flags: [String]) throws -> String {
        let file = folder.appending(path: "line.jsonl").path
        let terminal = try PseudoTerminal()
        let encoder = EncoderAtTerminal(terminal)
        let answer = Pipe()
        let program = try RunningProgram(
            [
                Self.swipectl, "record", terminal.path, "--type", "msr-line", "--reports", "1", "--output",
                file,
            ] + flags, input: answer)
        try answer.fileHandleForWriting.writeOrThrow(Data("test card\n".utf8))
        try answer.fileHandleForWriting.close()
        encoder.swipe(isBackward: false)
        while !program.firstLine().isEmpty {}
        let left = encoder.end()
        #expect(left.bitsPerByte == [7, 5, 5] && left.light == .off && !left.isWaitingForCard)
        #expect(left.harm.isEmpty && left.unknown.isEmpty)
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    @Test func anEncodersShapesHaveNoByte() throws {
        try withFolder { folder in
            let text = try recordLine(folder, [])
            #expect(text.contains(#""type":"msr-line","reading":"raw"}"#), "\(text)")
            #expect(text.contains(#"{"track":1,"result":"read","characters":"#), "\(text)")
            #expect(!text.contains("report") && !text.contains("4111"), "\(text)")
        }
    }

    @Test func aReplayedEncoderGivesTheSameEvent() throws {
        try withFolder { folder in
            _ = try recordLine(folder, ["--test-card"])
            let terminal = try PseudoTerminal()
            let encoder = EncoderAtTerminal(terminal)
            // The device itself.
            let direct = try swipe("[serial-reader desk]\ndevice = {}/line\ntype = msr-line") { daemon in
                let link = daemon.folder.appending(path: "line").path
                symlink(terminal.path, link)
                encoder.swipe(isBackward: false)
            }
            _ = encoder.end()
            #expect(direct.contains("4111111111111111"), "\(direct)")
            let file = folder.appending(path: "line.jsonl").path
            #expect(try replayed(file, "[virtual-serial desk]\ntype = msr-line") == direct)
        }
    }

    @Test func whatDoesNotAnswerIsSaid() throws {
        try withFolder { folder in
            let terminal = try PseudoTerminal()
            let run = try FinishedProgram([
                Self.swipectl, "record", terminal.path, "--type", "msr-line", "--output",
                folder.appending(path: "x").path,
            ])
            #expect(run.status == 1 && run.errors.contains("does not answer"), "\(run)")
        }
    }

    /// Ctrl-C while an encoder that does not answer is asked: at once, the line as it was, no file.
    @Test func ctrlCEndsTheAsking() throws {
        try withFolder { folder in
            let file = folder.appending(path: "line.jsonl").path
            let terminal = try PseudoTerminal()
            let near = open(terminal.path, O_RDWR | O_NOCTTY)
            defer { close(near) }
            var (before, after) = (termios(), termios())
            #expect(tcgetattr(near, &before) == 0)
            let program = try RunningProgram([
                Self.swipectl, "record", terminal.path, "--type", "msr-line", "--output", file,
            ])
            #expect(terminal.heard(1).count > 0)
            program.interrupt()
            #expect(program.status() == SIGINT)
            #expect(tcgetattr(near, &after) == 0)
            // Without echo: what comes late would be sent back to the reader.
            #expect(after.c_lflag == before.c_lflag & ~tcflag_t(ECHO | ECHONL))
            #expect(after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag)
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    // MARK: Nodes

    /// Records reports that a node gives one after the other. Pulled out at the end.
    private func recordNode(
        _ folder: URL, _ plug: String, _ reports: [[UInt8]], _ flags: String
    ) throws -> BenchedRecording {
        var made = try BenchedRecording(in: folder, flags)
        made.plug(plug)
        for (index, report) in reports.enumerated() {
            made.send(report.map { String(format: "%02x", $0) }.joined())
            try made.wait(forLines: index + 2)
        }
        try made.unplug()
        return made
    }

    private static let encoder =
        "0801:0003 - 0600ff0901a101150026ff007508954009018102954009019102c0"
    /// A boot keyboard (HID 1.11, E.6), without its lights.
    private static let keyboard =
        "c216:0180 - 05010906a101050719e029e71500250175019508810295017508810195067508150025650507190029658100c0"

    private static func encoderReports() throws -> [[UInt8]] {
        let vector = BuiltProgram.root.appending(path: "Tests/Vectors/MSR605/generated/msr605x_raw.hex")
        return try String(contentsOf: vector, encoding: .utf8).split(separator: "\n")
            .filter { $0.first != "#" }.compactMap { Hex.bytes($0.filter { $0 != " " }) }
    }

    @Test(
        .enabled(if: HIDBenchProgram.obstacle == nil, "umockdev is not here, or hid-bench was built without"),
        arguments: [false, true])
    func anEncoderBehindItsNode(isTestCard: Bool) throws {
        try withFolder { folder in
            let reports = try Self.encoderReports()
            let made = try recordNode(
                folder, Self.encoder, reports, isTestCard ? "--test-card" : "")
            #expect(made.said.contains { $0.contains("1 swipe in") }, "\(made.said)")
            let text = try String(contentsOfFile: made.file, encoding: .utf8)
            guard isTestCard else {
                #expect(text.contains(#""reading":"raw"}"#) && !text.contains(#""report""#), "\(text)")
                #expect(text.contains(#"{"track":1,"result":"read","characters":"#), "\(text)")
                return
            }
            let section = "[virtual-hid desk]\ndevice = 0801:0003"
            let direct = try swipe("\(section)\nsource = {}/source") { daemon in
                let pipe = daemon.makePipe("source")
                try writePipe(pipe, Self.lines(reports))
            }
            #expect(direct.contains("4111111111111111"))
            #expect(try replayed(made.file, section) == direct)
            let output = folder.appending(path: "out").path
            #expect(
                try FinishedProgram([Self.swipectl, "contribute", made.file, "--output", output]).status == 0)
            let read = try FinishedProgram([
                Self.swipectl, "decode", "--serial", "msr605x", output + "/0801-0003.hex",
            ])
            #expect(read.output.contains(Self.masked), "\(read)")
        }
    }

    private static func lines(_ reports: [[UInt8]]) -> [UInt8] {
        reports.flatMap { Array(($0.map { String(format: "%02x", $0) }.joined() + "\n").utf8) }
    }

    /// Every key, whoever has taken the reader; the same event, and a file that `decode --keys` reads.
    @Test(
        .enabled(if: HIDBenchProgram.obstacle == nil, "umockdev is not here, or hid-bench was built without"))
    func aReaderThatTypes() throws {
        try withFolder { folder in
            let text = ";4111111111111111=29121010000000000?\r"
            let reports = try #require(KeyTyping().reports(text.utf8))
            let made = try recordNode(folder, Self.keyboard, reports, "--test-card")
            #expect(made.said.contains { $0.contains("recording the keys of /dev/hidraw0") }, "\(made.said)")
            let direct = try swipe("[virtual-keyboard desk]\nsource = {}/source") { daemon in
                let pipe = daemon.makePipe("source")
                try writePipe(pipe, Self.lines(reports))
            }
            #expect(direct.contains("4111111111111111"))
            #expect(try replayed(made.file, "[virtual-keyboard desk]") == direct)
            let output = folder.appending(path: "out").path
            #expect(
                try FinishedProgram([Self.swipectl, "contribute", made.file, "--output", output]).status == 0)
            let read = try FinishedProgram([Self.swipectl, "decode", "--keys", output + "/C216-0180.hex"])
            #expect(read.output.contains(Self.masked), "\(read)")
        }
    }
}
