import CardData
package import ReaderKit
import ReaderPackets

/// A swipe from an iDynamo 5 Gen III: text that comes in packets, fields parted by `|`. [1 source: the maker's web client]
///
///     M001 | MASK1 | MASK2 | MASK3 | T1 | T2 | T3 | MPSTAT | MP | SESSION | KSN | KEYINFO | MPKSN | MPKEYINFO | SERIAL |
///     MACKEYINFO | MACLENGTH | MAC [CR]
///
/// All but the masked tracks and the serial number are hex. Messages Q001 to Q003 carry tokens, not swipes.
package struct Gen3Message: Sendable {
    static let maximumFields = 32
    private static let swipeFields = 15
    /// TDES keys and AES keys.
    fileprivate static let keySerialNumberBytes = [10, 12]

    package enum Refusal: Error, Sendable, Hashable {
        case notASwipe(String)
        case fieldCount(Int)
        case notHex(field: String)
        case noKeySerialNumber

        package var sentence: String {
            switch self {
            case .notASwipe(let kind): "message \(kind), which is not a swipe"
            case .fieldCount(let count): "message of \(count) fields"
            case .notHex(let field): "message's \(field) is not pairs of hex digits"
            case .noKeySerialNumber:
                "message with a ciphertext and no KSN of \(Gen3Message.keySerialNumberBytes) bytes"
            }
        }
    }

    package let swipe: Swipe
    package let serial: String?

    package init(_ characters: [UInt8]) throws(Refusal) {
        let text = characters.prefix { $0 != 0x0D && $0 != 0 }
        let fields = text.split(
            separator: UInt8(ascii: "|"), maxSplits: Self.maximumFields, omittingEmptySubsequences: false)
        let kind = fields.first ?? []
        guard kind.elementsEqual("M001".utf8) else {
            let name = kind.count == 4 ? MagTekText.ended(kind) : nil
            throw .notASwipe(name ?? "of unknown kind")
        }
        guard fields.count >= Self.swipeFields else { throw .fieldCount(fields.count) }
        let sent = SentTracks(fields[1...6].map(Array.init) + fields[4...6].compactMap(HexField.bytes))
        serial = MagTekText.serial(fields[14], besides: sent)
        let keySerialNumber = try Self.hex(fields[10], "KSN")
        let isEncrypted = fields[4...6].contains { !$0.isEmpty }
        guard !isEncrypted || Self.keySerialNumberBytes.contains(keySerialNumber.count) else {
            throw .noKeySerialNumber
        }
        let shown = ShownTracks(fields[1...3].map { Self.isErrorMark($0) ? [] : Array($0) })
        var readings: [TrackReading] = []
        var ciphertexts: [SwipeEncryption.Track] = []
        for index in 0..<3 {
            let ciphertext = try Self.hex(fields[4 + index], "track")
            let outcome =
                isEncrypted
                ? Self.outcome(fields[1 + index], ciphertext, track: index + 1, shown)
                : Self.clear(fields[1 + index], track: index + 1)
            readings.append(TrackReading(track: index + 1, outcome: outcome))
            if case .encrypted = outcome {
                ciphertexts.append(SwipeEncryption.Track(track: index + 1, ciphertext: ciphertext))
            }
        }
        var encryption = isEncrypted ? try Self.encryption(fields, keySerialNumber, ciphertexts) : nil
        encryption?.compare(with: sent)
        swipe = Swipe(
            tracks: readings, card: Card.recognise(readings, coding: isEncrypted ? shown.coding : nil),
            encryption: encryption)
    }

    private static func outcome(
        _ field: ArraySlice<UInt8>, _ ciphertext: [UInt8], track: Int, _ shown: ShownTracks
    ) -> TrackOutcome {
        if isErrorMark(field) { return .refused(.malformed) }
        guard !ciphertext.isEmpty else {
            if shown.isInClear(track) { return shown.outcome(track) }
            return field.isEmpty ? .empty : .refused(.malformed)
        }
        guard ciphertext.count.isMultiple(of: MagTekReport.blockBytes) else { return .refused(.malformed) }
        return shown.outcome(track)
    }

    private static func isErrorMark(_ field: ArraySlice<UInt8>) -> Bool {
        field.count == 3 && field.dropFirst().first == UInt8(ascii: "E")
    }

    /// ASSUMPTION: without any ciphertext the tracks are in clear, as in level 2 of the older readers.
    ///
    /// Text in the masked track's place that a reader has covered is no text in clear, whatever has become of the ciphertext.
    private static func clear(_ shown: ArraySlice<UInt8>, track: Int) -> TrackOutcome {
        guard !shown.isEmpty else { return .empty }
        guard !isErrorMark(shown) else { return .refused(.malformed) }
        let outcome = TrackTextCheck.outcome(Array(shown), track: track)
        let text = TrackTextCheck.withUsualSentinel(Array(shown))
        guard case .read = outcome,
            ReaderCover.checked(text, track: track) == String(decoding: text, as: UTF8.self)
        else { return outcome }
        return .refused(.malformed)
    }

    private static func encryption(
        _ fields: [ArraySlice<UInt8>], _ keySerialNumber: [UInt8], _ tracks: [SwipeEncryption.Track]
    ) throws(Refusal) -> SwipeEncryption {
        let keyInfo = try hex(fields[11], "key information")
        let session = try hex(fields[9], "session id")
        let status = try hex(fields[7], "MagnePrint status")
        let magnePrint = try hex(fields[8], "MagnePrint")
        let magnePrintKey = try hex(fields[12], "MagnePrint KSN")
        var encryption = SwipeEncryption(
            scheme: keyInfo.first == 0xFF || keySerialNumber.count == 10 ? "dukpt-tdes" : "dukpt-aes",
            keySerialNumber: keySerialNumber, tracks: tracks,
            magnePrint: magnePrint.isEmpty || status.count != 4
                ? nil
                : SwipeEncryption.MagnePrint(
                    status: status.reversed().reduce(0) { $0 << 8 | UInt32($1) }, ciphertext: magnePrint,
                    keySerialNumber: magnePrintKey.isEmpty ? nil : magnePrintKey),
            session: session.isEmpty ? nil : session,
            // FF00: the PIN variant of old; what names neither is taken for a data key.
            keyVariant: keyInfo == Self.pinKey ? .pin : .data)
        encryption.isKeyVariantAssumed = keyInfo != Self.pinKey && !Self.dataKeys.contains(keyInfo)
        return encryption
    }

    private static let pinKey: [UInt8] = [0xFF, 0x00]
    /// The data variant of old, and what AES DUKPT derives data keys for (ANSI X9.24-3).
    private static let dataKeys: [[UInt8]] = [[0xFF, 0x02], [0x30, 0x00], [0x30, 0x01], [0x30, 0x02]]

    private static func hex(_ field: ArraySlice<UInt8>, _ name: String) throws(Refusal) -> [UInt8] {
        guard let bytes = HexField.bytes(field) else { throw .notHex(field: name) }
        return bytes
    }
}
