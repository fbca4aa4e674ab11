package import CardData
package import ReaderKit
import ReaderPackets

/// From a report to a swipe.
extension MagTekReport {
    /// The swipe, for drivers and captures alike.
    ///
    /// - Parameter readerShows: how many digits the reader leaves uncovered, where it told (property 0x07).
    package func checkedSwipe(readerShows: AccountNumber.Shown = .readerDefault) throws(Refusal) -> Swipe {
        let swipe = swipe(readerShows: readerShows)
        guard !isOfOtherLayout else { throw .otherLayout }
        guard swipe.readTracks == 0 else { return swipe }
        guard isPlausible else { throw .unknownStatus }
        if let fault = encryptionStatus?.fault { throw .fault(fault) }
        return swipe
    }

    /// The first bytes of a MagneSafe report are as long as a SureSwipe report, and hold its first track in the same place.
    private var isOfOtherLayout: Bool {
        !layout.isMagneSafe
            && MagTekTrackFields.all.contains { track in
                byte(track.status) == 0 && byte(track.length) > 0 && self[track.data]?.first == 0
            }
    }

    /// - Parameter readerShows: how many digits the reader leaves uncovered, where it told (property 0x07).
    func swipe(readerShows: AccountNumber.Shown = .readerDefault) -> Swipe {
        let status = encryptionStatus
        let isEncrypting = status?.isEncrypting ?? false
        let fields = MagTekTrackFields.all
        let tracks = fields.map { track in
            TrackReading(
                track: track.number, outcome: outcome(track, isEncrypting: isEncrypting, readerShows))
        }
        return Swipe(
            tracks: tracks, card: card(tracks, readerShows: readerShows),
            encryption: isEncrypting ? encryption(fields, status: status) : nil,
            quality: MagnePrintStatus.quality(magnePrintStatus))
    }

    private func card(_ tracks: [TrackReading], readerShows: AccountNumber.Shown) -> Card? {
        Card.recognise(tracks, readerShows: readerShows, coding: MagTekEncodeType(byte(.encodeType)).coding)
    }

    /// How the reading of a track ended. Any status but 0 means that the reader could not decode it.
    private func outcome(
        _ track: MagTekTrackFields, isEncrypting: Bool, _ readerShows: AccountNumber.Shown
    ) -> TrackOutcome {
        guard byte(track.status) == 0 else { return .refused(.malformed) }
        let length = byte(track.length)
        guard let data = prefix(track.data, length: length) else { return .refused(.malformed) }
        guard let masked = masked(track) else { return .refused(.malformed) }
        guard isEncrypting else {
            guard length > 0 else { return .empty }
            guard masked.isEmpty || MaskAgreement.agree(clear: data, masked: masked) else {
                return .refused(.malformed)
            }
            return TrackTextCheck.outcome(Array(data), track: track.number)
        }
        guard length > 0 else {
            guard !masked.isEmpty else { return .empty }
            return isLicenceInClear
                ? TrackTextCheck.outcome(Array(masked), track: track.number) : .refused(.malformed)
        }
        guard isCiphertext(track, length: length) else { return .refused(.malformed) }
        return covered(masked, track: track.number, readerShows)
    }

    /// The masked text; empty where the layout has none. Nil where its length is impossible.
    private func masked(_ track: MagTekTrackFields) -> ArraySlice<UInt8>? {
        layout.isMagneSafe ? prefix(track.masked, length: byte(track.maskedLength)) : []
    }

    /// Whether a length can be that of a ciphertext: whole blocks, as many as the clear text takes.
    private func isCiphertext(_ track: MagTekTrackFields, length: Int) -> Bool {
        let clear = byte(track.clearLength)
        guard length.isMultiple(of: Self.blockBytes) else { return false }
        return clear == 0 || (clear + Self.blockBytes - 1) / Self.blockBytes * Self.blockBytes == length
    }

    /// TDES works on blocks of eight bytes.
    static let blockBytes = 8

    /// What the reader shows of an encrypted track. Cards of no known coding are sent in clear beside the ciphertext
    /// unless property 0x31 covers them.
    private func covered(
        _ masked: ArraySlice<UInt8>, track: Int, _ readerShows: AccountNumber.Shown
    ) -> TrackOutcome {
        let type = MagTekEncodeType(byte(.encodeType))
        switch type {
        case .iso:
            return .encrypted(
                masked: ReaderCover.checked(masked, track: track, readerShows: readerShows))
        case .aamva where isLicenceInClear: return TrackTextCheck.outcome(Array(masked), track: track)
        case .aamva: return .encrypted(masked: ReaderCover.opaque(masked))
        case .other where !ReaderCover.isOpaque(masked):
            let outcome = TrackTextCheck.outcome(Array(masked), track: track)
            // A payment card's track, or a licence's, is of a known coding: that byte is broken, and the text may be covered.
            guard case .read = outcome, track == 3 || !ReaderCover.isOfCoveredKind(masked) else {
                return .encrypted(masked: ReaderCover.opaque(masked))
            }
            return outcome
        case .other, .reserved, .blank, .undetermined, .none:
            return .encrypted(masked: ReaderCover.opaque(masked))
        }
    }

