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
        let words = ["ulimit -d 49152 && exec \"$@\"", "sh", DecodeRuns.swipectl, "decode", name]
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

    /// What a file is instead, and what to do, whatever somebody gives.
    @Test func filesThatAreNoSound() throws {
        let text = SoundFixture.track2 + "\r\n"
        let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let files: [(bytes: [UInt8], says: String, isCapture: Bool)] = [
            ([0xFF, 0xFE] + little, "a text in UTF-16, not a WAV file", true),
            ([0xFE, 0xFF] + big, "a text in UTF-16, not a WAV file", true),
            ([0xEF, 0xBB, 0xBF] + Array(text.utf8), "not a WAV file", true),
            ([0xFF, 0xFB, 0x90, 0x64] + little, "an MP3 file", false), ([], "empty", false),
        ]
        for (index, file) in files.enumerated() {
            let name = try fixture.write(Data(file.bytes), "\(index).bin")
            let ended = try run([name])
            #expect(ended.status == 1 && ended.output.isEmpty)
            #expect(ended.errors.contains(file.says), "\(ended.errors)")
            #expect(ended.errors.contains("--hid") == file.isCapture)
            #expect(ended.errors.split(separator: "\n").count == 1)
            let capture = try run(["--hid", name])
            #expect(capture.status == (file.isCapture ? 0 : 1))
            #expect(capture.output.contains("426684******9999") == file.isCapture)
        }
    }

    /// The others are still read, and the status says that not all could be.
    @Test(arguments: [[], ["--hid"]]) func filesThatCannotBeRead(options: [String]) throws {
        let secret = try fixture.write(Data(SoundFixture.track2.utf8), "secret")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: secret)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fixture.folder.path)
        let missing = fixture.folder.path + "/missing"
        let files = [(fixture.folder.path, "Is a directory"), (missing, "No such file or directory")]
        for (name, says) in files {
            let ended = try run(options + [name])
            #expect(ended.status == 1 && ended.output.isEmpty)
            #expect(ended.errors == "swipectl: \(name): \(says)\n")
        }
        // Root may read everything: then somebody else tries.
        let other = geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--clear-groups"] : []
        let ended = try FinishedProgram(other + [DecodeRuns.swipectl, "decode"] + options + [secret])
        #expect(ended.status == 1)
        #expect(ended.errors == "swipectl: \(secret): Permission denied\n")
    }

    /// A file of formats as editors of other systems save it.
    @Test func formatsInOtherEncodings() throws {
        let sound = try fixture.write(SoundFixture.wav([SoundFixture.swipe(SoundFixture.track2)]), "a.wav")
        let text = "[format club]\r\nbits = 7\r\nstart = $\r\nend = /\r\n"
        let marked = try fixture.write(Data([0xEF, 0xBB, 0xBF] + Array(text.utf8)), "marked.conf")
        #expect(try run(["--formats", marked, sound]).status == 0)
        let wide = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let wideName = try fixture.write(Data([0xFF, 0xFE] + wide), "wide.conf")
        let ended = try run(["--formats", wideName, sound])
        #expect(ended.status == 2)
        #expect(ended.errors.contains("UTF-16; save it as UTF-8"), "\(ended.errors)")
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
