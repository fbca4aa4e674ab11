import Foundation
import Testing

/// `swipectl record`, `replay` and `contribute` as a user runs them.
@Suite(.serialized, .timeLimit(.minutes(3))) struct RecordCommandTests {
    private static let swipectl = BuiltProgram.path("swipectl").path

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "record-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private static func hexadecimal() throws -> String {
        try VirtualSwipes.publishedReport().split { $0 == 10 || $0 == 32 }
            .map { String(decoding: $0, as: UTF8.self) }.joined()
    }

    /// A recording of the published report, as `record --test-card` writes it.
    private static func recording() throws -> String {
        let report = try hexadecimal()
        return
            #"{"recording":"swiped recording 1","content":"test-card","device":"0801:0011","product":"x","descriptor":"0600FF"}"#
            + "\n" + #"{"at_us":1200000,"bytes":\#(report.count / 2),"report":"\#(report)"}"# + "\n"
    }

    /// Beside what the daemon reads, from the kernel's node as umockdev shows it.
    @Test(
        .enabled(if: HIDBenchProgram.obstacle == nil, "umockdev is not here, or hid-bench was built without"),
        arguments: [false, true])
    func recordsShapesAndTestCardsAlone(isTestCard: Bool) throws {
        try withFolder { folder in
            var made = try BenchedRecording(in: folder, "--reports 1" + (isTestCard ? " --test-card" : ""))
            made.plug("0801:0011 B0A1B2C3 \(HIDDescriptors.magneSafeDescriptor)")
            let report = try Self.hexadecimal()
            made.send(report)
            made.listen(for: "1 report in")
            try made.close()
            let (file, said) = (made.file, made.said)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let lines = text.split(separator: "\n")
            #expect(lines.count == 2, "\(said)")
            #expect(
                lines.first?.contains(
                    #""content":"\#(isTestCard ? "test-card" : "shapes")","device":"0801:0011""#) == true)
            #expect(!text.contains("B0A1B2C3"), "a serial number names an owner")
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            if isTestCard {
                #expect(lines.last?.hasSuffix(#""report":"\#(report)"}"#) == true)
            } else {
                #expect(
                    lines.last?.contains(/"tracks":\[\{"track":1,"result":"read","characters":60\}/) == true,
                    "\(text)")
                #expect(!text.contains("5452") && !text.contains("HOGAN") && !text.contains("35343532"))
            }
        }
    }

    /// And counted. What still waits, the kernel gives before it says that the reader is gone; umockdev does not.
    @Test(
        .enabled(if: HIDBenchProgram.obstacle == nil, "umockdev is not here, or hid-bench was built without"))
    func reportsBeforeAnUnplugAreWrittenDown() throws {
        try withFolder { folder in
            var made = try BenchedRecording(in: folder)
            made.plug("0801:0011 B0A1B2C3 \(HIDDescriptors.magneSafeDescriptor)")
            for count in 2...4 {
                made.send(try Self.hexadecimal())
                try made.wait(forLines: count)
            }
            try made.unplug()
            #expect(made.said.last == "left 4", "\(made.said)")
            #expect(made.said.contains { $0.contains("3 reports in") }, "\(made.said)")
            #expect(made.said.contains { $0.contains("/dev/hidraw0 is gone") }, "\(made.said)")
            #expect(try made.lines() == 4)
        }
    }

    @Test func aTestCardHasToBeTyped() throws {
        try withFolder { folder in
            let file = folder.appending(path: "r.jsonl").path
            let refused = try FinishedProgram([
                Self.swipectl, "record", "/dev/nothing", "--output", file, "--test-card",
            ])
            #expect(refused.status == 4)
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    /// The same event as from the report itself, but for its number and its times.
    @Test func aReplayGivesTheSameEvents() throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\nfull = *\n[virtual-hid till]\nsource = {}/reports\n")
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        let file = daemon.folder.appending(path: "r.jsonl").path
        try Self.recording().write(toFile: file, atomically: true, encoding: .utf8)
        let source = daemon.folder.appending(path: "reports").path
        let replayed = try FinishedProgram([Self.swipectl, "replay", file, "--source", source])
        #expect(replayed.status == 0, "\(replayed.errors)")
        let first = try observer.lines(through: #""event":"swipe""#).last ?? ""
        try writePipe(source, Self.hexadecimal().utf8 + [10])
        let second = try observer.lines(through: #""event":"swipe""#).last ?? ""
        #expect(Self.data(first) == Self.data(second))
        #expect(Self.data(first).contains(#""number":"5452300551227189""#))
    }

    private static func data(_ line: String) -> String {
        line.range(of: #""data":"#).map { String(line[$0.lowerBound...]) } ?? line
    }

    @Test func shapesCannotBeReplayed() throws {
        try withFolder { folder in
            let file = folder.appending(path: "r.jsonl").path
            try
                #"{"recording":"swiped recording 1","content":"shapes","device":"0801:0011","product":"x","descriptor":""}"#
                .write(toFile: file, atomically: true, encoding: .utf8)
            let source = folder.appending(path: "pipe").path
            let refused = try FinishedProgram([Self.swipectl, "replay", file, "--source", source])
            #expect(refused.status == 6 && refused.errors.contains("--test-card"))
            #expect(!FileManager.default.fileExists(atPath: source))
            #expect(
                try FinishedProgram([Self.swipectl, "replay", "/nonexistent", "--source", source]).status == 1
            )
        }
    }

    @Test func aFolderForTheMaintainersHasWhatTheyNeed() throws {
        try withFolder { folder in
            let file = folder.appending(path: "r.jsonl").path
            try Self.recording().write(toFile: file, atomically: true, encoding: .utf8)
            let made = folder.appending(path: "out")
            let run = try FinishedProgram([Self.swipectl, "contribute", file, "--output", made.path])
            #expect(run.status == 0, "\(run.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: made.path).sorted()
            #expect(names == ["0801-0011_1.hex", "0801-0011_descriptor.hex", "README.md"])
            // It is a vector: the decoder reads it.
            let decoded = try FinishedProgram(
                [Self.swipectl, "decode", "--hid", made.appending(path: "0801-0011_1.hex").path])
            #expect(decoded.status == 0 && decoded.output.contains("545230******7189"), "\(decoded)")
            #expect(
                try FinishedProgram([Self.swipectl, "contribute", file, "--output", made.path]).status == 1)
        }
    }

    /// A recording of a test card that somebody calls one of shapes, and one with more written into it: of neither a byte goes on.
    @Test func aFolderOfShapesHasShapesAlone() throws {
        try withFolder { folder in
            let file = folder.appending(path: "r.jsonl").path
            let made = folder.appending(path: "out")
            let bytes = try Self.recording().replacing(#""test-card""#, with: #""shapes""#)
            try bytes.write(toFile: file, atomically: true, encoding: .utf8)
            let refused = try FinishedProgram([Self.swipectl, "contribute", file, "--output", made.path])
            #expect(refused.status == 1 && refused.errors.contains("line 2: tracks is missing"), "\(refused)")
            #expect(!FileManager.default.fileExists(atPath: made.path))

            let head =
                #"{"recording":"swiped recording 1","content":"shapes","device":"0801:0011","product":"x","#
            let line =
                #"{"at_us":1,"bytes":9,"tracks":[{"track":2,"result":"read","characters":37,"text":"5452"}],"pan":"5452"}"#
            try (head + #""serial":"B0A1B2C3","descriptor":""}"# + "\n" + line + "\n").write(
                toFile: file, atomically: true, encoding: .utf8)
            let run = try FinishedProgram([Self.swipectl, "contribute", file, "--output", made.path])
            #expect(run.status == 0, "\(run.errors)")
            let shapes = try String(
                contentsOf: made.appending(path: "0801-0011_shapes.jsonl"), encoding: .utf8)
            #expect(
                shapes == head + #""descriptor":""}"# + "\n"
                    + #"{"at_us":1,"bytes":9,"tracks":[{"track":2,"result":"read","characters":37}]}"# + "\n")
        }
    }
}
