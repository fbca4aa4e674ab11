import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Licences as readers type them, and as encrypting ones cover them.
@Suite struct LicenceCaptureTests {
    private static let first = "%ALANYTOWN^DOE$JANE$Q^518 SAMPLE TRAIL SOUTHWEST APT 12^?"
    private static let second = ";6360338000001=131019930513=?"
    /// Template and security version, then fields of fixed width.
    private static let third = "10360673851  D A             M510120BROBRO"

    private static func licence(_ text: String) throws -> DrivingLicence {
        let found = FoundCaptures.found(Array(text.utf8))
        #expect(found.map(\.model) == [.magTekStream])
        guard case .licence(let licence)? = found.first?.swipe.card else { throw NoLicence() }
        return licence
    }

    struct NoLicence: Error {}

    /// Whatever sentinel a reader types in front of track 3, and whatever stands between the tracks: British Columbia has a `_`.
    @Test(arguments: ["#", "+", "%", "&"], ["", "_", "\n", "\n\n", "\r\n\r\n"])
    func aTypedLicence(sentinel: String, joint: String) throws {
        let third = sentinel + Self.third + "?\n"
        let licence = try Self.licence(Self.first + joint + Self.second + joint + third)
        #expect(try Self.licence(Self.first + Self.second + joint + third) == licence)
        #expect(licence.addressLines.map { $0.reveal() } == ["518 SAMPLE TRAIL SOUTHWEST APT 12"])
        #expect(licence.number?.reveal() == "8000001")
        #expect(licence.details?.postalCode.reveal() == "360673851")
        #expect(licence.details?.eyes.reveal() == "BRO")
    }

    /// Two swipes of two tracks each: the second licence's first track is not the first one's third.
    @Test func twoLicencesOfTwoTracks() {
        let lines = [Self.first, Self.second, Self.first.replacing("JANE", with: "JOHN"), Self.second]
        let found = FoundCaptures.found(Array(lines.joined(separator: "\n").utf8))
        let names = found.map { capture -> String? in
            guard case .licence(let licence)? = capture.swipe.card else { return nil }
            return licence.nameParts.dropFirst().first?.reveal()
        }
        #expect(names == ["JANE", "JOHN"])
    }

    // MARK: A third track without a first

    /// A `%` behind track 2 begins the third track, or the first of a reader that sends it last.
    @Test(arguments: ["", "_", "\n"]) func aThirdTrackWithoutAFirst(joint: String) throws {
        let text = Self.second + joint + "%" + Self.third + "?"
        let licence = try Self.licence(text)
        #expect(licence.number?.reveal() == "8000001")
        #expect(licence.details?.postalCode.reveal() == "360673851")
        let swipe = try #require(FoundCaptures.found(Array(text.utf8)).first).swipe
        #expect(swipe.tracks.map { $0.text?.reveal() } == [nil, Self.second, "%" + Self.third + "?"])
    }

    @Test(arguments: [
        (first, second),
        (
            "%B5452300551227189^HOGAN/PAUL      ^08043210000000725000000?",
            ";5452300551227189=080432100000007250?"
        ),
        ("%B5452300551227189^HOGAN/PAUL      ^08043210000000725000000?", ";E?"),
    ])
    func aFirstTrackThatIsSentLast(first: String, second: String) throws {
        let turned = try MagTekStream(Array((second + first).utf8)).swipe
        #expect(try turned == MagTekStream(Array((first + second).utf8)).swipe)
        #expect(turned.tracks[0].text?.reveal() == first)
    }

    /// Setting 3D of a licence with all three tracks.
    @Test func aLicenceWithItsEndsInEachOthersPlaces() throws {
        let third = "%" + Self.third + "?"
        let turned = try MagTekStream(Array((third + Self.second + Self.first).utf8)).swipe
        #expect(try turned == MagTekStream(Array((Self.first + Self.second + third).utf8)).swipe)
        #expect(turned.tracks.map { $0.text?.reveal() } == [Self.first, Self.second, third])
    }

