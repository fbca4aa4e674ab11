/// Derived unique key per transaction with triple DES (ANSI X9.24-1:2009), to prove test vectors. Test support only.
package struct DUKPT: Sendable {
    /// What a key is for.
    package enum Variant: Sendable {
        case pin, macRequest, macResponse, dataRequest, dataResponse

        var mask: [UInt8] {
            switch self {
            case .pin: [0, 0, 0, 0, 0, 0, 0, 0xFF]
            case .macRequest: [0, 0, 0, 0, 0, 0, 0xFF, 0]
            case .macResponse: [0, 0, 0, 0, 0xFF, 0, 0, 0]
            case .dataRequest: [0, 0, 0, 0, 0, 0xFF, 0, 0]
            case .dataResponse: [0, 0, 0, 0xFF, 0, 0, 0, 0]
            }
        }

        /// Data keys are encrypted under themselves.
        var isDataKey: Bool {
            switch self {
            case .dataRequest, .dataResponse: true
            case .pin, .macRequest, .macResponse: false
            }
        }
    }

    private static let halfMask: [UInt8] = [0xC0, 0xC0, 0xC0, 0xC0, 0, 0, 0, 0]
    private static let counterMask: UInt64 = 0x1F_FFFF
    private static let counterBits = 21

    /// The key of a transaction.
    package let key: [UInt8]
    package let initialKey: [UInt8]

    /// - Parameters:
    ///   - baseKey: sixteen bytes.
    ///   - keySerialNumber: ten bytes.
    package init(baseKey: [UInt8], keySerialNumber: [UInt8]) {
        initialKey = Self.initialKey(baseKey, keySerialNumber)
        let low = DES.number(keySerialNumber.suffix(8))
        var register = low & ~Self.counterMask
        var current = initialKey
        for bit in (0..<Self.counterBits).reversed() where low & (1 << UInt64(bit)) != 0 {
            register |= 1 << UInt64(bit)
            let right = Self.step(current, register)
            let left = Self.step(Self.xor(current, Self.halfMask + Self.halfMask), register)
            current = left + right
        }
        key = current
    }

    /// The working key for a use.
    package func key(_ variant: Variant) -> [UInt8] {
        let varied = Self.xor(key, variant.mask + variant.mask)
        guard variant.isDataKey else { return varied }
        let cipher = TripleDES(key: varied)
        return cipher.encrypt(varied.prefix(8)) + cipher.encrypt(varied.suffix(8))
    }

    private static func initialKey(_ baseKey: [UInt8], _ keySerialNumber: [UInt8]) -> [UInt8] {
        var block = Array(keySerialNumber.prefix(8))
        block[7] &= 0xE0
        return TripleDES(key: baseKey).encrypt(block)
            + TripleDES(key: xor(baseKey, halfMask + halfMask)).encrypt(block)
    }

    /// The non-reversible step.
    private static func step(_ key: [UInt8], _ register: UInt64) -> [UInt8] {
        let right = Array(key.suffix(8))
        return xor(DES(key: key.prefix(8)).encrypt(xor(DES.bytes(register), right)), right)
    }

    static func xor(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map(^) }
}

/// The same with AES (ANSI X9.24-3:2017).
package struct AESDUKPT: Sendable {
    package enum Usage: UInt16, Sendable {
        case pin = 0x1000
        case macGeneration = 0x2000
        case macVerification = 0x2001
        case macBoth = 0x2002
        case dataEncryption = 0x3000
        case dataDecryption = 0x3001
        case dataBoth = 0x3002
        case derivation = 0x8000
        case initialKey = 0x8001
    }

    package let initialKey: [UInt8]
    /// The key of the transaction, from which working keys are derived.
    package let transactionKey: [UInt8]
    private let keyID: [UInt8]
    private let counter: UInt32

    /// - Parameters:
    ///   - baseKey: 16, 24 or 32 bytes.
    ///   - keySerialNumber: twelve bytes.
    package init(baseKey: [UInt8], keySerialNumber: [UInt8]) {
        keyID = Array(keySerialNumber.prefix(8))
        counter = keySerialNumber.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        initialKey = Self.derive(baseKey, .initialKey, keyID, length: baseKey.count)
        var register: UInt32 = 0
        var current = initialKey
        for bit in (0..<32).reversed() where counter & (1 << UInt32(bit)) != 0 {
            register |= 1 << UInt32(bit)
            current = Self.derive(
                current, .derivation, Self.context(keyID, register), length: baseKey.count)
        }
        transactionKey = current
    }

    /// The working key for a use.
    package func key(_ usage: Usage) -> [UInt8] {
        Self.derive(transactionKey, usage, Self.context(keyID, counter), length: transactionKey.count)
    }

    private static func context(_ keyID: [UInt8], _ counter: UInt32) -> [UInt8] {
        Array(keyID.suffix(4)) + (0..<4).map { UInt8(truncatingIfNeeded: counter >> UInt32(24 - 8 * $0)) }
    }

    private static func derive(_ key: [UInt8], _ usage: Usage, _ context: [UInt8], length: Int) -> [UInt8] {
        let algorithm: UInt8 = length == 16 ? 2 : length == 24 ? 3 : 4
        let bits = UInt16(length * 8)
        let cipher = AES(key: key)
        let tail: [UInt8] = [0, algorithm, UInt8(bits >> 8), UInt8(bits & 0xFF)] + context
        let usageBytes = [UInt8(usage.rawValue >> 8), UInt8(usage.rawValue & 0xFF)]
        var blocks: [UInt8] = []
        for block in 1...((length + 15) / 16) {
            let head: [UInt8] = [1, UInt8(block)]
            blocks += cipher.encrypt(head + usageBytes + tail)
        }
        return Array(blocks.prefix(length))
    }
}
