import CardData
import Foundation
import ReaderTesting
import Testing
import WaveformSynthesis

/// `swipectl decode` without `--reveal`, with what it prints looked at as a whole: no card's digits are in it.
@Suite struct MaskedDecodeTests {
    let fixture: SoundFixture

    init() throws { fixture = try SoundFixture() }

    private static func name(_ index: Int) -> String {
        String(decoding: [UInt8(0x61 + index / 26), UInt8(0x61 + index % 26)], as: UTF8.self)
    }

    private static let outputs = [[], ["--json"], ["--to", "card"]]

    /// Everything that is printed about files of cards, each of one card, in every form of output, of each file together. One process
    /// reads them all.
    private func check(
        _ files: [(card: HostileCard, path: String)], _ options: [String], outputs: [[String]] = outputs,
        hasMeasures: Bool = false
    ) throws {
        let cards = Dictionary(files.map { ($0.path, $0.card) }) { first, _ in first }
        for output in outputs {
            let words = [DecodeRuns.swipectl, "decode"] + options + output + files.map(\.path)
            let ended = try FinishedProgram(words, limit: 120)
            #expect(!ended.output.isEmpty)
            var told: [String: [String]] = [:]
            for line in (ended.output + ended.errors).split(separator: "\n") {
                guard let (path, rest) = named(in: String(line)) else { continue }
                told[path, default: []].append(hasMeasures ? Self.withoutMeasures(rest) : rest)
            }
            #expect(told.count > files.count / 2)
            for (path, lines) in told {
                guard let card = cards[path] else { continue }
                let leaks = card.leaks(in: lines.joined(separator: "^"))
                #expect(leaks.isEmpty, "\(path): \(card.deed): \(leaks) in \(lines)")
            }
        }
    }

    /// The file that a line is about, and the line without its name, which is ours.
    private func named(in line: String) -> (path: String, rest: String)? {
        let folder = fixture.folder.path + "/"
        guard let start = line.firstRange(of: folder) else { return nil }
        let name = line[start.upperBound...].prefix { $0 != ":" && $0 != "\"" }
        var rest = String(line[..<start.lowerBound]) + String(line[name.endIndex...])
        // Nor is a track's number one of the card's.
        for track in 1...3 { rest = rest.replacing(": track \(track) ", with: ": track ^ ") }
        return (folder + String(name), rest)
    }