    /// Text of no known kind, of another account, beside a track that was not read, behind two numeric tracks.
    @Test(arguments: [
        ";5452300551227189=080432100000007250?%ROOM 217?",
        ";5452300551227189=080432100000007250?%" + third + "?",
        ";5452300551227189=080432100000007250?%B4266841088889999^BUSH JR/GEORGE W.MR^0809101100001100000000046000000?",
        ";E?%" + third + "?", ";1234?;5678?%" + third + "?",
        ";6360338000001=131019930513=?%" + third + "?;5678?",
        ";5452300551227189=0804?;5452300551227189=0804?%B5452300551227189^HOGAN/PAUL^0804?",
    ])
    func aTrackOfWhichNobodyKnowsThePlace(text: String) {
        let line = Array(text.utf8)
        #expect(throws: MagTekStream.Refusal.tracks(.unknownPlace)) { try MagTekStream(line) }
        let sentence = "stream with a track that may be the first or the third"
        #expect(FoundCaptures.read(line) == [.failure(.malformed(.magTekStream, sentence))])
    }

    /// A full stream's tracks stand in their order, and a mark of a track that was not read says nothing else.
    @Test func tracksInOrder() throws {
        let line = try MagTekStreams.encryptedLine { fields in
            (fields[0], fields[2]) = (";5452000000007189=080400000000000000?%00000000?", "")
        }
        let swipe = try MagTekStream(line).swipe
        #expect(swipe.tracks.map(\.masked) == [nil, ";5452000000007189=080400000000000000?", "%00000000?"])
        let marked = try MagTekStream(Array(";5452300551227189=080432100000007250?%E?".utf8)).swipe
        #expect(marked.tracks.map(\.outcome)[2] == .refused(.malformed))
        #expect(marked.tracks[0].outcome == .empty && marked.card?.kind == "payment")
    }

    /// One character that a numeric track 3 does not have is a broken one.
    @Test(arguments: [
        ("+5163499080020445=000000000000?", ";5163499080020445=000000000000?"),
        ("+51634990800204 5=0000?", nil),
        ("+516349908002044A=0000?", nil), ("+!! 94533?", "%!! 94533?"),
        // One character, however often: a separator of another keyboard, and what a reader covers with.
        ("+015163499080020445-840-000?", nil), ("+5163XXXXXXXX0445=XXXX?", nil),
    ])
    func aPlusBeginsEitherAlphabet(text: String, read: String?) throws {
        let stream = try MagTekStream(Array((";5452300551227189=080432100000007250?" + text).utf8))
        #expect(stream.swipe.tracks[2].text?.reveal() == read)
    }

    // MARK: What a reader covers

    private static let covered = "%" + String(repeating: "0", count: 40) + "?;6360000000006789=251219800131?"

    /// Readers can be set to any filler.
    private static func covered(with filler: String) -> String {
        let names = ["", "^", "^"].map { $0 + String(repeating: filler, count: 15) }.joined()
        return "%\(names)?;6360\(String(repeating: filler, count: 8))6789=251219800131?"
    }

    /// No `#` tells of it where track 3 was not read.
    @Test(arguments: ["", "#00000000000000000000?", "+00000000000000000000?"], ["0", "X", "*"])
    func anEncryptedLicenceInAStream(third: String, filler: String) throws {
        let covered = Self.covered(with: filler)
        let line = try MagTekStreams.encryptedLine { fields in
            fields[0] = covered + third.replacing("0", with: filler)
            if third.isEmpty { fields[4] = "" }
        }
        let swipe = try MagTekStream(line).swipe
        #expect(swipe.card?.isUnreadableLicence == true)
        #expect(swipe.encryption?.tracks.map(\.track) == (third.isEmpty ? [1, 2] : [1, 2, 3]))
        // The date of birth is not shown, and zeros are no issuer's.
        #expect(swipe.tracks[1].masked == ";****************=************?")
        let gen3 = try Self.gen3(covered.split(separator: "?").map { "\($0)?" })
        #expect(gen3.card?.kind == "aamva")
        #expect(gen3.tracks[1].masked == ";****************=************?")
    }

    /// A swipe with a ciphertext that shows these of tracks 1 and 2.
    private static func gen3(_ tracks: [String]) throws -> Swipe {
        let message = Gen3Texts.text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        return try Gen3Message(
            Array((["M001"] + tracks + message.dropFirst(3)).joined(separator: "|").utf8)
        ).swipe
    }

