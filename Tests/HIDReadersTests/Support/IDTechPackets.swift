import CardData
import FoundationEssentials
import ReaderKit
import ReaderPackets
import ReaderTesting

@testable import HIDReaders

/// Packets of ID TECH's readers, put together for a test.
enum IDTechPackets {
    /// A frame around card data.
    static func frame(_ data: [UInt8]) -> [UInt8] {
        [0x02, UInt8(data.count & 0xFF), UInt8(data.count >> 8)] + data
            + [data.reduce(0, ^), data.reduce(0, &+), 0x03]
    }

    static let track1 = Array("%B4266841088889999^BUSH JR/GEORGE W.MR^0809101100001100000000046000000?!".utf8)

    static let track2 = Array(";4266841088889999=080910110000046?0".utf8)

    static func original(cipher: [UInt8], hashes: Int = 2, session: Bool = false) -> [UInt8] {
        let parts: [[UInt8]] = [
            [0x00, 0x1F, UInt8(track1.count), UInt8(track2.count), 0],
            Array(repeating: UInt8(ascii: "*"), count: 107), cipher,
            Array(repeating: 7, count: session ? 8 : 0),
            Array(repeating: 5, count: hashes * 20), Array(repeating: 9, count: 10),
        ]
        return frame(parts.flatMap(\.self))
    }

    /// Masked tracks of so many characters, a ciphertext, and what may stand behind it.
    static func original(clear: Int, cipher: Int, session: Int = 0) -> [UInt8] {
        var data: [UInt8] = [0x00, 0x1F, UInt8(clear - 30), 30, 0]
        data += Array(repeating: UInt8(ascii: "*"), count: clear)
        data += (0..<cipher).map { UInt8($0) }
        data += Array(repeating: 7, count: session)
        data += Array(repeating: 5, count: 40)
        data += Array(repeating: 9, count: 10)
        return frame(data)
    }
}
