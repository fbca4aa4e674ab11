/// The check sum of MagTek's text streams: polynomial 0x1021, begin 0xFFFF, bits not reflected, nothing added at the
/// end. (Not stated in full in the manual; three published streams agree.)
package enum CRC16 {
    package static func of(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0xFFFF) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte) << 8) { value, _ in
                value & 0x8000 != 0 ? value << 1 ^ 0x1021 : value << 1
            }
        }
    }
}
