import CardData
import ReaderKit
import ReaderPackets

/// The fields of a full text stream, its CRC checked.
struct MagTekStreamFields: Sendable {
    let status: MagTekEncryptionStatus
    /// Three, each maybe empty.
    let tracks: [ArraySlice<UInt8>]
    let serial: ArraySlice<UInt8>
    private let magnePrintStatus: ArraySlice<UInt8>
    private let magnePrint: ArraySlice<UInt8>
    private let session: ArraySlice<UInt8>
    private let keySerialNumber: ArraySlice<UInt8>
    private let counter: ArraySlice<UInt8>
    let isChecked: Bool

    /// Fields of a stream without MagnePrint and without a counter; each of them may add its own.
    private static let leastFields = 11
    private static let magnePrintFields = 2

    init(_ characters: [UInt8], separator: UInt8) throws(MagTekStream.Refusal) {
        let fields = characters.split(separator: separator, omittingEmptySubsequences: false)
        guard (Self.leastFields...(Self.leastFields + Self.magnePrintFields + 1)).contains(fields.count)
        else {
            throw .fieldCount(fields.count)
        }
        let hasMagnePrint = fields.count >= Self.leastFields + Self.magnePrintFields
        let hasCounter = !(fields.count - Self.leastFields).isMultiple(of: 2)
        let afterTracks = 5 + (hasMagnePrint ? Self.magnePrintFields : 0)
        status = try Self.status(fields[1])
        tracks = Array(fields[2...4])
        magnePrintStatus = hasMagnePrint ? fields[5] : []
        magnePrint = hasMagnePrint ? fields[6] : []
        serial = fields[afterTracks]
        session = fields[afterTracks + 1]
        keySerialNumber = fields[afterTracks + 2]
        counter = hasCounter ? fields[afterTracks + 3] : []
        isChecked = try Self.check(fields[fields.count - 3], of: characters)
        // In clear streams too: a stream that lost its last field has others of the same number, in other places.
        _ = try hex(session, "session id", lengths: [0, 8])
        _ = try hex(keySerialNumber, "KSN", lengths: [0, 10])
        _ = try count()
    }

    private static func status(_ field: ArraySlice<UInt8>) throws(MagTekStream.Refusal)
        -> MagTekEncryptionStatus
    {
        guard let bytes = HexField.bytes(field) else { throw .notHex(field: "status") }
        guard bytes.count == 2 else { throw .wrongLength(field: "status") }
        let status = MagTekEncryptionStatus(rawValue: UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
        // Programs that make a stream out of a report keep the report's order: high byte first.
        let reversed = MagTekEncryptionStatus(rawValue: status.rawValue.byteSwapped)
        return !status.contains(.keyInjected) && reversed.contains(.keyInjected) ? reversed : status
    }

    /// Property 19 can leave the CRC out: then there is nothing to check.
    private static func check(_ field: ArraySlice<UInt8>, of characters: [UInt8]) throws(MagTekStream.Refusal)
        -> Bool
    {
        guard !field.isEmpty else { return false }
        guard let sum = HexField.bytes(field) else { throw .notHex(field: "CRC") }
        guard sum.count == 2 else { throw .wrongLength(field: "CRC") }
        guard CRC16.of(characters[..<field.startIndex]) == UInt16(sum[0]) | UInt16(sum[1]) << 8 else {
            throw .checkSum
        }
        return true
    }

    func encryption() throws(MagTekStream.Refusal) -> SwipeEncryption {
        var ciphertexts: [SwipeEncryption.Track] = []
        for (index, field) in tracks.enumerated() where !field.isEmpty {
            let bytes = try hex(field, "track")
            guard bytes.count.isMultiple(of: MagTekReport.blockBytes) else { continue }
            ciphertexts.append(SwipeEncryption.Track(track: index + 1, ciphertext: bytes))
        }
        let session = try hex(session, "session id", lengths: [0, 8])
        var encryption = SwipeEncryption(
            scheme: "dukpt-tdes", keySerialNumber: try hex(keySerialNumber, "KSN", lengths: [10]),
            tracks: ciphertexts,
            magnePrint: try magnePrintData(), session: session.isEmpty ? nil : session, counter: try count(),
            keyVariant: status.keyVariant)
        encryption.readerStatus = status.words
        return encryption
    }

    private func magnePrintData() throws(MagTekStream.Refusal) -> SwipeEncryption.MagnePrint? {
        let data = try hex(magnePrint, "MagnePrint")
        guard let bits = try magnePrintBits(), !data.isEmpty else { return nil }
        return SwipeEncryption.MagnePrint(status: bits, ciphertext: data)
    }

    /// Low byte first, as in a report.
    private func magnePrintBits() throws(MagTekStream.Refusal) -> UInt32? {
        let bytes = try hex(magnePrintStatus, "MagnePrint status", lengths: [0, 4])
        return bytes.isEmpty ? nil : bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// What the reader says of the swipe beside its tracks. In a clear stream nothing else needs that field, and no swipe is lost for it.
    var quality: SwipeQuality { MagnePrintStatus.quality((try? magnePrintBits()) ?? 0) }

    /// FFFFFF: not counted.
    private func count() throws(MagTekStream.Refusal) -> Int? {
        let bytes = try hex(counter, "counter", lengths: [0, 3])
        guard !bytes.isEmpty, bytes.contains(where: { $0 != 0xFF }) else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    private func hex(_ field: ArraySlice<UInt8>, _ name: String, lengths: Set<Int>? = nil)
        throws(MagTekStream.Refusal) -> [UInt8]
    {
        guard let bytes = HexField.bytes(field) else { throw .notHex(field: name) }
        guard lengths?.contains(bytes.count) != false else { throw .wrongLength(field: name) }
        return bytes
    }
}
