import Foundation
import Testing

/// Files that are something else than what was asked for, and names that would steer a terminal.
@Suite struct ForeignNameTests {
    private let fixture: SoundFixture

    init() throws { fixture = try SoundFixture() }

    private func run(_ words: [String]) throws -> FinishedProgram {
        try FinishedProgram([BuiltProgram.path("swipectl").path] + words)
    }

    /// Sound is no capture: one line says so, for every way to read captures, and nothing is made of its bytes.
    @Test(arguments: [["--hid"], ["--keys"], ["--serial", "msr-line"], ["--serial", "text-line"]])
    func soundIsNoCapture(words: [String]) throws {
        let wav = try fixture.write(SoundFixture.wav([try SoundFixture.swipe(SoundFixture.track2)]), "a.wav")
        let flac = try fixture.write(Data("fLaC\0\0\0\u{22}".utf8) + Data(count: 4_000), "a.flac")
        for (file, name) in [(wav, "a WAV file"), (flac, "a FLAC file")] {
            let ended = try run(["decode"] + words + [file])
            #expect(ended.status == 1 && ended.output.isEmpty)
            #expect(
                ended.errors
                    == "swipectl: \(file): this is \(name), which is read without \(words[0])\n")
        }
    }

    /// Any bytes of some length hold what an encoder's answer could be.
    @Test func aPictureIsNoEncodersReports() throws {
        let picture = BuiltProgram.root.appending(path: "docs/live-dark.png").path
        let ended = try run(["decode", "--hid", picture])
        #expect(ended.status == 1 && !ended.errors.contains("encoder"), "\(ended.errors)")
    }

    /// What is none of the reader's answers is so from the first byte to the last.
    @Test func aComplaintIsSaidOnce() throws {
        let lines = String(repeating: ";4111111111111111\n", count: 50)
        let file = try fixture.write(Data(lines.utf8), "cut")
        let ended = try run(["decode", "--serial", "text-line", file])
        #expect(ended.status == 1)
        #expect(ended.errors.split(separator: "\n").count == 1, "\(ended.errors)")
        #expect(ended.errors.hasSuffix(" (50 times)\n"))
    }

    /// A line break and an escape sequence in a file's name, in results, complaints and failures of every command that prints it.
    @Test func namesDoNotSteerTheTerminal() throws {
        let evil = "evil\n\u{1B}[31m.wav"
        let wav = try fixture.write(SoundFixture.wav([try SoundFixture.swipe(SoundFixture.track2)]), evil)
        let text = try fixture.write(Data("no sound at all, and no report either".utf8), evil + ".txt")
        let report = try fixture.write(
            try Data(
                contentsOf: BuiltProgram.root.appending(
                    path: "Tests/Vectors/MSR605/generated/msr605x_raw.hex")),
            evil + ".hex")
        let missing = "\(fixture.folder.path)/missing\n\u{1B}[31m"
        for words in [
            ["decode", wav, text, missing], ["decode", "--hid", report, text, missing],
            ["decode", "--serial", "msr605x", report, text], ["decode", "--keys", text, missing],
            ["decode", "--formats", missing, wav], ["quality", wav, text, missing],
            ["contribute", "--output", fixture.folder.path + "/out", missing],
            ["synth", "--output", missing + "/x", SoundFixture.track2],
            ["replay", "--source", missing + "/x", text],
            ["decode", "--nonsense\u{1B}[31m", wav], ["decode", "--model", "\u{1B}[31m", "--hid", wav],
            ["status", "--socket", missing], ["web", "tokens", "--control", missing],
            ["audio", "probe", "--card", "hw:x", "--profiles", missing],
        ] {
            let ended = try run(words)
            let all = ended.output + ended.errors
            #expect(!all.contains("\u{1B}"), "\(words)")
            // The line that a name is in goes on behind it; only the parser of the command line keeps a break.
            #expect(!all.split(separator: "\n").contains { $0.hasPrefix("?[31m") }, "\(words): \(all)")
        }
        #expect(try run(["decode", wav]).output.contains("evil??[31m.wav: swipe 0"))
    }
}
