import ReaderPackets

/// A packet as ID TECH's tools and the pages of processors show it: the masked tracks as text, the rest as hex, with the
/// length and the check bytes of the binary packet.
///
///     02 3201 80 1F 4F 28 00 A3 9B %*4761…?*;4761…?*38047053…
enum ShownPacket {
    /// Bytes of a packet up to its texts: start, length, type, status, three lengths, and fields 8 and 9 where it is enhanced.
    private static let originalHead = 8
    private static let enhancedHead = 10

    /// The binary packet; nil where the line is nothing like it.
    static func bytes(_ line: [UInt8]) -> [UInt8]? {
        guard let start = HexField.bytes(line.prefix(2 * enhancedHead)), start.count == enhancedHead,
            start[0] == IDTechFrame.start
        else { return nil }
        let isEnhanced = start[3] & 0x80 != 0
        let head = start.prefix(isEnhanced ? enhancedHead : originalHead)
        let sent = isEnhanced ? start[8] : 0x07
        let textCount = (0..<3).reduce(0) { $0 + (sent & (1 << $1) == 0 ? 0 : Int(start[5 + $1])) }
        let rest = line.dropFirst(2 * head.count)
        guard rest.count >= textCount, let tail = HexField.bytes(rest.dropFirst(textCount)) else {
            return nil
        }
        var packet = Array(head)
        packet += rest.prefix(textCount)
        packet += tail
        return packet
    }
}
