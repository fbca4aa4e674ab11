/// The frame around a packet's card data.
///
///     binary   02 LL HH data… LRC SUM 03
///     typed    "02" "LLHH" characters… "RR" "SS" "03"       all hex digits but the masked tracks
///
/// L, H: length of the data, low byte first; in typed form, of its characters · LRC: XOR of the data · SUM: sum of the
/// data, both over characters in typed form
package struct IDTechFrame: Sendable, Hashable {
    package static let start: UInt8 = 0x02
    package static let end: UInt8 = 0x03

    /// The card data.
    package var data: ArraySlice<UInt8>
    package var isTyped: Bool
    /// Where the frame ends in what it was read from.
    package var endIndex: Int

    /// Reads a binary frame that begins at `start`; what follows its end does not matter.
    package static func binary(_ bytes: [UInt8], at start: Int = 0) throws(IDTechPacket.Refusal)
        -> IDTechFrame
    {
        guard start < bytes.count, bytes[start] == Self.start else { throw .noStart }
        guard bytes.count - start >= 3 else { throw .truncated }
        let length = Int(bytes[start + 1]) | Int(bytes[start + 2]) << 8
        let dataStart = start + 3
        guard bytes.count - dataStart >= length + 3 else { throw .truncated }
        let data = bytes[dataStart..<(dataStart + length)]
        let trailer = dataStart + length
        try check(data, redundancy: bytes[trailer], sum: bytes[trailer + 1], end: bytes[trailer + 2])
        return IDTechFrame(data: data, isTyped: false, endIndex: trailer + 3)
    }

    /// Reads a typed frame that begins at `start`.
    package static func typed(_ characters: [UInt8], at start: Int = 0) throws(IDTechPacket.Refusal)
        -> IDTechFrame
    {
        guard characters.count - start >= 6 else { throw .truncated }
        guard HexField.bytes(characters[start..<(start + 2)]) == [Self.start] else { throw .noStart }
        guard let head = HexField.bytes(characters[start..<(start + 6)]) else { throw .notHex }
        let length = Int(head[1]) | Int(head[2]) << 8
        let dataStart = start + 6
        guard characters.count - dataStart >= length + 6 else { throw .truncated }
        let data = characters[dataStart..<(dataStart + length)]
        let trailer = dataStart + length
        guard let tail = HexField.bytes(characters[trailer..<(trailer + 6)]) else { throw .noEnd }
        try check(data, redundancy: tail[0], sum: tail[1], end: tail[2])
        return IDTechFrame(data: data, isTyped: true, endIndex: trailer + 6)
    }

    private static func check(
        _ data: ArraySlice<UInt8>, redundancy: UInt8, sum: UInt8, end: UInt8
    ) throws(IDTechPacket.Refusal) {
        guard end == Self.end else { throw .noEnd }
        guard data.reduce(0, ^) == redundancy else { throw .redundancy }
        guard data.reduce(0, &+) == sum else { throw .sum }
    }
}
