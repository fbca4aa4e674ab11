import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Published test keys, and what they open.
enum TestKeys {
    static let baseKey = "0123456789ABCDEFFEDCBA9876543210"

    /// The clear text of one ciphertext of a swipe.
    static func clear(_ encryption: SwipeEncryption, track: Int, _ variant: DUKPT.Variant) throws -> String {
        let part = try #require(encryption.tracks.first { $0.track == track })
        let keys = DUKPT(
            baseKey: try #require(Hex.bytes(baseKey)), keySerialNumber: encryption.keySerialNumber)
        let bytes = TripleDES(key: keys.key(variant)).decryptCBC(part.ciphertext)
        return String(decoding: bytes.prefix(part.clearLength ?? bytes.count), as: UTF8.self)
    }
}
