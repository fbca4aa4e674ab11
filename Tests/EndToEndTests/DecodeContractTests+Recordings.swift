import Foundation
import Testing
import WaveformSynthesis

/// Recordings in other forms, long ones, loud ones.
extension DecodeContractTests {
    /// Files of more than 4 GiB have their lengths in a chunk of their own; a small one may have them there as well.
    @Test(arguments: ["RF64", "BW64"], [true, false])
    func lengthsOf64Bits(form: String, isAnnounced: Bool) throws {
        let plain = SoundFixture.wav([try SoundFixture.swipe(SoundFixture.track2)])
        let samples = plain.dropFirst(44)
        func word(_ value: Int, _ bytes: Int) -> Data {
            Data((0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
        }
        var file = Data(form.utf8) + word(0xFFFF_FFFF, 4) + Data("WAVEds64".utf8) + word(28, 4)
        file += word(plain.count + 28, 8) + word(isAnnounced ? samples.count : 0, 8)
        file += word(samples.count / 2, 8) + word(0, 4)
        file += plain[12..<36] + Data("data".utf8) + word(0xFFFF_FFFF, 4) + samples
        // Another chunk behind the samples is none of them.
        if isAnnounced { file += Data("LIST".utf8) + word(4, 4) + Data("INFO".utf8) }
        let name = try fixture.write(file, "long.wav")
        #expect(try texts(["--reveal", name]) == [SoundFixture.track2])
    }

    @Test(arguments: [
        ("ID3\u{4}", "MP3"), ("fLaC", "FLAC"), ("OggS", "Ogg"), ("\0\0\0 ftypM4A ", "MPEG-4"),
        ("FORM", "AIFF"),
    ])
    func otherFormsOfSoundAreNamed(head: String, name: String) throws {
        let bytes = Data(head.utf8) + Data(count: 4_000)
        for ended in [try run([try fixture.write(bytes, "other")]), try run(["-"], input: bytes)] {
            #expect(ended.status == 1)
            #expect(ended.errors.contains(name) && ended.errors.contains("ffmpeg -i FILE OUT.wav"))
        }
    }

    /// 64 MB of silence, read with less memory than that.
    @Test func memoryDoesNotGrowWithTheRecording() throws {
        let name = try fixture.write(SoundFixture.wav([[]], .f64, announced: 64 << 20), "long.wav")
        let file = try FileHandle(forWritingTo: URL(filePath: name))
        try file.truncate(atOffset: 44 + (64 << 20))
        try file.close()
        let words = ["ulimit -d 49152 && exec \"$@\"", "sh", Self.swipectl, "decode", name]
        let ended = try FinishedProgram(["sh", "-c"] + words)
        #expect(ended.errors == "swipectl: \(name): no swipe found\n")
    }

    @Test(arguments: [(26.0, true), (1, true), (0, false)])
    func clippingIsTold(decibels: Double, isTold: Bool) throws {
        let sound = try SoundFixture.swipe(SoundFixture.track2) { $0.clipping = decibels }
        let name = try fixture.write(SoundFixture.wav([sound]), "a.wav")
        let quality = try objects(run(["--json", name]).output).first?["quality"] as? [String: Any]
        let percent = try #require(quality?["clipped_percent"] as? Double)
        #expect(isTold ? percent >= 1 : percent == 0)
        #expect(try run([name]).output.contains("lower the input's gain") == isTold)
    }

    /// Seconds of silence around a card are not drawn.
    @Test func theDrawingShowsTheCard() throws {
        let swipe = try SoundFixture.swipe(SoundFixture.track2)
        func height(_ sound: [Int16]) throws -> Int? {
            let drawing = fixture.folder.appending(path: "a.svg")
            let name = try fixture.write(SoundFixture.wav([sound]), "a.wav")
            #expect(try run(["--svg", drawing.path, name]).status == 0)
            let svg = try String(contentsOf: drawing, encoding: .utf8)
            return svg.firstMatch(of: /height="([0-9]+)"/).flatMap { Int($0.output.1) }
        }
        // A faint hiss, over which the gate stays open.
        var random = SeededRandom(seed: 3)
        let hiss = (0..<60_000).map { index in
            Int16(random.uniform(-400...400) * (index < 6_000 ? 0.01 : 1))
        }
        let long = hiss + swipe + hiss.reversed()
        let (short, drawn) = (try #require(try height(swipe)), try #require(try height(long)))
        #expect(drawn < 2 * short)
    }
}
