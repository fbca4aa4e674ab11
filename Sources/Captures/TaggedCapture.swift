import HIDReaders
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

    /// More frames are in no capture.
    private static let maximumFrames = 64

    /// Nil where no tag holds a swipe.
    static func outcomes(in bytes: [UInt8]) -> [HIDCapture.Outcome]? {
        var rest = bytes[...]
        var outcomes: [HIDCapture.Outcome] = []
        // Whole frames one after the other; what they leave is looked at as one.
        while outcomes.count < maximumFrames, let end = frameEnd(rest), end < rest.endIndex,
            rest[end...].starts(with: head), let found = swipes(in: Array(rest[..<end]))
        {
            outcomes += found
            rest = rest[end...]
        }
        guard let last = swipes(in: Array(rest)) else { return outcomes.isEmpty ? nil : outcomes }
        return outcomes + last
    }

    /// Where a frame ends by its length; nil where there is none, or not all of it.
    private static func frameEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.starts(with: head), bytes.count >= dataPlace + 2 else { return nil }
        let place = bytes.startIndex + lengthPlace
        let end = bytes.startIndex + dataPlace + (Int(bytes[place]) << 8 | Int(bytes[place + 1])) + 2
        return end <= bytes.endIndex ? end : nil
    }

    private static func swipes(in bytes: [UInt8]) -> [HIDCapture.Outcome]? {
        let tags = IDTechTags.packets(in: bytes)
        guard !tags.isEmpty else { return nil }
        if let fault = fault(of: bytes) { return [.failure(.malformed(.idTechPacket, fault.rawValue))] }
        return tags.map { range -> HIDCapture.Outcome in
            do throws(IDTechPacket.Refusal) {
                return .success(ByteCapture.found(try IDTechTags.packet(in: bytes, range), .idTechPacket))
            } catch {
                return .failure(.malformed(.idTechPacket, error.rawValue))
            }
        }
    }

    private enum Fault: String {
        case truncated = "frame is cut short"
        case checkSum = "frame's CRC is wrong"
        case leftOver = "more after the frame"
    }

    /// What is wrong with the frame, where there is one.
    private static func fault(of bytes: [UInt8]) -> Fault? {
        guard bytes.starts(with: head) else { return nil }
        guard bytes.count >= dataPlace + 2 else { return .truncated }
        let length = Int(bytes[lengthPlace]) << 8 | Int(bytes[lengthPlace + 1])
        let end = dataPlace + length
        guard bytes.count >= end + 2 else { return .truncated }
        let sum = CRC16.of(bytes[..<end])
        let high = UInt16(bytes[end]) << 8 | UInt16(bytes[end + 1])
        guard sum == high || sum.byteSwapped == high else { return .checkSum }
        return bytes[(end + 2)...].allSatisfy { $0 == 0 } ? nil : .leftOver
    }
}
