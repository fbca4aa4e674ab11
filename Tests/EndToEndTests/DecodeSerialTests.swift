import Foundation
import ReaderTesting
import Testing

/// `swipectl decode --serial`: recorded bytes of readers on a line, and reports of an encoder.
@Suite struct DecodeSerialTests {
    private func run(_ words: [String]) throws -> FinishedProgram {
        try FinishedProgram([BuiltProgram.path("swipectl").path, "decode"] + words)
    }

    @Test(arguments: [
        ("msr605x", "MSR605/generated/msr605x_raw.hex", "iso1"),
        ("msr605x", "MSR605/generated/msr605x_raw_backward.hex", "iso1"),
        ("msr-line", "MSR605/generated/msr605_raw_line.hex", "iso1"),
        ("spectrum3-line", "Lines/generated/spectrum3.hex", nil),
        ("mrs100-line", "Lines/generated/mrs100.hex", nil),
    ])
    func readsRecordings(type: String, vector: String, format: String?) throws {
        let ended = try run(["--serial", type, "--json", "Tests/Vectors/\(vector)"])
        #expect(ended.status == 0)
        #expect(ended.output.contains(#""model":"\#(type)""#))
        #expect(ended.output.contains("411111******1111"))
        #expect(!ended.output.contains("4111111111111111"))
        if let format { #expect(ended.output.contains(#""format":"\#(format)""#)) }
    }

    /// The usual bug report about a HID device.
    @Test func readsARecordingOfHIDRecorder() throws {
        let vector = BuiltProgram.root.appending(path: "Tests/Vectors/MSR605/generated/msr605x_raw.hex")
        let reports = try String(contentsOf: vector, encoding: .utf8).split(separator: "\n").filter {
            $0.first != "#"
        }
        let lines =
            ["N: MSR605X", "I: 3 0801 0003"]
            + reports.enumerated().map { "E: 0.\($0.offset) 64 \($0.element)" }
        let file = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString)")
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try run(["--serial", "msr605x", file.path]).output.contains("411111******1111"))
    }

    /// Whether bits were asked for or texts, a recording does not say; and whoever takes it for another HID reader's is told.
    @Test func readsTextsOfAnEncoder() throws {
        let path = "Tests/Vectors/MSR605/generated/msr605x_iso.hex"
        let ended = try run(["--serial", "msr605x", path])
        #expect(ended.status == 0 && ended.errors.isEmpty)
        #expect(ended.output.contains("411111******1111"))
        for recording in [path, "Tests/Vectors/MSR605/generated/msr605x_raw.hex"] {
            let other = try run(["--hid", recording])
            #expect(other.status == 1)
            #expect(other.errors.contains("--serial msr605x reads them"))
        }
        #expect(try !run(["--hid", "/dev/null"]).errors.contains("msr605x"))
    }

    /// A block with a wrong byte costs itself and none of those behind it; a whole session is read in a moment.
    @Test func aBrokenAnswerCostsItself() throws {
        var encoder = EncoderSimulator()
        let card = try EncodedCard([nil, ";4111111111111111=29121010000000000?", nil])
        var bytes: [UInt8] = []
        let count = 3000
        for number in 0..<count {
            _ = encoder.receive([0x1B, 0x6D])
            var block = encoder.swipe(card.stripes)
            if number == 1 { block[2] = 0 }
            bytes += block
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let ended = try run(["--serial", "msr-line", "--json", file.path])
        #expect(ended.output.split(separator: "\n").count == count - 1)
        #expect(ended.errors.contains("breaks off, or is none"))
    }

    @Test func whatGoesWrongIsSaid() throws {
        let wrong = try run(["--serial", "spectrum3-line", "Tests/Vectors/Lines/generated/mrs100.hex"])
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("is the type spectrum3-line right"))
        for words in [
            ["--serial", "teletype"], ["--serial", "msr-line", "--hid"],
            ["--serial", "msr-line", "--to", "bits"],
        ] {
            #expect(try run(words + ["/dev/null"]).status == 2)
        }
        for type in ["text-line", "msr-line"] {
            let nothing = try run(["--serial", type, "/dev/null"])
            #expect(nothing.status == 6)
            #expect(nothing.errors == "swipectl: /dev/null: no swipe found\n")
        }
    }
}
