import CardData
package import ReaderKit
import ReaderPackets

/// A swipe as text, as iDynamo, BulleT, serial and keyboard channels carry it (99875475, "Magnetic stripe card data").
///
///     level 2, short   TRACKS
///     full             TRACKS | STAT | T1 | T2 | T3 | MPSTAT | MP | SERIAL | SESSION | KSN | [COUNT] | CRC | ECRC | FORMAT
///
/// TRACKS: masked tracks, each from sentinel to sentinel, with settable texts around them · STAT: encryption status, low
/// byte first · T: ciphertext in hex, or clear text in level 2 · MP: MagnePrint, left out with its separators by
/// property 15 · COUNT: encryption counter, only with property 30 · CRC: of everything before it, separators included,
/// low byte first · ECRC: an encrypted CRC, passed by · FORMAT: four characters and a settable text. All but TRACKS,
/// SERIAL and FORMAT are hex. `|` is settable.
package struct MagTekStream: Sendable {
    package static let defaultSeparator = UInt8(ascii: "|")
    /// A stream longer than this is none; three tracks, their ciphertext and MagnePrint take about 1,200 characters.
    package static let maximumCharacters = 4096

    /// So many places of a number at least are covered; fewer may be broken.
    private static let leastCovered = 4

    package enum Refusal: Error, Sendable, Hashable {
        case tooLong
        case tracks(TrackScan.Refusal)
        case noTracks
        case fieldCount(Int)
        case notHex(field: String)
        case wrongLength(field: String)
        case checkSum
        /// Masked tracks, and nothing behind them.
        case cutShort
        /// A track that stands there twice, in clear and masked, says two things.
        case contradiction
        /// A track of another card stands among them.
        case twoCards
        /// Nothing was read, and the reader says why.
        case fault(MagTekFault)

        package var sentence: String {
            switch self {
            case .tooLong: "stream is too long"
            case .tracks(let refusal): "stream with \(refusal.rawValue)"
            case .noTracks: "stream without a track"
            case .fieldCount(let count): "stream of \(count) fields, which no reader sends"
            case .notHex(let field): "stream's \(field) is not pairs of hex digits"
            case .wrongLength(let field): "stream's \(field) is not as long as one"
            case .checkSum: "stream's CRC is wrong"
            case .cutShort: "stream that ends after its masked tracks"
            case .twoCards: "tracks of two cards"
            case .contradiction: "stream's clear and masked tracks contradict each other"
            case .fault(let fault): fault.rawValue
            }
        }
    }

    package private(set) var swipe: Swipe
    package let serial: String?
    /// Whether it carried a CRC, which was then right.
    package let isChecked: Bool

    /// Reads a stream, without the line end behind it.
    package init(_ characters: [UInt8], separator: UInt8 = MagTekStream.defaultSeparator) throws(Refusal) {
        guard characters.count <= Self.maximumCharacters else { throw .tooLong }
        let head = characters.firstIndex(of: separator) ?? characters.endIndex
        let shown = try Self.tracks(Array(characters[..<head]))
        guard head < characters.endIndex else {
            guard !shown.isEmpty else { throw .noTracks }
            guard !shown.contains(where: Self.isMasked), !Self.isLicenceCovered(shown) else {
                throw .cutShort
            }
            let placed = try Self.byText(shown)
            let readings = (1...3).map { number in
                TrackReading(track: number, outcome: Self.clearOutcome(number, placed, nil))
            }
            swipe = Swipe(tracks: readings, card: Card.recognise(readings))
            (serial, isChecked) = (nil, false)
            if TwoCards.are(in: readings) { throw .twoCards }
            return
        }
        let fields = try MagTekStreamFields(characters, separator: separator)
        isChecked = fields.isChecked
        let sent = SentTracks(
            shown.map(\.text) + fields.tracks.map(Array.init) + fields.tracks.compactMap(HexField.bytes))
        serial = MagTekText.serial(fields.serial, besides: sent)
        swipe = try Self.swipe(fields, shown: Self.inOrder(shown))
        swipe.encryption?.compare(with: sent)
        if TwoCards.are(in: swipe.tracks) { throw .twoCards }
    }

    static func tracks(_ text: [UInt8]) throws(Refusal) -> [TrackScan.Found] {
        do throws(TrackScan.Refusal) { return try TrackScan.tracks(in: text) } catch { throw .tracks(error) }
    }

    private static func inOrder(_ shown: [TrackScan.Found]) throws(Refusal) -> [TrackScan.Found] {
        do throws(TrackScan.Refusal) { return try TrackPlaces.inOrder(shown) } catch { throw .tracks(error) }
    }

    private static func byText(_ shown: [TrackScan.Found]) throws(Refusal) -> [TrackScan.Found] {
        do throws(TrackScan.Refusal) { return try TrackPlaces.byText(shown) } catch { throw .tracks(error) }
    }

    /// Whether a track is what an encrypting reader shows of one.
    private static func isMasked(_ track: TrackScan.Found) -> Bool {
        let sent = TrackTextCheck.withUsualSentinel(inCapitals(track.text))
        return ReaderCover.isCover(sent, track: track.track) || ReaderCover.isZeroCover(sent)
            || track.track < 3 && isMaskedOtherwise(sent, track: track.track)
    }

    /// Whether a track is covered with a character that somebody chose (property 07), or in a licence's way.
    private static func isMaskedOtherwise(_ sent: [UInt8], track: Int) -> Bool {
        let text = ReaderCover.withUsualCover(sent)
        // Track 2's own alphabet has none of the characters with which a reader covers, but zeros.
        guard sent.first != UInt8(ascii: ";") else {
            let number = text.prefix { $0 != UInt8(ascii: "=") }
            return number.count { $0 == UInt8(ascii: "*") } >= leastCovered || ReaderCover.isZeroCover(text)
        }
        // Letters in a row may be a word, and blanks fill words up. A bank's and a licence's tracks have parts, a bank's first one digits.
        let filler = zip(sent, text).first { $0 != $1 }?.0
        let first = sent.prefix { $0 != UInt8(ascii: "^") }
        let isNumber = first.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return first.count < sent.count && (filler != UInt8(ascii: " ") || isNumber)
            && (ReaderCover.isCover(text, track: track) || ReaderCover.isZeroCover(text))
    }

    /// What an encrypting reader leaves of a licence in track 2, and no track 1 in clear that says what the zeros are.
    private static func isLicenceCovered(_ shown: [TrackScan.Found]) -> Bool {
        let track1 = shown.first { $0.track == 1 && !$0.isErrorMark }
        guard track1.map({ ReaderCover.isOpaque($0.text) }) != false else { return false }
        let track2 = shown.first { $0.track == 2 }
        return CardCoding.shown(byTrack1: track1?.text, track2: track2?.text) == .aamva
    }

    /// A track in clear: in a field of its own, or among the shown tracks where there are no other fields.
    private static func clearOutcome(
        _ number: Int, _ shown: [TrackScan.Found], _ field: ArraySlice<UInt8>?
    ) -> TrackOutcome {
        let masked = shown.first { $0.track == number }
        if masked?.isErrorMark == true { return .refused(.malformed) }
        let text = field.map(Array.init) ?? masked?.text ?? []
        guard !text.isEmpty else { return .empty }
        return TrackTextCheck.outcome(inCapitals(text), track: number)
    }

    /// Readers may be set to send small letters (property 14, bit 2), or those that the caps lock makes (bit 7): all of a track's.
    /// No stripe but a JIS II one has any; where capitals stand beside them, a program put them there (`&gt;`, `\x41`).
    static func inCapitals(_ text: [UInt8]) -> [UInt8] {
        let hasCapitals = text.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        guard text.first != TrackScan.jisSentinel, !hasCapitals else { return text }
        return text.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0 }
    }

    private static func swipe(
        _ fields: MagTekStreamFields, shown: [TrackScan.Found]
    ) throws(Refusal) -> Swipe {
        let isEncrypting = fields.status.isEncrypting
        let covered = coveredTracks(shown)
        var readings: [TrackReading] = []
        for (index, field) in fields.tracks.enumerated() {
            let masked = shown.first { $0.track == index + 1 }
            let outcome =
                isEncrypting
                ? try encryptedOutcome(field, masked, covered)
                : try levelTwoOutcome(index + 1, field, shown, masked)
            readings.append(TrackReading(track: index + 1, outcome: outcome))
        }
        if let fault = fields.status.fault, readings.allSatisfy({ !$0.isRead }) { throw .fault(fault) }
        return Swipe(
            tracks: readings,
            card: Card.recognise(readings, coding: isEncrypting ? covered.coding : named(shown)),
            encryption: isEncrypting ? try fields.encryption() : nil, quality: fields.quality)
    }

    /// `#` begins a licence's third track.
    private static func named(_ shown: [TrackScan.Found]) -> CardCoding? {
        shown.contains { $0.text.first == UInt8(ascii: "#") } ? .aamva : nil
    }

    private static func coveredTracks(_ shown: [TrackScan.Found]) -> ShownTracks {
        let texts = (1...3).map { number in
            shown.first { $0.track == number && !$0.isErrorMark }.map { inCapitals($0.text) } ?? []
        }
        return ShownTracks(texts, named: named(shown))
    }

    private static func levelTwoOutcome(
        _ number: Int, _ field: ArraySlice<UInt8>, _ shown: [TrackScan.Found], _ masked: TrackScan.Found?
    ) throws(Refusal) -> TrackOutcome {
        if let masked, !masked.isErrorMark, !field.isEmpty {
            guard MaskAgreement.agree(clear: Array(field), masked: masked.text) else { throw .contradiction }
        }
        return clearOutcome(number, shown, field)
    }

    private static func encryptedOutcome(
        _ field: ArraySlice<UInt8>, _ masked: TrackScan.Found?, _ covered: ShownTracks
    ) throws(Refusal) -> TrackOutcome {
        if masked?.isErrorMark == true { return .refused(.malformed) }
        guard !field.isEmpty else {
            guard let masked else { return .empty }
            return covered.isInClear(masked.track) ? covered.outcome(masked.track) : .refused(.malformed)
        }
        guard let ciphertext = HexField.bytes(field) else { throw .notHex(field: "track") }
        guard ciphertext.count.isMultiple(of: MagTekReport.blockBytes) else { return .refused(.malformed) }
        guard let masked else { return .encrypted(masked: "") }
        return covered.outcome(masked.track)
    }
}
