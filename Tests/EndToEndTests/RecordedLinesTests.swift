import CardData
import DeviceIO
import Foundation
import TestSupport
import Testing
import WaveformSynthesis

/// `swipectl record` of sound cards and serial lines, and what `replay` makes of it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct RecordedLinesTests {
    private static let swipectl = BuiltProgram.path("swipectl").path
    private static let number = "4111111111111111"
    private static let text = ";\(number)=29121010000000000?"
    private static let masked = "411111******1111"

    private static func data(_ line: String) -> String {
        line.range(of: #""data":"#).map { String(line[$0.lowerBound...]) } ?? line
    }

    /// A daemon with a section for a virtual reader, and what is swiped at it once its pipe is there.
    private func replayed(_ file: String, _ section: String) throws -> String {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\nfull = *\n\(section)\nsource = {}/source\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let run = try FinishedProgram([
            Self.swipectl, "replay", file, "--source", daemon.folder.appending(path: "source").path,
        ])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains(section.replacing("\n", with: " with ").prefix(14)), "\(run.errors)")
        let swipe = try client.lines(through: #""event":"swipe""#).last ?? ""
        #expect(daemon.terminate().status == 0)
        return Self.data(swipe)
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "record-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func record(_ words: [String], confirms: Bool) throws -> RunningProgram {
        let answer = Pipe()
        let program = try RunningProgram(
            [Self.swipectl, "record"] + words, input: answer)
        if confirms { try answer.fileHandleForWriting.writeOrThrow(Data("test card\n".utf8)) }
        try answer.fileHandleForWriting.close()
        return program
    }

    // MARK: A line

    /// Then the line is open, too.
    private func waitForHead(of file: String) {
        while FileManager.default.contents(atPath: file)?.isEmpty != false { usleep(5_000) }
    }

    private func recordLine(_ folder: URL, _ flags: [String]) throws -> String {
        let file = folder.appending(path: "line.jsonl").path
        let terminal = try PseudoTerminal()
        let program = try record(
            [terminal.path, "--type", "text-line", "--reports", "1", "--output", file] + flags,
            confirms: !flags.isEmpty)
        waitForHead(of: file)
        usleep(100_000)
        terminal.send(Array((Self.text + "\r").utf8))
        while !program.firstLine().isEmpty {}
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    /// A recording is somebody's swipes, which nobody makes twice.
    @Test func whatWasRecordedIsNotWrittenOver() throws {
        try withFolder { folder in
            let text = try recordLine(folder, [])
            let file = folder.appending(path: "line.jsonl").path
            let terminal = try PseudoTerminal()
            let again = try FinishedProgram([
                Self.swipectl, "record", terminal.path, "--type", "text-line", "--output", file,
            ])
            #expect(again.status == 1 && again.errors.contains("exists already"), "\(again)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
            // Nor is what is no pipe.
            let sent = try FinishedProgram([Self.swipectl, "replay", try testCard(folder), "--source", file])
            #expect(sent.status == 1 && sent.errors.contains("is not a named pipe"), "\(sent)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        }
    }

    /// Where nothing could be written, the line is as it was, and nobody's.
    @Test func aLineIsPutBackWhereNothingIsWritten() throws {
        let terminal = try PseudoTerminal()
        // A line that a reader is at is left without an echo, which would be sent to it.
        func settings() throws -> String {
            try FinishedProgram(["stty", "-a", "-F", terminal.path]).output
                .replacing(" -echo ", with: " echo ")
        }
        let before = try settings()
        for output in ["/dev/full", "/nonexistent/x"] {
            let failed = try FinishedProgram([
                Self.swipectl, "record", terminal.path, "--type", "text-line", "--output", output,
            ])
            #expect(failed.status == 1, "\(failed)")
            #expect(try settings() == before)
        }
        #expect(!before.isEmpty)
    }

    private func testCard(_ folder: URL) throws -> String {
        let inner = folder.appending(path: "card")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        _ = try recordLine(inner, ["--test-card"])
        return inner.appending(path: "line.jsonl").path
    }

    @Test func aContributedTextIsRead() throws {
        try withFolder { folder in
            let made = folder.appending(path: "out")
            let run = try FinishedProgram([
                Self.swipectl, "contribute", try testCard(folder), "--output", made.path,
            ])
            #expect(run.status == 0, "\(run)")
            let text = made.appending(path: "text-line_1.txt").path
            let read = try FinishedProgram([Self.swipectl, "decode", "--serial", "text-line", text])
            #expect(read.status == 0 && read.output.contains(Self.masked), "\(read)")
            let page = try String(contentsOf: made.appending(path: "README.md"), encoding: .utf8)
            #expect(page.contains("# A reader: text-line") && !page.contains("keyboard mode"), "\(page)")
        }
    }

    @Test func aLinesShapesHaveNoCharacter() throws {
        try withFolder { folder in
            let text = try recordLine(folder, [])
            #expect(text.hasPrefix(#"{"recording":"swiped recording 1","content":"shapes","device":"line""#))
            #expect(text.contains(#""type":"text-line""#))
            #expect(text.contains(/\{"track":2,"result":"read","characters":36\}/), "\(text)")
            #expect(!text.contains("4111") && !text.contains("34313131"), "\(text)")
        }
    }

    @Test func aReplayedLineGivesTheSameEvent() throws {
        try withFolder { folder in
            let text = try recordLine(folder, ["--test-card"])
            #expect(text.contains(#""content":"test-card""#))
            // The device itself, beside the recording of it.
            let daemon = try DaemonUnderTest(
                "[access]\nmasked = *\nfull = *\n[serial-reader till]\ntype = text-line\ndevice = {}/line\n")
            let client = try daemon.connect()
            client.send(#"{"id":1,"method":"subscribe"}"#)
            _ = try client.line()
            let terminal = try PseudoTerminal()
            symlink(terminal.path, daemon.folder.appending(path: "line").path)
            _ = try client.lines(through: #""event":"ready""#)
            terminal.send(Array((Self.text + "\r").utf8))
            let direct = Self.data(try client.lines(through: #""event":"swipe""#).last ?? "")
            #expect(daemon.terminate().status == 0)
            #expect(direct.contains(Self.number))
            let file = folder.appending(path: "line.jsonl").path
            #expect(try replayed(file, "[virtual-serial till]\ntype = text-line") == direct)
        }
    }

    // MARK: Sound

    private static func sound() throws -> [UInt8] {
        var recipe = try StripeRecipe(text: text, format: .iso2, bitsPerInch: 75)
        recipe.sampleRate = 48_000
        let quiet = (0..<24_000).map { Int16(truncatingIfNeeded: ($0 * 7_919) % 61 - 30) }
        let samples = quiet + StripeSynthesizer.samples(recipe, seed: 3) + quiet
        return samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    private func recordSound(_ folder: URL, _ flags: [String]) throws -> String {
        let file = folder.appending(path: "sound.jsonl").path
        let (source, alsa) = (folder.appending(path: "source"), folder.appending(path: "alsa.conf"))
        #expect(mkfifo(source.path, 0o600) == 0)
        let card = VirtualSoundCard(
            source: source.path, plugin: BuiltProgram.path("libasound_module_pcm_swiped.so").path)
        try Data(card.definition(of: "recorded").utf8).write(to: alsa)
        let program = try record(
            [
                "recorded", "--alsa-configuration", alsa.path, "--reports", "1", "--output", file,
            ] + flags, confirms: !flags.isEmpty)
        try writePipe(source.path, try Self.sound())
        while !program.firstLine().isEmpty {}
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    @Test func aSoundsShapesHaveNoCharacter() throws {
        try withFolder { folder in
            let lines = try recordSound(folder, []).split(separator: "\n")
            try #require(lines.count == 2, "\(lines)")
            #expect(lines[0].contains(#""content":"shapes","device":"sound""#))
            #expect(lines[0].contains(#""rate":48000"#))
            #expect(
                lines[1].contains(
                    /"tracks":\[\{"track":2,"result":"read","characters":36\}\],"peak_db":-[0-9]+\}/),
                "\(lines)")
            #expect(!lines.joined().contains("4111"))
        }
    }

    @Test func aReplayedSoundGivesTheSameEvent() throws {
        try withFolder { folder in
            _ = try recordSound(folder, ["--test-card"])
            // The device itself: a card that gives the same sound.
            let daemon = try DaemonUnderTest(
                "[access]\nmasked = *\nfull = *\n[virtual-audio door]\nrate = 48000\nsource = {}/sound\n")
            let client = try daemon.connect()
            client.send(#"{"id":1,"method":"subscribe"}"#)
            _ = try client.line()
            let pipe = daemon.makePipe("sound")
            try writePipe(pipe, try Self.sound())
            let direct = Self.data(try client.lines(through: #""event":"swipe""#).last ?? "")
            #expect(daemon.terminate().status == 0)
            #expect(direct.contains(Self.number))
            let file = folder.appending(path: "sound.jsonl").path
            #expect(
                try replayed(file, "[virtual-audio door]\nrate = 48000") == direct)
            // And a folder for the maintainers, whose sound is read.
            let made = folder.appending(path: "out")
            #expect(
                try FinishedProgram([Self.swipectl, "contribute", file, "--output", made.path]).status == 0)
            let read = try FinishedProgram([Self.swipectl, "decode", made.appending(path: "sound.wav").path])
            #expect(read.output.contains(Self.masked), "\(read)")
            let page = try String(contentsOf: made.appending(path: "README.md"), encoding: .utf8)
            #expect(page.contains("/proc/asound/cards") && !page.contains("lsusb"), "\(page)")
        }
    }

    // MARK: What is refused

    @Test func whatCannotBeRecordedSaysWhy() throws {
        try withFolder { folder in
            let file = folder.appending(path: "x").path
            func run(_ words: [String]) throws -> FinishedProgram {
                try FinishedProgram([Self.swipectl, "record", "--output", file] + words)
            }
            #expect(try run(["hw:CARD=Nothing"]).status == 4)
            let unknown = try run(["/dev/ttyS77", "--type", "msr-lane"])
            #expect(unknown.status == 2 && unknown.errors.contains("text-line"), "\(unknown.errors)")
            #expect(try run(["/dev/ttyS77", "--type", "msr-line"]).status == 4)
            #expect(try run(["/dev/ttyS77", "--type", "text-line"]).status == 4)
            #expect(try run(["/dev/ttyS77", "--type", "text-line", "--baud", "7"]).status == 2)
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    /// The attacker has the shapes of swipes that differ in digits alone, made with the same hand: they are the same but for a level.
    @Test func shapesOfSoundTellNoDigit() throws {
        var seen: Set<String> = []
        for digits in ["0000000000000000", "7777777777777777"] {
            try withFolder { folder in
                var recipe = try StripeRecipe(
                    text: ";\(digits)=29121010000000000?", format: .iso2, bitsPerInch: 75)
                recipe.sampleRate = 48_000
                recipe.speed = SpeedProfile(shape: .constant, centimetresPerSecond: 25)
                let quiet = [Int16](repeating: 0, count: 24_000)
                let samples = quiet + StripeSynthesizer.samples(recipe, seed: 5) + quiet
                let wav = folder.appending(path: "x.raw")
                try Data(
                    samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
                ).write(to: wav)
                let file = folder.appending(path: "s.jsonl").path
                let alsa = folder.appending(path: "alsa.conf")
                let card = VirtualSoundCard(
                    source: wav.path, plugin: BuiltProgram.path("libasound_module_pcm_swiped.so").path)
                try Data(card.definition(of: "recorded").utf8).write(to: alsa)
                let run = try FinishedProgram([
                    Self.swipectl, "record", "recorded", "--alsa-configuration", alsa.path, "--reports", "1",
                    "--output", file,
                ])
                #expect(run.status == 0, "\(run.errors)")
                let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
                seen.insert(String(lines.last ?? "").replacing(/"at_us":[0-9]+/, with: ""))
            }
        }
        #expect(seen.count == 1, "\(seen)")
    }
}
