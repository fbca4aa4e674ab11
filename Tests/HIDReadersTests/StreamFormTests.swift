import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Text streams that somebody cut, filled up or set otherwise.
@Suite struct StreamFormTests {
    private static let paths = [
        "MagTek/published/stream_level2_v5.txt", "MagTek/published/stream_level2_custom.txt",
        "MagTek/published/stream_level3.txt",
    ]

    /// What is shown before the first separator is masked with zeros, which pass for digits.
    @Test(arguments: ["MagTek/published/stream_level2_v5.txt", "MagTek/published/stream_level3.txt"])
    func aStreamThatEndsBehindItsShownTracks(path: String) throws {
        let line = Array(try PublishedLines.line(path).utf8)
        let whole = FoundCaptures.found(line)
        let head = try #require(line.firstIndex(of: UInt8(ascii: "|")))
        #expect(throws: MagTekStream.Refusal.cutShort) { try MagTekStream(Array(line[..<head])) }
        // The CRC does not cover the format code behind it.
        for end in line.indices {
            let found = FoundCaptures.found(Array(line[..<end]))
            #expect(found.isEmpty || found == whole && end > line.count - 5, "\(end)")
        }
        #expect(
            FoundCaptures.read(Array(line[..<head])) == [
                .failure(.malformed(.magTekStream, "stream that ends after its masked tracks"))
            ])
    }

    /// A megabyte on one line, in which every letter stands often enough for a separator.
    @Test func aHugeLineIsNoStreamInAnyForm() {
        let bytes = Array("ghijklmnopqrstuvwxyz".utf8)
        let head = Array(String(repeating: "word ", count: 20).utf8)
        let line = head + (0..<(1 << 20) - head.count).map { bytes[$0 % bytes.count] }
        #expect(
            FoundCaptures.read(line, [.magTekStream]) == [
                .failure(.malformed(.magTekStream, "stream is too long"))
            ])
    }

    @Test(arguments: [
        ("%B4111********1111^DOE/J^2712************?", true),
        ("%B4111********1111^DOE/J^27121010000461?", true),
        ("%*4111********1111^DOE/J^*****************?", true), ("%***************?", true),
        ("%B4111111111111111^A*B/C^27121010000461?", false), ("%ABC*DEF?", false), ("%*A?", false),
        (";4111111111111111=2712101?", false),
    ])
    func coveredTextIsNotClear(text: String, isCover: Bool) {
        #expect(ReaderCover.isCover(Array(text.utf8), track: text.hasPrefix("%") ? 1 : 2) == isCover)
        let stream = try? MagTekStream(Array(text.utf8))
        #expect((stream == nil) == isCover)
    }

    /// A round number, a card without a service code, and one of zeros all over: only the last is what a reader covers.
    @Test(arguments: [
        (";4000000000000000=27121010000000000000?", false), (";4000000000000000=2712?", false),
        (";4000000000000000==1010000?", false), (";5163000050000445=000000000000?", true),
        (";4000000000000000=27120000000000000000?", true),
        ("%B5452000000007189^HOGAN/PAUL^08040000000000000000000?", true), (";000000?", false),
    ])
    func zerosOfAnIssuer(text: String, isCover: Bool) {
        #expect(ReaderCover.isZeroCover(text.utf8) == isCover)
    }

    /// Readers can be set to any filler: behind it there has to be a ciphertext.
    @Test(
        arguments: ["X", "V", "*", "0"],
        [
            "%XXXXXXXXXXXXXXX^XXXXXXXX^XXXXXXX?;6360XXXXXXXX1234=251219700101?+XXXXXXXXXXXXXXXX?",
            "%XXXXXXXXXXXXXXX^XXXXXXXX^XXXXXXX?;6360XXXXXXXX1234=771219700101?",
            "%E?;6360XXXXXXXX1234=251219700101?+E?", ";6360XXXXXXXX1234=251219700101?",
            "%B5452XXXXXXXX7189^HOGAN/PAUL      ^0804XXXXXXXXXXXXXXXXXXX?;5452XXXXXXXX7189=0804XXXXXXXXXXXXXX?",
            ";5452XXXXXXXX7189=0804XXXXXXXXXXXXXX?",
        ])
    func aStreamThatIsCutBehindAnyCover(filler: String, text: String) {
        let line = Array(text.replacing("X", with: filler).utf8)
        #expect(throws: MagTekStream.Refusal.cutShort) { try MagTekStream(line) }
        #expect(
            FoundCaptures.read(line) == [
                .failure(.malformed(.magTekStream, "stream that ends after its masked tracks"))
            ])
    }

    /// Words of equal letters, filled up with blanks, and a second track in track 1's alphabet.
    @Test(arguments: [
        "%                    ?;4111111111111111=2712101?", "%00000000          ?;4111111111111111=2712101?",
        "%1          ?;4111111111111111=2712101?", "%AAAAAAAAAAAA?;4111111111111111=2712101?",
        "%ROOM 217?@SMITH JOHN          ?", "%ROOM 217?@A*B*C*D?",
    ])
    func clearTextsThatLookLikeCovers(text: String) throws {
        #expect(try MagTekStream(Array(text.utf8)).swipe.readTracks == 2)
    }

    /// A number covered with blanks; what is left of it would pass for a shorter one.
    @Test func aNumberCoveredWithBlanks() {
        let text = Array("%B54523055    7189^HOGAN/PAUL^0804321            ?".utf8)
        #expect(throws: MagTekStream.Refusal.cutShort) { try MagTekStream(text) }
    }

    /// In a report's and in a packet's clear field, too.
    @Test func coveredTextInClearFields() throws {
        let text = Array("%B4111********1111^DOE/J^2712************?".utf8)
        var report = try Vector("MagTek/generated/sureswipe_hid337.hex").bytes()
        report[3] = UInt8(text.count)
        report.replaceSubrange(7..<(7 + text.count), with: text)
        let swipe = try #require(FoundCaptures.found(report).first).swipe
        #expect(swipe.tracks[0].outcome == .refused(.malformed))
        let data: [UInt8] = [0x00, 0x1F, UInt8(text.count), 0, 0] + text
        #expect(try IDTechFields.packet(data).swipe().tracks[0].outcome == .refused(.malformed))
    }

    /// An iDynamo sends blocks of 500 characters and fills the last up with small x.
    @Test(arguments: paths + ["MagTek/published/stream_level2_sureswipe.txt"], ["", "\r"])
    func blocksOfAnIDynamo(path: String, lineEnd: String) throws {
        let line = try PublishedLines.line(path)
        let right = FoundCaptures.found(Array(line.utf8))
        #expect(right.count == 1)
        let text = line + lineEnd
        let padded = text + String(repeating: "x", count: 500 - text.utf8.count % 500)
        #expect(FoundCaptures.read(Array(padded.utf8)) == right.map { .success($0) })
        #expect(FoundCaptures.read(Array((padded + padded).utf8)) == (right + right).map { .success($0) })
        // The last block, cut where the filling begins, and one of seven.
        let short = text + String(repeating: "x", count: 7)
        #expect(FoundCaptures.found(Array(short.utf8)) == right)
    }

    /// A stream without a CRC says nothing of its separator: who set it has to.
    @Test(arguments: ["~", ",", "!", "_"]) func aSeparatorOfASite(separator: String) throws {
        let line = try PublishedLines.line("MagTek/published/stream_level3.txt")
        let right = FoundCaptures.found(Array(line.utf8)).map(\.swipe)
        let bare = line.replacing("|B78F||0000", with: "|||0000").replacing("|", with: separator)
        #expect(FoundCaptures.found(Array(bare.utf8)).isEmpty)
        let mark = try #require(separator.utf8.first)
        let found = HIDCapture.outcomes(in: Array(bare.utf8), separator: mark).compactMap { try? $0.get() }
        #expect(found.map(\.swipe) == right)
        let dumped = Array(CaptureTexts.hex(Array(bare.utf8)).joined(separator: " ").utf8)
        let hex = HIDCapture.outcomes(in: dumped, separator: mark).compactMap { try? $0.get() }
        #expect(hex.map(\.swipe) == right)
    }

    private static let jis = "\u{7F}A1234567890 TEST\u{7F}"

    /// Streams of readers that are set to read JIS II (MagTek property 1B, ID TECH setting 72).
    @Test(arguments: ["", ";5452300551227189=080432100000007250?"]) func aJISStripe(track2: String) throws {
        let stream = try MagTekStream(Array((Self.jis + track2).utf8))
        guard case .jis2(let card)? = stream.swipe.card else {
            Issue.record("no JIS II card")
            return
        }
        #expect(card.identifier.reveal() == "A")
        #expect(card.data.reveal() == "1234567890 TEST")
        #expect(stream.swipe.tracks[0].text?.reveal() == Self.jis)
        #expect(stream.swipe.tracks.map(\.format) == [TrackFormat.jis2.name, nil, nil])
        #expect(stream.swipe.tracks[1].text?.reveal() ?? "" == track2)
        let found = FoundCaptures.found(Array((Self.jis + track2 + "\r\n").utf8))
        #expect(found.map(\.swipe) == [stream.swipe])
        let hex = CaptureTexts.hex(Array((Self.jis + track2).utf8)).joined(separator: " ")
        #expect(FoundCaptures.found(Array(hex.utf8)).map(\.swipe) == [stream.swipe])
    }

    /// Its characters are any others: a sentinel of another track, and small letters, are data.
    @Test func whatAJISStripeHolds() throws {
        let text = "\u{7F}a%B;1?+\u{7F}"
        let stream = try MagTekStream(Array(text.utf8))
        #expect(stream.swipe.tracks[0].text?.reveal() == text)
        #expect(stream.swipe.tracks[1...].allSatisfy { $0.outcome == .empty })
        #expect(throws: MagTekStream.Refusal.tracks(.noEndSentinel)) {
            try MagTekStream(Array("\u{7F}A123".utf8))
        }
        #expect(throws: MagTekStream.Refusal.tracks(.twice)) {
            try MagTekStream(Array((Self.jis + "%B1?").utf8))
        }
    }
}
