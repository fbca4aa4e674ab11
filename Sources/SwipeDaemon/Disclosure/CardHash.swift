import CNettle
import CardData
import Glibc
import ReaderKit
import ServiceSupport

/// A card's hash under a key of this fleet's own: HMAC-SHA-256 (RFC 2104), by libnettle. Who has the key can tell whether a number that
/// is known is this card's; who has not can tell that two swipes are of one card, and try no numbers.
struct CardHash: Sendable {
    /// Why there is none.
    enum Fault: Error, Sendable, Hashable {
        case unreadable(String)
        case short(String)
    }

    private let key: SensitiveText
    /// Names the key: a hash of another one is told apart.
    private let name: [UInt8]

    /// What a key has at least; RFC 2104, 3: as many as the hash.
    static let minimumKey = 32
    private static let maximumKey = 4_096
    private static let nameLength = 4

    init(key: [UInt8]) throws(Fault) { try self.init(key: key, path: "the key") }

    /// - Parameter path: of a file whose bytes are the key, all of them.
    init(path: String) throws(Fault) {
        guard let bytes = FileContent.read(path, maximumBytes: Self.maximumKey) else {
            throw .unreadable(path)
        }
        try self.init(key: bytes, path: path)
    }

    private init(key: [UInt8], path: String) throws(Fault) {
        guard key.count >= Self.minimumKey else { throw .short(path) }
        self.key = SensitiveText(utf8: key)
        name = Array(Self.code(self.key, [Array("swiped key name".utf8)]).prefix(Self.nameLength))
    }

    /// `NAME-HASH`, in hexadecimal; nil where nothing of the card is known that tells it from others.
    func text(of swipe: Swipe) -> String? {
        guard let parts = Self.identity(of: swipe) else { return nil }
        return Self.hexadecimal(name) + "-" + Self.hexadecimal(Self.code(key, parts))
    }

    /// What tells a card from others, with what it is in front: a licence's number is never a payment card's.
    private static func identity(of swipe: Swipe) -> [[UInt8]]? {
        switch swipe.card {
        case .payment(let card):
            return card.pan.reveal().map { [Array("number:".utf8), Array($0.utf8)] }
        case .licence(let licence):
            guard let number = licence.number, swipe.encryption == nil else { return nil }
            return [Array("licence:\(licence.issuer ?? ""):".utf8), number.revealBytes()]
        case .jis2(let card):
            return swipe.encryption == nil ? [Array("jis2:".utf8), card.data.revealBytes()] : nil
        case .other:
            // What a reader covered could be anybody's.
            guard swipe.encryption == nil else { return nil }
            return [2, 1, 3].lazy.compactMap { track -> [[UInt8]]? in
                let text = swipe.tracks.first { $0.track == track }?.text?.revealBytes()
                guard let text, !text.contains(UInt8(ascii: "*")) else { return nil }
                return [Array("track\(track):".utf8), text]
            }.first
        case .none: return nil
        }
    }

    private static func code(_ key: SensitiveText, _ parts: [[UInt8]]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        defer {
            withUnsafeMutableBytes(of: &context) { bytes in
                if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
            }
        }
        key.withRevealedBytes { nettle_hmac_sha256_set_key(&context, $0.count, $0.baseAddress) }
        for part in parts { nettle_hmac_sha256_update(&context, part.count, part) }
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        nettle_hmac_sha256_digest(&context, digest.count, &digest)
        return digest
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