    /// A number that begins with 6360, covered with zeros: whether it is a licence's is not known, and 636000 is nobody's.
    @Test(arguments: [("", nil), ("%B6360000050001234^DOE/JOHN^25120000000000000?", "6360********1234")])
    func anEncryptedNumberOfUnknownKind(first: String, number: String?) throws {
        let second = ";6360000050001234=25120000000000000?"
        let line = try MagTekStreams.encryptedLine { fields in
            fields[0] = first + second
            if first.isEmpty { fields[2] = "" }
            fields[4] = ""
        }
        for swipe in [try MagTekStream(line).swipe, try Self.gen3([first, second])] {
            #expect(swipe.tracks[1].masked == second)
            if case .payment(let payment)? = swipe.card {
                #expect(payment.pan.masked == number)
            } else {
                #expect(number == nil && swipe.card == .other)
            }
        }
    }

    /// The same without its ciphertext is no licence in clear.
    @Test func aStreamThatEndsBehindACoveredLicence() {
        #expect(throws: MagTekStream.Refusal.cutShort) { try MagTekStream(Array(Self.covered.utf8)) }
    }

    /// MagTek's property 34: a licence in clear where other cards' masked tracks stand.
    @Test(arguments: [true, false]) func aLicenceInClear(hasCiphertext: Bool) throws {
        let texts = [Self.first, Self.second, "%" + Self.third + "?"]
        let line = try MagTekStreams.encryptedLine { fields in
            fields[0] = texts.joined()
            if !hasCiphertext { for index in 2...4 { fields[index] = "" } }
        }
        #expect(try MagTekReports.clearTexts(MagTekStream(line).swipe) == texts)
        let report = try Self.report(texts, hasCiphertext: hasCiphertext)
        let swipe = try MagTekReport(report, layout: .magneSafe887).checkedSwipe()
        #expect(MagTekReports.clearTexts(swipe) == texts)
        #expect(swipe.card?.kind == "aamva")
        #expect(swipe.encryption?.tracks.count == (hasCiphertext ? 3 : 0))
    }

    /// A track that is covered, or no licence's, and a number of which zeros may cover some: nothing is believed in clear.
    @Test(arguments: [
        ["%00000000000000000000?", second, "%" + third + "?"], [first, ";4761730000000011=2412201?", ""],
        ["", ";6360000000006789=251219800131?", ""], ["", ";6360140000006789=251219800131?", ""],
        [first, second, "%" + String(repeating: "0", count: 60) + "?"],
        [first, ";6360000000001234=251219700101?", ""],
        [first, ";6360000050001234=251219700101?", "%" + third + "?"],
    ])
    func onlyAWholeLicenceIsInClear(texts: [String]) throws {
        let report = try Self.report(texts, hasCiphertext: true)
        let swipe = try MagTekReport(report, layout: .magneSafe887).checkedSwipe()
        #expect(swipe.tracks.allSatisfy { $0.text == nil })
        #expect(swipe.card?.isUnreadableLicence == true)
    }

    /// An encrypted report whose masked texts are these.
    private static func report(_ texts: [String], hasCiphertext: Bool) throws -> [UInt8] {
        var bytes = try Vector("MagTek/generated/v5_hid887_datavariant.hex").bytes()
        func set(_ field: MagTekField, _ value: [UInt8]) throws {
            let range = try #require(MagTekLayout.magneSafe887[field])
            bytes.replaceSubrange(range.prefix(value.count), with: value)
        }
        try set(.encodeType, [1])
        for (track, text) in zip(MagTekTrackFields.all, texts) {
            try set(track.masked, Array(text.utf8))
            try set(track.maskedLength, [UInt8(text.utf8.count)])
            let blocks = (text.utf8.count + 7) / 8 * 8
            try set(track.length, [hasCiphertext ? UInt8(blocks) : 0])
            try set(track.clearLength, [UInt8(text.utf8.count)])
        }
        return bytes
    }
}

extension Card {
    /// A licence of which no field is readable.
    fileprivate var isUnreadableLicence: Bool {
        guard case .licence(let licence) = self else { return false }
        return licence.number == nil && licence.issuer == nil && licence.state == nil
            && licence.details == nil
    }
}
