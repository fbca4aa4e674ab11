import CardData
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders
@testable import ReaderKit

/// Single fields of a MagTek report, changed one by one: what each of them does, and that no wrong one makes half a card.
@Suite struct MagTekFieldTests {
    /// An encrypted swipe with its fields set to other bytes.
    private static func report(
        _ changes: [MagTekField: [UInt8]], of vector: String = "MagTek/generated/v5_hid887_datavariant.hex",
        layout: MagTekLayout = .magneSafe887
    ) throws -> [UInt8] {
        var bytes = try Vector(vector).bytes()
        for (field, value) in changes {
            let range = try #require(layout[field])
            bytes.replaceSubrange(range.prefix(value.count), with: value)
        }
        return bytes
    }

    private static func swipe(_ report: [UInt8]) throws -> Swipe {
        var driver = MagTekReports.magneSafe()
        return try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
    }

    /// Longer than the field, no whole blocks, fewer blocks than the clear text takes.
    @Test(arguments: [(64, 0, true), (64, 60, true), (120, 0, false), (63, 0, false), (56, 60, false)])
    func ciphertextsAreOfWholeBlocks(length: Int, clearLength: Int, isRight: Bool) throws {
        let swipe = try Self.swipe(
            Self.report([.length1: [UInt8(length)], .clearLength1: [UInt8(clearLength)]]))
        #expect((swipe.tracks[0].outcome == .refused(.malformed)) == !isRight)
        #expect(swipe.encryption?.tracks.map(\.track) == (isRight ? [1, 2, 3] : [2, 3]))
    }

    /// A reader with a key that does not encrypt sends tracks twice; where the two disagree, neither is believed.
    @Test func clearAndMaskedCheckEachOther() throws {
        let whole = "MagTek/published/v5_hid856_level2.hex"
        let masked = try #require(MagTekLayout.magneSafe856[.masked1])
        let name = try Vector(whole).bytes()[masked].firstRange(of: Array("HOGAN".utf8))
        let place = try #require(name?.lowerBound) - masked.lowerBound
        let text = Array(try Vector(whole).bytes()[masked].prefix(place)) + Array("HAGEN".utf8)
        let swipe = try Self.swipe(
            Self.report([.masked1: text], of: whole, layout: .magneSafe856))
        #expect(swipe.tracks[0].outcome == .refused(.malformed))
        #expect(MagTekReports.clearTexts(swipe)[1...] == MagTekReports.tracks[1...])
    }

    /// A reader may be set to any filler (property 07); some broken characters are none.
    @Test(arguments: [
        ("X", true), ("#", true), (" ", true), ("", false),
    ])
    func anyFillerCovers(filler: String, agrees: Bool) throws {
        let masked = [
            "%B5452XXXXXXXX7189^HOGAN/PAUL      ^0804XXXXXXXXXXXXXXXXXXX?",
            ";5452XXXXXXXX7189=0804XXXXXXXXXXXXXX?",
            ";5163XXXXXXXX0445=XXXXXXXXXXXX?",
        ].map { text in
            let letters = filler.isEmpty ? Array("ABCDEFGH") : Array(filler)
            return String(text.enumerated().map { $1 == "X" ? letters[$0 % letters.count] : $1 })
        }
        let fields = zip([MagTekField.masked1, .masked2, .masked3], masked.map { Array($0.utf8) })
        let report = try Self.report(
            Dictionary(uniqueKeysWithValues: Array(fields)), of: "MagTek/published/v5_hid856_level2.hex",
            layout: .magneSafe856)
        let swipe = try Self.swipe(report)
        #expect(swipe.readTracks == (agrees ? 3 : 0))
        // Three characters alike are not what a reader covers.
        let clear = Array(MagTekReports.tracks[1].utf8)
        for count in 1...4 {
            var broken = clear
            broken.replaceSubrange(5..<(5 + count), with: Array(repeating: UInt8(ascii: "A"), count: count))
            #expect(MaskAgreement.agree(clear: clear, masked: broken) == (count == 4))
        }
    }

