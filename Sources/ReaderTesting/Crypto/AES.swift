/// AES (FIPS 197) without tables, to prove test vectors. Test support only.
package struct AES: Sendable {
    private let roundKeys: [[UInt8]]

    /// - Parameter key: 16, 24 or 32 bytes.
    package init(key: [UInt8]) {
        let words = key.count / 4
        var expanded = stride(from: 0, to: key.count, by: 4).map { Array(key[$0..<($0 + 4)]) }
        var constant: UInt8 = 1
        for index in words..<(4 * (words + 7)) {
            var word = expanded[index - 1]
            if index % words == 0 {
                word = (word.dropFirst() + word.prefix(1)).map(Self.substitute)
                word[0] ^= constant
                constant = Self.double(constant)
            } else if words > 6, index % words == 4 {
                word = word.map(Self.substitute)
            }
            expanded.append(zip(expanded[index - words], word).map(^))
        }
        roundKeys = stride(from: 0, to: expanded.count, by: 4).map { expanded[$0..<($0 + 4)].flatMap(\.self) }
    }

    package func encrypt(_ block: [UInt8]) -> [UInt8] {
        var state = zip(block, roundKeys[0]).map(^)
        for round in 1..<roundKeys.count {
            // Substitute and shift rows: byte at column c, row r comes from column c + r.
            state = (0..<16).map { Self.substitute(state[($0 + 4 * ($0 % 4)) % 16]) }
            if round < roundKeys.count - 1 { state = Self.mixColumns(state) }
            state = zip(state, roundKeys[round]).map(^)
        }
        return state
    }

    private static func mixColumns(_ state: [UInt8]) -> [UInt8] {
        (0..<16).map { index in
            let column = index / 4 * 4
            let row = index % 4
            let next = (0..<4).map { state[column + (row + $0) % 4] }
            return double(next[0]) ^ double(next[1]) ^ next[1] ^ next[2] ^ next[3]
        }
    }

    /// Times x in GF(2^8) with the polynomial 0x11B.
    private static func double(_ value: UInt8) -> UInt8 { value << 1 ^ (value & 0x80 != 0 ? 0x1B : 0) }

    private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (product, factor, rest) = (UInt8(0), left, right)
        while rest != 0 {
            if rest & 1 != 0 { product ^= factor }
            factor = double(factor)
            rest >>= 1
        }
        return product
    }

    /// The inverse (the 254th power), then the affine map.
    private static let box: [UInt8] = (0...255).map { value in
        let byte = UInt8(value)
        let inverse = (1..<254).reduce(byte) { power, _ in multiply(power, byte) }
        return (1...4).reduce(inverse ^ 0x63) { $0 ^ (inverse << $1 | inverse >> (8 - $1)) }
    }

    private static func substitute(_ byte: UInt8) -> UInt8 { box[Int(byte)] }
}
