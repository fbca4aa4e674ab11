import CardData
import Foundation
import TestSupport
import Testing
import WaveformSynthesis

/// `swipectl decode` as scripts use it: what it prints is a contract.
@Suite struct DecodeContractTests {
    static let swipeKeys: Set = [
        "file", "swipe", "model", "serial", "start_s", "duration_s", "card", "tracks", "encryption",
        "quality",
    ]
    static let qualityKeys: Set = [
        "direction", "speed_cm_s", "snr_db", "jitter_percent", "clipped_percent", "repaired_bits", "hint",
        "tracks",
    ]
    static let trackKeys: Set = ["track", "status", "masked", "repaired_bits", "direction"]

    let fixture: SoundFixture

    init() throws { fixture = try SoundFixture() }

    @Test(arguments: SoundFixture.Form.allCases) func readsEveryKindOfWAV(_ form: SoundFixture.Form) throws {
        let sound = try SoundFixture.swipe(SoundFixture.track2)
        let file = try fixture.write(SoundFixture.wav([sound], form), "a.wav")
        #expect(try texts(["--reveal", file]) == [SoundFixture.track2])
    }

    @Test(arguments: SoundFixture.Form.allCases) func readsRawSamples(_ form: SoundFixture.Form) throws {
        let sound = try SoundFixture.swipe(SoundFixture.track2)
        let ended = try run(
            ["--json", "--reveal", "--encoding", form.rawValue, "--rate", "44100", "--channels", "2", "-"],
            input: SoundFixture.data([sound, sound], form))
        #expect(ended.status == 0)
        let lines = try objects(ended.output)
        #expect(lines.count == 1)
        #expect(lines.first?["file"] as? String == "-")
    }

