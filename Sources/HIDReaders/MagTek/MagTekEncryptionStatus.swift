import ReaderKit

/// The reader's encryption status: two bytes, high byte first in a report (MagTek 99875475; bits 9 to 13: D998200115).
struct MagTekEncryptionStatus: OptionSet, Sendable, Hashable {
    let rawValue: UInt16

    static let keysExhausted = Self(rawValue: 1 << 0)
    static let keyInjected = Self(rawValue: 1 << 1)
    static let encryptionEnabled = Self(rawValue: 1 << 2)
    static let authenticationRequired = Self(rawValue: 1 << 3)
    static let timedOut = Self(rawValue: 1 << 4)
    static let counterExpired = Self(rawValue: 1 << 8)
    static let dataVariant = Self(rawValue: 1 << 11)

    /// Tracks are encrypted only when both are set; otherwise the "encrypted" fields hold clear text.
    var isEncrypting: Bool { isSuperset(of: [.keyInjected, .encryptionEnabled]) }

    var state: EncryptionState {
        if contains(.keysExhausted) || contains(.counterExpired) { return .keyExhausted }
        if !contains(.keyInjected) { return .noKey }
        return contains(.encryptionEnabled) ? .encrypted : .clear
    }

    /// Which working key encrypts the tracks. A reader that never sets the bit uses the PIN variant.
    var keyVariant: SwipeEncryption.KeyVariant { contains(.dataVariant) ? .data : .pin }
}
