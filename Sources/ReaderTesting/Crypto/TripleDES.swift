/// Two-key triple DES, to prove test vectors.
package struct TripleDES: Sendable {
    package static let blockBytes = 8
    private let first: DES
    private let second: DES

    /// - Parameter key: sixteen bytes.
    package init(key: some Collection<UInt8>) {
        first = DES(key: key.prefix(8))
        second = DES(key: key.dropFirst(8))
    }

    package func encrypt(_ block: some Collection<UInt8>) -> [UInt8] {
        first.encrypt(second.decrypt(first.encrypt(block)))
    }

    package func decrypt(_ block: some Collection<UInt8>) -> [UInt8] {
        first.decrypt(second.encrypt(first.decrypt(block)))
    }

    /// Cipher block chaining; whole blocks only.
    package func decryptCBC(_ bytes: [UInt8], vector: [UInt8] = Array(repeating: 0, count: 8)) -> [UInt8] {
        var previous = vector
        var clear: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: Self.blockBytes) {
            let block = Array(bytes[start...].prefix(Self.blockBytes))
            clear += zip(decrypt(block), previous).map(^)
            previous = block
        }
        return clear
    }

    /// The retail MAC (ANSI X9.19): single DES in a chain, the last block with both keys.
    package func retailMAC(_ bytes: [UInt8]) -> [UInt8] {
        var state = Array(repeating: UInt8(0), count: Self.blockBytes)
        for start in stride(from: 0, to: bytes.count, by: Self.blockBytes) {
            let block = bytes[start...].prefix(Self.blockBytes)
            let padded = block + Array(repeating: 0, count: Self.blockBytes - block.count)
            state = first.encrypt(zip(state, padded).map(^))
        }
        return first.encrypt(second.decrypt(state))
    }
}
