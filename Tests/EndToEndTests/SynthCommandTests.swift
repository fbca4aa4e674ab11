import Foundation
import Testing

/// `swipectl synth` as it is typed: every number has bounds, and nothing asked for runs for ever.
@Suite struct SynthCommandTests {
    static let swipectl = BuiltProgram.path("swipectl").path

    @Test(arguments: [
        ["--level", "-20"], ["--hum", "-26"], ["--crosstalk", "-30"], ["--thump", "-3"], ["--offset", "-2"],
        ["--asymmetry", "-5"], ["--density-error", "-4"], ["--snr", "30"],
    ])
    func takesNegativeNumbers(_ option: [String]) throws {
        let ended = try FinishedProgram(
            ["sh", "-c", "\"$@\" | \(Self.swipectl) decode -", "sh", Self.swipectl, "synth"] + option + [
                SoundFixture.track2
            ])
        #expect(ended.output.contains("track 2 ok ;426684******9999"), "\(ended.errors)")
    }

    @Test(arguments: [
        (["--silence", "1e9"], "--silence: 0 to 60 seconds"), (["--lost", "99999999"], "--lost: 0 to 20"),
        (["--lost", "-1"], "--lost: 0 to 20"), (["--level", "3"], "--level: -90 to 0 dBFS"),
        (["--jitter", "nan"], "--jitter: 0 to 50 percent"), (["--snr", "inf"], "--snr: -200 to 200 dB"),
        (["--repeats", "-1"], "--repeats: 1 to 1000"), (["--density", "0"], "--density: 2 to 1000"),
        (["--silence", "60", "--repeats", "1000", "--rate", "192000"], "at most 100000000 samples"),
        (["--density", "2", "--speed", "1", "--repeats", "1000"], "at most 100000000 samples"),
    ])
    func refusesWhatIsOutOfBounds(_ options: [String], _ words: String) throws {
        let ended = try FinishedProgram([Self.swipectl, "synth"] + options + [SoundFixture.track2])
        #expect(ended.status == 2)
        #expect(ended.output.isEmpty)
        #expect(ended.errors.contains(words), "\(ended.errors)")
    }

    @Test(arguments: ["abc", ";12A4?", "", ";" + String(repeating: "1", count: 80) + "?"])
    func refusesATextThatIsNoTrack(_ text: String) throws {
        let ended = try FinishedProgram([Self.swipectl, "synth", text])
        #expect(ended.status == 2)
        #expect(ended.output.isEmpty && !ended.errors.isEmpty)
    }
}
