/// The tag in which ID TECH's readers for chip cards put the packet of a swipe (80000503-001, "TLV Tag Reference Guide").
///
///     DF EE 23 LL packet        L: one byte below 80, or 81 and one, or 82 and two, high byte first (ISO/IEC 8825-1)
package enum IDTechTags {
    private static let swipe: [UInt8] = [0xDF, 0xEE, 0x23]
    /// More swipes are in no answer and in no capture of one.
    private static let maximumPackets = 64

    /// Where the tags' packets stand, in their order. They are as long as their tags say, and nothing else is believed yet.
    package static func packets(in bytes: [UInt8]) -> [Range<Int>] {
        var packets: [Range<Int>] = []
        var place = 0
        while place + swipe.count < bytes.count, packets.count < maximumPackets {
            if bytes[place] == swipe[0], bytes[place...].starts(with: swipe),
                let value = value(in: bytes, at: place + swipe.count),
                bytes[value].first == IDTechFrame.start
            {
                packets.append(value)
                place = value.upperBound
            } else {
                place += 1
            }
        }
        return packets
    }

    /// The packet that fills a tag.
    package static func packet(
        in bytes: [UInt8], _ range: Range<Int>
    ) throws(IDTechPacket.Refusal) -> IDTechPacket {
        let frame = try IDTechFrame.binary(bytes, at: range.lowerBound)
        guard frame.endIndex == range.upperBound else { throw .leftOver }
        return try IDTechPacket(frame)
    }

    private static func value(in bytes: [UInt8], at place: Int) -> Range<Int>? {
        guard place < bytes.count else { return nil }
        let lengthBytes: Int
        switch bytes[place] {
        case 0x00..<0x80: lengthBytes = 0
        case 0x81: lengthBytes = 1
        case 0x82: lengthBytes = 2
        default: return nil
        }
        let start = place + 1 + lengthBytes
        guard start <= bytes.count else { return nil }
        let length =
            lengthBytes == 0 ? Int(bytes[place]) : bytes[(place + 1)..<start].reduce(0) { $0 << 8 | Int($1) }
        return length <= bytes.count - start ? start..<(start + length) : nil
    }
}