    /// Property 34: what stands in the masked texts' place is a licence's own, beside the ciphertext or without one.
    private var isLicenceInClear: Bool {
        guard MagTekEncodeType(byte(.encodeType)) == .aamva else { return false }
        return ReaderCover.isLicenceInClear(
            MagTekTrackFields.all.map { track in
                byte(track.status) == 0 ? masked(track).map(Array.init) ?? [] : []
            })
    }

    private func encryption(_ fields: [MagTekTrackFields], status: MagTekEncryptionStatus?) -> SwipeEncryption
    {
        let tracks = fields.compactMap { track -> SwipeEncryption.Track? in
            let length = byte(track.length)
            guard byte(track.status) == 0, length > 0, isCiphertext(track, length: length),
                let data = prefix(track.data, length: length)
            else { return nil }
            let clear = byte(track.clearLength)
            let hashes = track.number == 2 ? hashesOfTrack2 : []
            return SwipeEncryption.Track(
                track: track.number, ciphertext: Array(data), clearLength: clear == 0 ? nil : clear,
                hash: hashes.first, sha1Hash: hashes.count > 1 ? hashes.last : nil)
        }
        var encryption = SwipeEncryption(
            scheme: "dukpt-tdes", keySerialNumber: Array(self[.keySerialNumber] ?? []), tracks: tracks,
            magnePrint: magnePrintData, session: self[.session].map(Array.init), counter: counter,
            keyVariant: status?.keyVariant)
        encryption.readerStatus = (status?.words ?? []) + (isMagnePrintTooLong ? ["magneprint_too_long"] : [])
        encryption.compare(with: sentTracks)
        return encryption
    }

    /// The hashes of track 2 that the reader filled in, SHA-256 before SHA-1. Which bytes they cover is not published, so that neither
    /// follows from the other: who keeps one of them for comparison needs that one.
    private var hashesOfTrack2: [[UInt8]] {
        [MagTekField.hash256, .hash1].compactMap { field in
            self[field].flatMap { $0.contains { $0 != 0 } ? Array($0) : nil }
        }
    }

    /// A length that its field cannot hold: which bytes are the MagnePrint's is not known then.
    private var isMagnePrintTooLong: Bool {
        self[.magnePrint] != nil && prefix(.magnePrint, length: byte(.magnePrintLength)) == nil
    }

    private var magnePrintData: SwipeEncryption.MagnePrint? {
        guard let data = prefix(.magnePrint, length: byte(.magnePrintLength)), !data.isEmpty else {
            return nil
        }
        let serial = self[.magnePrintKeySerialNumber].flatMap { $0.contains { $0 != 0 } ? Array($0) : nil }
        return SwipeEncryption.MagnePrint(
            status: magnePrintStatus, ciphertext: Array(data), keySerialNumber: serial)
    }
}

/// The fields that belong to one track.
package struct MagTekTrackFields: Sendable {
    var number: Int
    package var status: MagTekField
    package var length: MagTekField
    var data: MagTekField
    var maskedLength: MagTekField
    var masked: MagTekField
    var clearLength: MagTekField

    package static let all = [
        Self(
            number: 1, status: .decodeStatus1, length: .length1, data: .data1, maskedLength: .maskedLength1,
            masked: .masked1, clearLength: .clearLength1),
        Self(
            number: 2, status: .decodeStatus2, length: .length2, data: .data2, maskedLength: .maskedLength2,
            masked: .masked2, clearLength: .clearLength2),
        Self(
            number: 3, status: .decodeStatus3, length: .length3, data: .data3, maskedLength: .maskedLength3,
            masked: .masked3, clearLength: .clearLength3),
    ]
}

/// Bits of the MagnePrint status (99875475, "MagnePrint status").
enum MagnePrintStatus {
    static let capable: UInt32 = 1 << 0
    static let tooNoisy: UInt32 = 1 << 17
    static let tooSlow: UInt32 = 1 << 18
    static let tooFast: UInt32 = 1 << 19
    static let backward: UInt32 = 1 << 21

    /// What they tell of the swipe; a reader without MagnePrint has none of them.
    static func quality(_ status: UInt32) -> SwipeQuality {
        var quality = SwipeQuality(hint: hint(status))
        if status & capable != 0 { quality.direction = status & backward == 0 ? .forward : .backward }
        return quality
    }

    private static func hint(_ status: UInt32) -> SwipeHint? {
        if status & tooSlow != 0 { return .tooSlow }
        if status & tooFast != 0 { return .tooFast }
        return status & tooNoisy != 0 ? .noisy : nil
    }
}

/// What coding the reader found on the card.
enum MagTekEncodeType: Sendable, Hashable {
    case iso, aamva, reserved, blank, other, undetermined, none

    /// Numbers above the documented ones mean a coding that the manual does not know.
    init(_ number: Int) {
        switch number {
        case 0: self = .iso
        case 1: self = .aamva
        case 2: self = .reserved
        case 3: self = .blank
        case 5: self = .undetermined
        case 6: self = .none
        default: self = .other
        }
    }

    var coding: CardCoding? {
        switch self {
        case .iso: .iso
        case .aamva: .aamva
        case .reserved, .blank, .other, .undetermined, .none: nil
        }
    }
}