    @Test func everyChannelIsAHead() throws {
        let first = try SoundFixture.swipe(SoundFixture.track1, track: 1)
        let second = try SoundFixture.swipe(SoundFixture.track2)
        let file = try fixture.write(SoundFixture.wav([first, second]), "two.wav")
        let lines = try objects(run(["--json", "--reveal", file]).output)
        #expect(lines.count == 1)
        #expect(
            tracks(lines).compactMap { $0["text"] as? String } == [SoundFixture.track1, SoundFixture.track2])
    }

    /// A short text of track 3 passes for one of track 2: it hides no other, and the same text twice is one.
    @Test func noChannelHidesAnother() throws {
        let short = ";4266841088889999=0000000000?"
        let heads = try [SoundFixture.track2, short, SoundFixture.track2].map { try SoundFixture.swipe($0) }
        let file = try fixture.write(SoundFixture.wav(heads), "three.wav")
        let lines = try objects(run(["--json", "--reveal", file]).output)
        #expect(lines.count == 1)
        #expect(
            tracks(lines).compactMap { $0["text"] as? String }.sorted()
                == [short, SoundFixture.track2].sorted())
    }

    @Test func theKeysAreExactlyThese() throws {
        let sound = try SoundFixture.swipe(SoundFixture.track2)
        let file = try fixture.write(SoundFixture.wav([sound + sound]), "two swipes.wav")
        for (options, keys) in [
            (["--json"], Self.trackKeys),
            (["--json", "--reveal"], Self.trackKeys.union(["text", "discretionary"])),
        ] {
            let lines = try objects(run(options + [file]).output)
            #expect(lines.count == 2)
            #expect(lines.map { $0["swipe"] as? Int } == [0, 1])
            #expect(lines.allSatisfy { $0["file"] as? String == file })
            for line in lines {
                #expect(Set(line.keys) == Self.swipeKeys, "\(difference(Set(line.keys), Self.swipeKeys))")
            }
            for track in tracks(lines) {
                #expect(Set(track.keys) == keys, "\(difference(Set(track.keys), keys))")
            }
            let starts = lines.compactMap { $0["start_s"] as? Double }
            #expect(starts == starts.sorted() && starts.count == 2)
        }
    }

    @Test func withoutRevealThereIsNoText() throws {
        let file = try fixture.write(SoundFixture.wav([try SoundFixture.swipe(SoundFixture.track2)]), "a.wav")
        for options in [["--json"], [], ["--to", "card"], ["--to", "tracks"]] {
            let ended = try run(options + [file])
            #expect(ended.output.contains("426684******9999"))
            #expect(!ended.output.contains("4266841088889999") && !ended.errors.contains("4266841088889999"))
        }
    }

    @Test func theNameIsPrintedAsItWasGiven() throws {
        let file = try fixture.write(SoundFixture.wav([try SoundFixture.swipe(SoundFixture.track2)]), "a.wav")
        let odd = fixture.folder.path + "/./a.wav"
        let lines = try objects(run(["--json", odd, file]).output)
        #expect(lines.map { $0["file"] as? String } == [odd, file])
    }

    @Test func bitsAndPulses() throws {
        let sound = try SoundFixture.swipe(SoundFixture.track2) { $0.isBackward = true }
        let file = try fixture.write(SoundFixture.wav([sound]), "a.wav")
        let bits = try objects(run(["--to", "bits", file]).output)
        #expect(bits.allSatisfy { Set($0.keys) == ["file", "swipe", "bits", "direction"] })
        // ';' and '4': the order of reading, although the card went backward.
        #expect(bits.contains { ($0["bits"] as? String)?.contains("1101000100") == true })
        #expect(bits.first?["direction"] as? String == "backward")
        let pulses = try objects(run(["--to", "pulses", file]).output)
        #expect(pulses.count > 300)
        #expect(pulses.allSatisfy { Set($0.keys) == ["file", "swipe", "sample", "amplitude", "confidence"] })
    }

    /// Sound and captures of HID readers have the same members in the same order; what one of them cannot know is null.
    @Test(arguments: [false, true]) func aSwipeHasOneShape(reveals: Bool) throws {
        let sound = try fixture.write(
            SoundFixture.wav([try SoundFixture.swipe(SoundFixture.track2)]), "a.wav")
        let typed = try fixture.write(Data((SoundFixture.track2 + "\r").utf8), "keyboard.txt")
        let options = ["--json"] + (reveals ? ["--reveal"] : [])
        let lines = try [[sound], ["--hid", "--model", "magtek-stream", typed]].map { arguments in
            let ended = try run(options + arguments)
            return (ended.output, try #require(try objects(ended.output).first))
        }
        for (_, line) in lines {
            #expect(Set(line.keys) == Self.swipeKeys)
            let quality = try #require(line["quality"] as? [String: Any])
            #expect(Set(quality.keys) == Self.qualityKeys)
            let details = try #require(quality["tracks"] as? [[String: Any]])
            #expect(details.allSatisfy { Set($0.keys) == ["track", "format"] })
            let track = try #require(tracks([line]).first { $0["status"] as? String == "ok" })
            #expect(
                Set(track.keys)
                    == (reveals ? Self.trackKeys.union(["text", "discretionary"]) : Self.trackKeys))
            let pan = (line["card"] as? [String: Any])?["pan"] as? [String: Any]
            #expect(pan?["masked"] as? String == "426684******9999")
        }
        for key in ["model", "serial", "encryption"] { #expect(lines[0].1[key] is NSNull, "\(key)") }
        for key in ["start_s", "duration_s", "encryption"] { #expect(lines[1].1[key] is NSNull, "\(key)") }
        let orders = lines.map { line, _ in
            Self.swipeKeys.compactMap { key in line.firstRange(of: "\"\(key)\":").map { ($0.lowerBound, key) }
            }
            .sorted { $0.0 < $1.0 }.map(\.1)
        }
        #expect(orders[0] == orders[1])
    }

    @Test(arguments: [false, true]) func theCardHasOneShape(reveals: Bool) throws {
        let sound = try fixture.write(
            SoundFixture.wav([try SoundFixture.swipe(SoundFixture.track2)]), "a.wav")
        let packet = try fixture.write(Data((SoundFixture.track2 + "\r").utf8), "keyboard.txt")
        let options = ["--to", "card"] + (reveals ? ["--reveal"] : [])
        for arguments in [[sound], ["--hid", "--model", "magtek-stream", packet]] {
            let lines = try objects(run(options + arguments).output)
            #expect(lines.count == 1)
            #expect(lines.allSatisfy { Set($0.keys) == ["file", "swipe", "card"] })
            let pan = (lines.first?["card"] as? [String: Any])?["pan"] as? [String: Any]
            #expect(pan?["masked"] as? String == "426684******9999")
            #expect(pan?["number"] as? String == (reveals ? "4266841088889999" : nil))
        }
    }

    @Test(arguments: [false, true]) func aNameIsPartOfTheCard(reveals: Bool) throws {
        let sound = try SoundFixture.swipe(SoundFixture.track1, track: 1)
        let file = try fixture.write(SoundFixture.wav([sound]), "a.wav")
        let lines = try objects(run(["--to", "card"] + (reveals ? ["--reveal"] : []) + [file]).output)
        #expect((lines.first?["card"] as? [String: Any])?["name"] as? String == "BUSH JR/GEORGE W.MR")
    }

    @Test func badFilesAreToldAndTheOthersRead() throws {
        let sound = try SoundFixture.swipe(SoundFixture.track2)
        let whole = SoundFixture.wav([sound])
        let files =
            try [
                "empty.wav": Data(), "text.wav": Data("no sound at all".utf8),
                "mp3.wav": Data("ID3".utf8) + Data(count: 1_000), "header.wav": whole.prefix(30),
                "letters.wav": Data("RIFF".utf8),
                "none.wav": SoundFixture.wav([[]]),
            ].map { try fixture.write($1, $0) } + [fixture.folder.path + "/missing.wav", fixture.folder.path]
        let good = try fixture.write(whole, "good.wav")
        let ended = try run(["--json", "--reveal"] + files + [good])
        #expect(ended.status == 1)
        #expect(try objects(ended.output).map { $0["file"] as? String } == [good])
        let errors = ended.errors.split(separator: "\n")
        #expect(errors.count == files.count)
        for file in files { #expect(errors.contains { $0.hasPrefix("swipectl: \(file): ") }) }
    }

    @Test(arguments: [0, 0x7FFF_F000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF])
    func aRecorderBehindAPipeCannotKnowTheLength(announced: Int) throws {
        let sound = try SoundFixture.swipe(SoundFixture.track2)
        let ended = try run(
            ["--json", "--reveal", "-"], input: SoundFixture.wav([sound], announced: announced))
        #expect(ended.status == 0)
        #expect(
            tracks(try objects(ended.output)).compactMap { $0["text"] as? String } == [SoundFixture.track2])
    }

    @Test func aFileCutShortSaysHowMuchWasThere() throws {
        let whole = SoundFixture.wav([try SoundFixture.swipe(SoundFixture.track2)])
        let cut = try run(["-"], input: whole.prefix(20_000))
        #expect(cut.status == 0)
        #expect(
            cut.errors.contains(
                "\(whole.count - 44) bytes of samples announced, 19956 there; these were read"))
        // All but a piece of the silence behind the card.
        let name = try fixture.write(whole.dropLast(1_001), "cut.wav")
        let read = try run(["--json", "--reveal", name])
        #expect(read.status == 0 && read.errors.contains("cut short"))
        #expect(
            tracks(try objects(read.output)).compactMap { $0["text"] as? String } == [SoundFixture.track2])
        let none = try run([try fixture.write(whole.prefix(44), "none.wav")])
        #expect(none.status == 1 && none.errors.contains("0 there"))
    }

    /// Fewer bytes than tell a WAV file, and no raw samples either.
    @Test(arguments: ["R", "RIFF", "RIFF\u{1}\u{1}\u{1}\u{1}WAV"])
    func aHeadCutShortIsTold(head: String) throws {
        let ended = try run(["--json", "-"], input: Data(head.utf8))
        #expect(ended.status == 1)
        #expect(ended.errors == "swipectl: -: the WAV file is cut short\n")
    }

    /// Integers in a file of floats.
    @Test func unscaledSamplesAreTold() throws {
        let sound = try SoundFixture.swipe(SoundFixture.track2)
        var bytes = Array(SoundFixture.wav([sound], .f32))
        for (index, sample) in sound.enumerated() {
            let word = Float(sample).bitPattern
            for byte in 0..<4 { bytes[44 + 4 * index + byte] = UInt8(truncatingIfNeeded: word >> (8 * byte)) }
        }
        let ended = try run(["--json", try fixture.write(Data(bytes), "unscaled.wav")])
        #expect(ended.status == 1)
        #expect(ended.output.isEmpty)
        #expect(ended.errors.contains("full scale is 1"))
    }

    /// A refused head must not hide behind a good one, in either order.
    @Test func aRefusedChannelIsShown() throws {
        let good = try SoundFixture.swipe(SoundFixture.track2) { $0.speed.shape = .constant }
        let bad = try SoundFixture.swipe(SoundFixture.track2) { recipe in
            recipe.speed.shape = .constant
            for bit in [30, 61, 92] { recipe.bits[bit] ^= 1 }
        }
        for heads in [[good, bad], [bad, good]] {
            let file = try fixture.write(SoundFixture.wav(heads), "heads.wav")
            let found = tracks(try objects(run(["--json", file]).output))
            #expect(found.count == 2)
            #expect(found.filter { $0["status"] as? String == "ok" }.count == 1)
        }
    }

    /// A head that is refused by itself is read by the speed that the other channel's has heard.
    @Test func oneChannelHelpsTheOther() throws {
        var recipes = [
            try StripeRecipe(text: SoundFixture.track1, format: .iso1, bitsPerInch: 210),
            try StripeRecipe(text: SoundFixture.track2, format: .iso2, bitsPerInch: 75),
        ]
        for index in recipes.indices {
            recipes[index].speed = SpeedProfile(shape: .hand(variation: 0.35), centimetresPerSecond: 30)
        }
        recipes[0].jitter = 0.03
        recipes[0].signalToNoise = 20
        recipes[0].pulseWidth = 80
        recipes[0].lifts = [HeadLift(centre: 0.5, millimetres: 6, amplitude: 0.3)]
        let heads = StripeSynthesizer.samples(recipes, seed: 8)
        func texts(_ channels: [[Int16]]) throws -> [String?] {
            let file = try fixture.write(SoundFixture.wav(channels), "heads.wav")
            let found = try objects(run(["--json", "--reveal", file]).output)
            #expect(found.count == 1)
            return tracks(found).map { $0["text"] as? String }
        }
        #expect(try texts([heads[0]]) == [nil])
        #expect(try texts(heads) == [SoundFixture.track1, SoundFixture.track2])
    }

    /// Raw samples are a live sound: the swipe's line is there while the sound goes on.
    @Test func aLiveSwipeIsToldOnceItHasEnded() throws {
        let input = Pipe()
        let program = try RunningProgram(
            [DecodeRuns.swipectl, "decode", "--json", "--reveal", "-"], input: input)
        let silence = [Int16](repeating: 0, count: 44_100)
        let sound = try SoundFixture.swipe(SoundFixture.track2) + silence
        try input.fileHandleForWriting.writeOrThrow(SoundFixture.data([sound], .s16))
        #expect(program.hasOutput(withinSeconds: 60))
        try input.fileHandleForWriting.close()
        #expect(program.firstLine().contains(SoundFixture.track2))
        #expect(program.status() == 0)
    }

    /// Heads that are never still, one loud while the other pauses, hold back no swipe for ever.
    @Test func aLoudChannelHoldsBackNoSwipe() throws {
        let input = Pipe()
        let program = try RunningProgram(
            [DecodeRuns.swipectl, "decode", "--json", "--reveal", "--channels", "3", "-"], input: input)
        let swipe = try SoundFixture.swipe(SoundFixture.track2)
        let heads = [
            swipe + Array(repeating: 0, count: 441_000), Self.bursts(swipe.count + 441_000, from: 0),
            Self.bursts(swipe.count + 441_000, from: 88_200),
        ]
        try input.fileHandleForWriting.writeOrThrow(SoundFixture.data(heads, .s16))
        #expect(program.hasOutput(withinSeconds: 60))
        try input.fileHandleForWriting.close()
        #expect(program.firstLine().contains(SoundFixture.track2))
        #expect(program.status() == 0)
    }

    /// Noise for 50 ms, nothing for 50 ms: no pause is long enough to end a swipe.
    private static func bursts(_ count: Int, from start: Int) -> [Int16] {
        var random = SeededRandom(seed: 9)
        return (0..<count).map { index in
            index < start || index / 2_205 % 2 == 1 ? 0 : Int16(random.uniform(-9_000...9_000))
        }
    }

    @Test(arguments: [["--svg", "/dev/null"], ["--formats", "/dev/null"]])
    func whatDoesNotGoWithCapturesIsRefused(_ options: [String]) throws {
        let ended = try run(["--hid"] + options + ["/dev/null"])
        #expect(ended.status == 2)
        #expect(ended.errors.contains(options[0]))
    }

    @Test func ownFormatsAreRead() throws {
        // Six bits and parity as on track 1, at its density, but other sentinels: read as data alone.
        let sound = try SoundFixture.swipe("$CLUB 0000000000000000000012345/", track: 1)
        let file = try fixture.write(SoundFixture.wav([sound]), "club.wav")
        let formats = try fixture.write(
            Data("[format club]\nbits = 7\nstart = $\nend = /\ndensity = 210\ntrack = 1\n".utf8),
            "formats.conf")
        #expect(
            try texts(["--reveal", "--formats", formats, file]) == ["$CLUB 0000000000000000000012345/"])
    }

    @Test(arguments: [
        ("[format a]\nbits = 3", 2), ("[format a]\nbits = 5\nparity = some\nstart = ;\nend = ?", 3),
        ("bits = 5", 1), ("[format iso2]", 1), ("[format a]\nwidth = 5", 2), ("[formats]", 1), ("", 1),
        ("[format a]\nbits = 5\nstart = A\nend = ?", 3), ("[format a]\nbits = 5\nstart = ;", 1),
        ("[format a]\nbits = 5\nstart = ;\nend = ?\n[format a]", 5),
        // No text of these could be accepted.
        ("[format a]\nbits = 8\nparity = none\nstart = A\nend = B", 3),
        ("[format a]\nbits = 5\nstart = ;\nend = ?\nlongest = 8", 5),
        ("[format a]\nbits = 5\nstart = ;\nend = ?\nlrc = no\nlongest = 15", 6),
    ])
    func badFormatFilesAreToldByLine(text: String, line: Int) throws {
        let formats = try fixture.write(Data(text.utf8), "formats.conf")
        let ended = try run(["--formats", formats, "/dev/null"])
        #expect(ended.status == 2)
        #expect(ended.errors.hasPrefix("swipectl: \(formats): line \(line): "))
        #expect(ended.errors.split(separator: "\n").count == 1)
    }

    @Test func theDrawingKeepsTheSecret() throws {
        let file = try fixture.write(SoundFixture.wav([try SoundFixture.swipe(SoundFixture.track2)]), "a.wav")
        let drawing = fixture.folder.appending(path: "a.svg")
        for (options, isShown) in [([], false), (["--reveal"], true)] {
            #expect(try run(options + ["--svg", drawing.path, file]).status == 0)
            let svg = try String(contentsOf: drawing, encoding: .utf8)
            #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
            let letters = svg.matches(of: /class="character" [^>]*>([^<]*)</).map { String($0.output.1) }
                .joined()
            #expect(letters == (isShown ? SoundFixture.track2 : ";426684******9999=0809101********?"))
            #expect(svg.contains("<text class=\"bit\"") == isShown)
        }
    }

    func texts(_ options: [String]) throws -> [String] {
        tracks(try objects(run(["--json"] + options).output)).compactMap { $0["text"] as? String }
    }

    func tracks(_ lines: [[String: Any]]) -> [[String: Any]] {
        lines.flatMap { $0["tracks"] as? [[String: Any]] ?? [] }
    }

    func objects(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    func run(_ arguments: [String], input: Data? = nil) throws -> FinishedProgram {
        let words = [DecodeRuns.swipectl, "decode"] + arguments
        guard let input else { return try FinishedProgram(words) }
        let file = try fixture.write(input, "standard-input")
        return try FinishedProgram(["sh", "-c", "exec \"$@\" < '\(file)'", "sh"] + words)
    }
}
