/// A capture of a USB bus by tcpdump, Wireshark or USBPcap: reports are what interrupt endpoints brought.
///
///     pcap      header (24)  { seconds, fraction, captured, length (4 each), packet… }…
///     pcapng    { type, length (4 each), body…, length (4) }…
///     usbmon    id (8) 'C' (1) 01 (1) endpoint (1) device (1) bus (2) … captured (4 at 36) … , data at 48 or 64
///     USBPcap   header length (2) … info (1 at 16) … endpoint (1 at 21) 01 (1) data length (4), data
///
/// Sources: the file formats by the IETF's opsawg drafts; the link types 189, 220 and 249 by tcpdump.org. Little-endian
/// files only, which is what machines with readers write.
struct PacketCapture: Sendable {
    private static let endpointIn: UInt8 = 0x80
    private static let interrupt: UInt8 = 1
    private static let completed = UInt8(ascii: "C")

    private let bytes: [UInt8]
    private(set) var reports: [[UInt8]] = []

    /// Nil where the bytes are no such file.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        switch number(0, 4) {
        case 0xA1B2_C3D4, 0xA1B2_3C4D: readClassic()
        case 0x0A0D_0D0A: readBlocks()
        default: return nil
        }
    }

    /// What a single packet brought, header and all, as Wireshark shows it in a dump; nil where the bytes are none.
    static func report(inPacket bytes: [UInt8]) -> [UInt8]? {
        for (link, lengthPlace, header) in [(220, 36, 64), (189, 36, 48), (249, 23, 27)] {
            var capture = Self(packet: bytes)
            guard capture.number(lengthPlace, 4) == bytes.count - header else { continue }
            capture.take(0, bytes.count, link)
            if let report = capture.reports.first { return report }
        }
        return nil
    }

    private init(packet bytes: [UInt8]) { self.bytes = bytes }

    private mutating func readClassic() {
        guard let link = number(20, 2) else { return }
        var place = 24
        while let captured = number(place + 8, 4), place + 16 + captured <= bytes.count {
            take(place + 16, captured, link)
            place += 16 + captured
        }
    }

    private mutating func readBlocks() {
        var links: [Int] = []
        var place = 0
        while let type = number(place, 4), let length = number(place + 4, 4), length >= 12,
            place + length <= bytes.count
        {
            if type == 1, let link = number(place + 8, 2) { links.append(link) }
            if type == 6, let interface = number(place + 8, 4), links.indices.contains(interface),
                let captured = number(place + 20, 4), captured + 32 <= length
            {
                take(place + 28, captured, links[interface])
            }
            place += length
        }
    }

    private mutating func take(_ start: Int, _ count: Int, _ link: Int) {
        let end = start + count
        let data: Int
        switch link {
        case 189, 220:
            data = start + (link == 189 ? 48 : 64)
            guard data < end, bytes[start + 8] == Self.completed, bytes[start + 9] == Self.interrupt,
                bytes[start + 10] & Self.endpointIn != 0
            else { return }
        case 249:
            guard count > 27, let header = number(start, 2), header >= 27, start + header < end,
                bytes[start + 16] & 1 != 0, bytes[start + 21] & Self.endpointIn != 0,
                bytes[start + 22] == Self.interrupt
            else { return }
            data = start + header
        case _: return
        }
        reports.append(Array(bytes[data..<end]))
    }

    private func number(_ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place + count <= bytes.count else { return nil }
        return bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