    /// Figures of the swipe, which have digits of their own.
    private static func withoutMeasures(_ line: String) -> String {
        line.replacing(#/track [1-3^] [a-z_]+ /#, with: "")
            .replacing(/"(start_s|duration_s|speed_cm_s|snr_db|jitter_percent)":[0-9.]+/, with: "")
            .replacing(/\([^()]*(cm\/s|dB)[^()]*\)|at [0-9.]+ s/, with: "")
    }

    private static func cards(_ count: Int, seed: UInt64) -> [HostileCard] {
        var random = SeededGenerator(state: seed)
        var cards: [HostileCard] = []
        while cards.count < count {
            if let card = HostileCard(using: &random), !card.secrets.isEmpty { cards.append(card) }
        }
        return cards
    }

    @Test func captures() throws {
        let files = try Self.cards(200, seed: 3).enumerated().map { index, card in
            let text = card.texts.joined() + "\r"
            return (card, try fixture.write(Data(text.utf8), Self.name(index) + ".txt"))
        }
        try check(files, ["--hid"])
    }

    /// Every form of report, as files of hex and of text: what each reader says of itself is the card's in some of them.
    @Test func everyFormOfReport() throws {
        var files: [[String]: [(card: HostileCard, path: String)]] = [:]
        var forms: Set<String> = []
        for (index, card) in Self.cards(12, seed: 7).enumerated() {
            for capture in try HostileCapture.all(of: card.texts) {
                forms.insert(capture.form)
                let path = try fixture.write(Data(capture.content), "\(Self.name(index))-\(capture.form).txt")
                files[capture.options, default: []].append((card, path))
            }
        }
        #expect(forms.count >= 38, "\(forms.sorted())")
        for (options, files) in files { try check(files, options, outputs: [[], ["--json"]]) }
    }

    /// Reports that lie: what they call ciphertext, session id and serial number is the card's text.
    @Test func reportsThatLie() throws {
        let files = try Self.cards(120, seed: 6).enumerated().map { index, card in
            let digits = card.texts.map { $0.filter(\.isNumber) }
            let number = digits.first { $0.count >= 12 } ?? "123456789012"
            let coded = digits.map(Self.inBlocks)
            let shown = index.isMultiple(of: 2) ? card.texts : card.texts.map(Self.starred)
            let serial = [
                number.prefix(16), number.dropFirst(3).prefix(9), "B" + number.dropFirst(4).prefix(7),
            ]
            // What is no whole block of eight bytes refuses its track.
            let ciphertexts =
                index.isMultiple(of: 3) ? card.texts.map { Self.inBlocks(Self.hexadecimal($0)) } : coded
            var fields: [String] = ["M001"] + shown + ciphertexts
            fields += ["A1050000", String(coded.joined().prefix(112)), String(number.prefix(12)) + "0000"]
            let key =
                index.isMultiple(of: 4) ? String(number.prefix(12)) + "00000001" : "FFFF9876543210E00001"
            fields += [key, "FF02", "", "", String(serial[index % 3]), "", "", ""]
            return (
                card,
                try fixture.write(
                    Data((fields.joined(separator: "|") + "\r").utf8), Self.name(index) + ".txt")
            )
        }
        let ended = try FinishedProgram(
            [DecodeRuns.swipectl, "decode", "--hid", "--json"] + files.map(\.1), limit: 120)
        #expect(ended.output.split(separator: "\n").count > 40, "\(ended.errors.prefix(2000))")
        #expect(!ended.output.contains(#""ciphertext":"#) && ended.output.contains(#""ciphertext_bytes":"#))
        #expect(!ended.output.contains(#""session":"#) && ended.output.contains(#""session_bytes":"#))
        try check(files, ["--hid"])
        let revealed = try FinishedProgram(
            [DecodeRuns.swipectl, "decode", "--hid", "--json", "--reveal"] + files.map(\.1),
            limit: 120)
        #expect(revealed.output.contains(#""ciphertext":"#) && revealed.output.contains(#""session":"#))
    }

    private static func inBlocks(_ digits: String) -> String {
        digits + String(repeating: "0", count: (16 - digits.utf8.count % 16) % 16)
    }

    private static func hexadecimal(_ text: String) -> String {
        text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined().uppercased()
    }

    /// All that a reader masks, but for the number's ends and the name.
    private static func starred(_ text: String) -> String {
        let frame = text.hasPrefix("%") ? 2 : 1
        let end = text.firstIndex { "=^?".contains($0) } ?? text.endIndex
        let number = text.dropFirst(frame).prefix(
            upTo: max(end, text.index(text.startIndex, offsetBy: min(frame, text.count))))
        guard number.count >= 12 else { return text.isEmpty ? "" : String(text.prefix(1)) + "*?" }
        let stars = String(repeating: "*", count: number.count - 8)
        let masked = String(number.prefix(4)) + stars + String(number.suffix(4))
        let rest = text.hasPrefix("%") ? "^DOE/JOHN^2412***?" : "=2412***?"
        return String(text.prefix(frame)) + masked + rest
    }

    @Test func recordings() throws {
        let cards = Self.cards(60, seed: 4).filter { !$0.texts[0].hasPrefix("\u{7F}") }.prefix(24)
        let files = try cards.enumerated().map { index, card in
            let card = card.keepingTracks(2)
            let sounds = try card.texts.prefix(2).enumerated().filter { !$0.element.isEmpty }.map {
                try SoundFixture.swipe($0.element, track: $0.offset + 1, seed: UInt64(index))
            }
            return (card, try fixture.write(SoundFixture.wav(sounds), Self.name(index) + ".wav"))
        }
        try check(files, [], hasMeasures: true)
        let drawn = try files.prefix(6).map { card, path in
            let picture = fixture.folder.appending(path: "picture.svg")
            _ = try FinishedProgram([DecodeRuns.swipectl, "decode", "--svg", picture.path, path])
            let svg = try String(contentsOf: picture, encoding: .utf8)
            let letters = svg.matches(of: /class="character" [^>]*>([^<]*)</).map { String($0.output.1) }
            #expect(card.leaks(in: letters.joined()).isEmpty, "\(card.deed): \(letters)")
            return letters.count
        }
        #expect(drawn.contains { $0 > 20 })
    }

    /// A format of one's own whose text is laid out like a bank's.
    @Test func formatsOfOnesOwn() throws {
        let formats = try fixture.write(
            Data(
                "[format club]\nbits = 7\nparity = even\nstart = %\nend = ?\nlongest = 79\ntrack = 1\n".utf8),
            "formats.conf")
        let club = TrackFormat(
            name: "club", dataBits: 6, parity: .even, firstCharacter: 0x20, startSentinel: UInt8(ascii: "%"),
            endSentinel: UInt8(ascii: "?"), maximumCharacters: 79)
        let cards = Self.cards(40, seed: 5).filter { $0.texts[0].hasPrefix("%") }.prefix(12)
        let files = try cards.enumerated().map { index, card in
            let card = card.keepingTracks(1)
            let recipe = try StripeRecipe(text: card.texts[0], format: club, bitsPerInch: 75)
            let sound = StripeSynthesizer.samples(recipe, seed: UInt64(index))
            return (card, try fixture.write(SoundFixture.wav([sound]), Self.name(index) + ".wav"))
        }
        try check(files, ["--formats", formats], hasMeasures: true)
    }
}
