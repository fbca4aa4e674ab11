import ReaderPackets

/// Swipes in the tags of ID TECH's readers for chip cards, alone or in the maker's frame.
///
///     "ViVOtech2" 00 CC SS LL LL data… KK KK        L: length of the data, high byte first · K: CRC of everything before it
///
/// Source: SREDKey 2 manual 80172501, "IDG protocol". Answers have their CRC high byte first, commands low byte first.
enum TaggedCapture {
    private static let head = Array("ViVOtech2\0".utf8)
    private static let lengthPlace = 12
    private static let dataPlace = 14

    /// Nil where no tag holds a swipe.
    static func outcomes(in bytes: [UInt8]) -> [HIDCapture.Outcome]? {
        let tags = IDTechTags.packets(in: bytes)
        guard !tags.isEmpty else { return nil }
        guard isRight(bytes) else { return [.failure(.malformed(.idTechPacket, "frame's CRC is wrong"))] }
        return tags.map { range -> HIDCapture.Outcome in
            do throws(IDTechPacket.Refusal) {
                return .success(ByteCapture.found(try IDTechTags.packet(in: bytes, range), .idTechPacket))
            } catch {
                return .failure(.malformed(.idTechPacket, error.rawValue))
            }
        }
    }

    /// Whether the frame, where there is one, is whole.
    private static func isRight(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: head) else { return true }
        guard bytes.count >= dataPlace + 2 else { return false }
        let length = Int(bytes[lengthPlace]) << 8 | Int(bytes[lengthPlace + 1])
        let end = dataPlace + length
        guard bytes.count >= end + 2 else { return false }
        let sum = CRC16.of(bytes[..<end])
        let high = UInt16(bytes[end]) << 8 | UInt16(bytes[end + 1])
        return (sum == high || sum.byteSwapped == high) && bytes[(end + 2)...].allSatisfy { $0 == 0 }
    }
}