    @Test(
        arguments: [
            (0x000001, .forward, nil), (0x200001, .backward, nil), (0x200000, nil, nil), (0, nil, nil),
            (0x020001, .forward, .noisy), (0x040001, .forward, .tooSlow), (0x080001, .forward, .tooFast),
            (0x060001, .forward, .tooSlow),
        ] as [(UInt32, SwipeDirection?, SwipeHint?)])
    func magnePrintStatus(
        status: UInt32, direction: SwipeDirection?, hint: SwipeHint?
    ) throws {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: status >> (8 * $0)) }
        let swipe = try Self.swipe(Self.report([.magnePrintStatus: bytes]))
        #expect(swipe.quality.direction == direction)
        #expect(swipe.quality.hint == hint)
        #expect(swipe.encryption?.magnePrint?.status == status)
    }

    @Test(
        arguments: [
            (0x0000, EncryptionState.noKey), (0x0002, .clear), (0x0004, .noKey), (0x0006, .encrypted),
            (0x0806, .encrypted), (0x0007, .keyExhausted), (0x0106, .keyExhausted), (0x0001, .keyExhausted),
        ])
    func encryptionStates(status: Int, state: EncryptionState) {
        #expect(MagTekEncryptionStatus(rawValue: UInt16(status)).state == state)
    }

    /// The last transaction of a reader that counts them.
    @Test(
        arguments: [([0, 0, 0], EncryptionState.keyExhausted), ([0, 0, 1], .encrypted)]
            as [([UInt8], EncryptionState)])
    func aCounterThatRanOut(counter: [UInt8], state: EncryptionState) throws {
        var driver = MagTekReports.magneSafe()
        let actions = driver.receive(HIDReport(bytes: try Self.report([.counter: counter])))
        guard case .signal(.identified(let details))? = actions.first else {
            Issue.record("\(actions.count) actions")
            return
        }
        #expect(details.encryption == state)
    }

    /// A reader that refuses cards, or whose head failed, says why it sends a report without one.
    @Test(
        arguments: [
            (0x0007, MagTekFault.keysExhausted, EncryptionState.keyExhausted),
            (0x0106, .counterExpired, .keyExhausted), (0x001E, .timedOut, .encrypted),
            (0x0026, .headMessageShort, .encrypted), (0x0046, .headMessageType, .encrypted),
            (0x0086, .headKeySync, .encrypted),
        ] as [(UInt16, MagTekFault, EncryptionState)])
    func aReaderSaysWhyThereIsNoCard(status: UInt16, fault: MagTekFault, state: EncryptionState) throws {
        let word = [UInt8(status >> 8), UInt8(status & 0xFF)]
        // Status, serial number and KSN, and nothing else.
        var report = Array(repeating: UInt8(0), count: 887)
        for (field, value) in [
            (MagTekField.serial, Array("B000795".utf8)), (.encryptionStatus, word),
            (.keySerialNumber, [0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xFF, 0xFF, 0xFF]),
            // It does not count.
            (.counter, [0xFF, 0xFF, 0xFF]),
        ] {
            report.replaceSubrange(
                try #require(MagTekLayout.magneSafe887[field]).prefix(value.count), with: value)
        }
        var driver = MagTekReports.magneSafe()
        let actions = driver.receive(HIDReport(bytes: report))
        #expect(MagTekReports.swipes(actions).isEmpty)
        #expect(MagTekReplies.identified(actions)?.encryption == state)
        #expect(MagTekReplies.identified(actions)?.serial == "B000795")
        #expect(actions.last == .signal(.malformed(fault.rawValue)))
        #expect(FoundCaptures.read(report) == [.failure(.malformed(.magneSafe, fault.rawValue))])
        // A card that was read all the same is no less one.
        let swipe = try Self.swipe(Self.report([.encryptionStatus: [word[0], word[1] | 0x06]]))
        #expect(swipe.readTracks == 3)
    }

    /// A blank card from a reader that is well is a swipe without a track.
    @Test func aBlankCard() throws {
        var driver = MagTekReports.magneSafe()
        var report = Array(repeating: UInt8(0), count: 887)
        report[try #require(MagTekLayout.magneSafe887[.encryptionStatus]).upperBound - 1] = 0x06
        let swipes = MagTekReports.swipes(driver.receive(HIDReport(bytes: report)))
        #expect(swipes.map { $0.tracks.map(\.outcome) } == [[.empty, .empty, .empty]])
    }

    @Test(
        arguments: [
            (0x0006, []), (0x000E, ["authentication_required"]), (0x0806, []), (0x0016, ["timed_out"]),
            (0x00E6, ["head_message_short", "head_message_type", "head_key_sync"]),
            (0x0206, ["secondary_key_injected"]),
            (0x0606, ["secondary_key_injected", "tracks_secondary_key"]),
            (0x3006, ["magneprint_secondary_key", "magneprint_data_key"]), (0x0007, ["keys_exhausted"]),
            (0x0106, ["counter_expired"]),
        ] as [(UInt16, [String])])
    func whatTheStatusSaysInWords(status: UInt16, words: [String]) throws {
        let word = [UInt8(status >> 8), UInt8(status & 0xFF) | 0x06]
        let swipe = try Self.swipe(Self.report([.encryptionStatus: word]))
        #expect(swipe.encryption?.readerStatus == words)
    }

    /// A length that the field cannot hold leaves the MagnePrint out, and says so; the tracks are none the worse.
    @Test(arguments: [(56, 56), (128, 128), (129, nil), (255, nil)] as [(Int, Int?)])
    func aMagnePrintOfImpossibleLength(length: Int, taken: Int?) throws {
        let swipe = try Self.swipe(Self.report([.magnePrintLength: [UInt8(length)]]))
        #expect(swipe.encryption?.magnePrint?.ciphertext.count == taken)
        #expect(swipe.encryption?.readerStatus.contains("magneprint_too_long") == (taken == nil))
        #expect(swipe.readTracks == 3)
    }

    /// A licence's masked text may show more than may be shown.
    @Test func aLicenceIsCovered() throws {
        let shown = try Self.swipe(Self.report([:])).tracks[0].masked ?? ""
        let covered = try Self.swipe(Self.report([.encodeType: [1]])).tracks[0].masked ?? ""
        #expect(shown.contains("HOGAN"))
        #expect(!covered.contains("HOGAN") && covered.count == shown.count)
    }

    /// A status that never says which key is overruled by a reader that was asked (property 54).
    @Test func theReaderSaysWhichKeyItUses() throws {
        var reader = MagTekReader(
            DeviceIdentity(readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: 0x0011, node: ""),
            match: nil,
            family: MagTekReader.Family(
                layouts: [.magneSafe887], questions: [], properties: [], featureLength: 60))
        let report = HIDReport(bytes: try Self.report([.encryptionStatus: [0x00, 0x06]]))
        let before = MagTekReports.swipes(reader.receive(report))
        reader.keyVariant = .data
        let after = MagTekReports.swipes(reader.receive(report))
        #expect(before.map(\.encryption?.keyVariant) == [.pin])
        #expect(after.map(\.encryption?.keyVariant) == [.data])
    }

    /// Serial number and counter are one answer of 19 bytes; a part of it is no counter.
    @Test(arguments: [3, 18, 19, 20]) func theCountersAnswerIsWhole(length: Int) throws {
        let property = try #require(MagTekProperty.magneSafe.first { $0.name == "encryption_counter" })
        let data = Array(repeating: UInt8(0), count: length - 3) + [0x01, 0x02, 0x03]
        let value = try? property.decode(data)
        #expect(value == (length == 19 ? .number(0x010203) : nil))
    }
}

/// The USB-IF's stripe page, and where fields stand.
@Suite struct StripePageFieldTests {
    private static let lengths = [3, 80, 41, 108]

    private static func driver() -> StripePageDriver {
        StripePageDriver(
            DeviceIdentity(
                readerID: "hid", bus: .usb, vendorID: 0x1234, productID: 0x5678, node: "/dev/hidraw0",
                reportDescriptor: TestDescriptors.vendor(TestDescriptors.stripePage, page: [0x05, 0x8E])))
    }

    /// A track that would go over its field is refused, and takes no other with it.
    @Test func aLengthOverTheFieldRefusesTheTrack() throws {
        let track2 = Array(MagTekReports.tracks[1].utf8)
        var driver = Self.driver()
        let report =
            [81, UInt8(track2.count), 0] + Array(repeating: UInt8(ascii: "%"), count: 80) + track2
            + Array(repeating: 0, count: 41 - track2.count + 108)
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        #expect(swipe.tracks[0].outcome == .refused(.malformed))
        #expect(swipe.tracks[1].text?.reveal() == MagTekReports.tracks[1])
    }

    /// Also where the field holds a whole track.
    @Test(arguments: [0, 1]) func aLengthOneOverTheField(more: Int) throws {
        let track2 = Array(MagTekReports.tracks[1].utf8)
        let fields: [(usage: UInt8, bits: UInt8, count: UInt8)] = [
            (0x12, 8, 1), (0x22, 8, UInt8(track2.count)),
        ]
        var driver = StripePageDriver(
            DeviceIdentity(
                readerID: "hid", bus: .usb, vendorID: 0x1234, productID: 0x5678, node: "/dev/hidraw0",
                reportDescriptor: TestDescriptors.vendor(fields, page: [0x05, 0x8E])))
        let report = [UInt8(track2.count + more)] + track2
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        #expect((swipe.tracks.first?.outcome == .refused(.malformed)) == (more > 0))
    }

    /// A reader with a field for the JIS II stripe beside those of three tracks: track 1 is told once.
    @Test(
        arguments: [
            (true, "", "track1"), (false, "\u{7F}A123\u{7F}", "jis"), (false, "", ""),
            (true, "\u{7F}A123", "track1"), (false, "\u{7F}A123", "!"),
            // What is no JIS II text is no track 1 in its field either.
            (false, "%A123?", "!"), (false, ";123?", "!"),
        ])
    func theStripeTakesAnEmptyTracksPlace(hasTrack1: Bool, stripe: String, told: String) throws {
        let track1 = hasTrack1 ? MagTekReports.tracks[0] : ""
        let swipe = try #require(Self.swipe(track1: track1, stripe: stripe))
        #expect(swipe.tracks.map(\.track) == [1, 2, 3])
        #expect(swipe.tracks[1].text?.reveal() == MagTekReports.tracks[1])
        switch told {
        case "track1": #expect(swipe.tracks[0].text?.reveal() == MagTekReports.tracks[0])
        case "jis": #expect(swipe.tracks[0].text?.reveal() == stripe)
        case "!": #expect(swipe.tracks[0].outcome == .refused(.malformed))
        default: #expect(swipe.tracks[0].outcome == .empty)
        }
    }

    private static func swipe(track1: String, stripe: String) -> Swipe? {
        var driver = StripePageDriver(
            DeviceIdentity(
                readerID: "hid", bus: .usb, vendorID: 0x1234, productID: 0x5678, node: "/dev/hidraw0",
                reportDescriptor: TestDescriptors.vendor(
                    [(0x21, 8, 80), (0x22, 8, 41), (0x23, 8, 108), (0x24, 8, 72)], page: [0x05, 0x8E])))
        let texts = [track1, MagTekReports.tracks[1], "", stripe]
        let report = zip(texts, [80, 41, 108, 72]).flatMap { text, length in
            Array(text.utf8) + Array(repeating: 0, count: length - text.utf8.count)
        }
        return MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first
    }

    /// A card with both gives both texts; what it is, the ISO tracks say.
    @Test func theStripeBesideTrack1() throws {
        let (track1, stripe) = (MagTekReports.tracks[0], "\u{7F}A123\u{7F}")
        let swipe = try #require(Self.swipe(track1: track1, stripe: stripe))
        #expect(swipe.tracks.map(\.track) == [1, 1, 2, 3])
        #expect(swipe.tracks.map { $0.text?.reveal() } == [track1, stripe, MagTekReports.tracks[1], nil])
        #expect(swipe.tracks.map(\.format) == [nil, "jis2", nil, nil])
        #expect(swipe.card?.kind == "payment")
        // A reader that has the stripe in both fields told it once.
        let twice = try #require(Self.swipe(track1: stripe, stripe: stripe))
        #expect(twice.tracks.map(\.track) == [1, 2, 3])
        #expect(twice.card?.kind == "jis2")
    }

    @Test(arguments: [-1, 1]) func aReportOfAnotherLengthIsNamed(more: Int) {
        var driver = Self.driver()
        let length = Self.lengths.reduce(0, +)
        let actions = driver.receive(HIDReport(bytes: Array(repeating: 0, count: length + more)))
        #expect(
            actions == [.signal(.malformed("report of \(length + more) bytes instead of \(length)"))])
    }

    @Test(arguments: [(0, 8, 3, 0..<3), (16, 8, 2, 2..<4), (4, 8, 1, nil), (8, 4, 1, nil), (8, 4, 2, 1..<2)])
    func bytesOfAField(offset: Int, size: Int, count: Int, range: Range<Int>?) {
        let field = ReportDescriptor.Field(
            kind: .input, reportID: 0, usagePage: 0xFF00, usage: 0x20, bitOffset: offset, bitSize: size,
            count: count)
        #expect(field.byteRange == range)
    }
}
