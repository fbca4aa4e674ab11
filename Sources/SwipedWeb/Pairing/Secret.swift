internal import CCrypt
internal import Glibc

/// Words that cannot be guessed, and what is kept of them.
enum Secret {
    /// 256 bits.
    private static let bytes = 32
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// 43 characters of an alphabet that needs no quoting anywhere.
    static func make() -> String { word(bytes * 8 / 6 + 1) }

    /// A short one, as a name.
    static func name() -> String { word(8).replacing("-", with: "a").replacing("_", with: "b") }

    private static func word(_ length: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        let characters = (0..<length).map { _ in
            alphabet[Int(generator.next(upperBound: UInt64(alphabet.count)))]
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// What is kept of a secret: SHA-256 with a salt, by the system's own crypt(5). The secret has 256 random bits, so the
    /// fewest rounds do. Nil where the system's libcrypt does not know the method.
    static func hash(_ secret: String) -> String? {
        guard let setting = crypt_gensalt_ra("$5$", 1_000, nil, 0) else { return nil }
        defer { free(setting) }
        return hash(secret, setting: String(cString: setting))
    }

    static func matches(_ secret: String, _ kept: String) -> Bool {
        guard let hash = hash(secret, setting: kept) else { return false }
        return isSame(hash, kept)
    }

    private static func hash(_ secret: String, setting: String) -> String? {
        var data: UnsafeMutableRawPointer?
        var size: Int32 = 0
        defer { free(data) }
        // A star at the beginning is an error of crypt's.
        guard let result = crypt_ra(secret, setting, &data, &size), result.pointee != CChar(UInt8(ascii: "*"))
        else {
            return nil
        }
        return String(cString: result)
    }

    /// Looks at every byte, wherever they differ.
    static func isSame(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
