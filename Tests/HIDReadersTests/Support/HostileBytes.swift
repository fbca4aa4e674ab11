import CardData
import ReaderKit
import ReaderPackets
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// What readers make of bytes that nobody sends.
enum HostileBytes {
    static let vectors = [
        "MagTek/published/v5_hid856_level2.hex", "MagTek/generated/v5_hid887_datavariant.hex",
        "MagTek/generated/v5_hid931_datavariant.hex", "MagTek/generated/sureswipe_hid337.hex",
        "IDTech/published/enhanced_kb_uat.txt",
        "IDTech/generated/enhanced_binary_sha1.hex", "IDTech/generated/unimag2_binary.hex",
        "IDTech/assumed/hid509_enhanced.hex", "MagTek/published/stream_level2_v5.txt",
        "MagTek/published/stream_level2_custom.txt",
    ]

    static func bytes(_ path: String) throws -> [UInt8] {
        let vector = try Vector(path)
        return path.hasSuffix(".hex") ? try vector.bytes() : Array(try #require(vector.lines.first).utf8)
    }

    static func cards(_ bytes: [UInt8]) -> [Card] {
        FoundCaptures.found(bytes).compactMap(\.swipe.card)
    }

    /// Nothing that the broken card claims contradicts the whole one; it may claim less.
    static func agrees(_ card: Card, _ whole: [Card]) -> Bool {
        guard case .payment(let broken) = card, case .payment(let right)? = whole.first else {
            return card == .other
        }
        return broken.pan == right.pan && (broken.expiry == nil || broken.expiry == right.expiry)
            && (broken.serviceCode == nil || broken.serviceCode == right.serviceCode)
            && (broken.name == nil || broken.name == right.name)
    }
}
