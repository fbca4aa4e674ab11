/// DES (FIPS 46-3), to prove test vectors. Test support only: the daemon never decrypts, and this makes no attempt to
/// be fast or constant in time.
package struct DES: Sendable {
    private let roundKeys: [UInt64]

    /// - Parameter key: eight bytes; the parity bits do not matter.
    package init(key: some Collection<UInt8>) {
        let bits = Self.permute(Self.number(key), Self.permutedChoice1, width: 64)
        var left = bits >> 28
        var right = bits & 0xFFF_FFFF
        var keys: [UInt64] = []
        for shift in Self.shifts {
            left = (left << shift | left >> (28 - shift)) & 0xFFF_FFFF
            right = (right << shift | right >> (28 - shift)) & 0xFFF_FFFF
            keys.append(Self.permute(left << 28 | right, Self.permutedChoice2, width: 56))
        }
        roundKeys = keys
    }

    package func encrypt(_ block: some Collection<UInt8>) -> [UInt8] { crypt(block, roundKeys) }
    package func decrypt(_ block: some Collection<UInt8>) -> [UInt8] { crypt(block, roundKeys.reversed()) }

    private func crypt(_ block: some Collection<UInt8>, _ keys: [UInt64]) -> [UInt8] {
        let bits = Self.permute(Self.number(block), Self.initialPermutation, width: 64)
        var left = bits >> 32
        var right = bits & 0xFFFF_FFFF
        for key in keys { (left, right) = (right, left ^ Self.feistel(right, key)) }
        return Self.bytes(Self.permute(right << 32 | left, Self.finalPermutation, width: 64))
    }

    private static func feistel(_ half: UInt64, _ key: UInt64) -> UInt64 {
        let mixed = permute(half, expansion, width: 32) ^ key
        var output: UInt64 = 0
        for box in 0..<8 {
            let six = Int(mixed >> UInt64(42 - 6 * box) & 0x3F)
            let row = (six >> 4 & 2) | (six & 1)
            output = output << 4 | UInt64(substitution[box][row * 16 + (six >> 1 & 15)])
        }
        return permute(output, permutation, width: 32)
    }

    /// Bits are numbered from 1 at the left, as the standard does.
    private static func permute(_ value: UInt64, _ table: [UInt8], width: UInt64) -> UInt64 {
        table.reduce(0) { $0 << 1 | (value >> (width - UInt64($1)) & 1) }
    }

    static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    static func bytes(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    }
}
