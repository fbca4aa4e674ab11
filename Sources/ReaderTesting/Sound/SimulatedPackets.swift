import AudioReaders

/// Packets such as readers on a headset jack send, each another one, all with right check bytes.
package enum SimulatedPackets {
    /// A swipe of a UniMag or Shuttle: two tracks, masked and encrypted, after the UniMag II manual. The masked texts are
    /// of a published test card; what is encrypted is noise.
    package static func uniMag(_ generator: inout SeededGenerator) -> [UInt8] {
        let track1 = Array("%*4266********9999^TEST/UNIMAG^**********************?*".utf8)
        let track2 = Array(";4266********9999=***************?*".utf8)
        var data: [UInt8] = [
            0x80, 0x1F, UInt8(track1.count), UInt8(track2.count), 0, 0x83, 0x83,
        ]
        data += track1 + track2
        data += noise(56 + 40, &generator)
        data += Array("0000012345".utf8)
        data += [0x62, 0x99, 0x49, 0x01, 0x19, 0x00, 0x00] + noise(3, &generator)
        return [0x02, UInt8(data.count & 0xFF), UInt8(data.count >> 8)] + data
            + [data.reduce(0, ^), data.reduce(0, &+), 0x03]
    }

    /// A swipe of an IPS reader.
    package static func ips(_ generator: inout SeededGenerator) -> [UInt8] {
        var packet: [UInt8] = [0x60, 0x01, 0x00, 0xFE, 16, 0x42, 0x66, 0x84, 0x99, 0x99, 0x08, 0x09]
        packet += Array("TEST/IPS                  ".utf8)
        packet += [0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10] + noise(3, &generator)
        packet += noise(80, &generator)
        packet += [0x03, UInt8(truncatingIfNeeded: generator.next())]
        return packet + [IPSChecksum.value(of: packet)]
    }

    /// A card that the IPS reader could not read.
    package static let ipsBadSwipe: [UInt8] = {
        let packet: [UInt8] = [0x66, 0x00, 0x01, 0x00, 0x00]
        return packet + [IPSChecksum.value(of: packet)]
    }()

    private static func noise(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}
