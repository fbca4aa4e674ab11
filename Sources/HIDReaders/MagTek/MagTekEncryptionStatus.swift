import CardData
import ReaderKit

/// The reader's encryption status: two bytes, high byte first in a report (MagTek 99875475; bits 9 to 13 in newer firmware
/// alone: D998200115).
struct MagTekEncryptionStatus: OptionSet, Sendable, Hashable {
    let rawValue: UInt16

    static let keysExhausted = Self(rawValue: 1 << 0)
    static let keyInjected = Self(rawValue: 1 << 1)
    static let encryptionEnabled = Self(rawValue: 1 << 2)
    static let authenticationRequired = Self(rawValue: 1 << 3)
    static let timedOut = Self(rawValue: 1 << 4)
    static let headMessageShort = Self(rawValue: 1 << 5)
    static let headMessageType = Self(rawValue: 1 << 6)
    static let headKeySync = Self(rawValue: 1 << 7)
    static let counterExpired = Self(rawValue: 1 << 8)
    static let secondaryKeyInjected = Self(rawValue: 1 << 9)
    static let secondaryTrackKey = Self(rawValue: 1 << 10)
    static let dataVariant = Self(rawValue: 1 << 11)
    static let secondaryMagnePrintKey = Self(rawValue: 1 << 12)
    static let magnePrintDataVariant = Self(rawValue: 1 << 13)

    /// Tracks are encrypted only when both are set; otherwise the "encrypted" fields hold clear text.
    var isEncrypting: Bool { isSuperset(of: [.keyInjected, .encryptionEnabled]) }

    var state: EncryptionState {
        if contains(.keysExhausted) || contains(.counterExpired) { return .keyExhausted }
        if !contains(.keyInjected) { return .noKey }
        return contains(.encryptionEnabled) ? .encrypted : .clear
    }

    /// Which working key encrypts the tracks. A reader that never sets the bit uses the PIN variant.
    var keyVariant: SwipeEncryption.KeyVariant { contains(.dataVariant) ? .data : .pin }

    /// The bits that clients hear of as words, but for those that the encryption's own members say.
    ///
    /// ASSUMPTION: bit 13, of which the manual says no more than "MagnePrint variant", chooses as bit 11 does for tracks.
    var words: [String] { Self.named.filter { contains($0.bit) }.map(\.word) }

    private static let named: [(bit: Self, word: String)] = [
        (.keysExhausted, "keys_exhausted"), (.authenticationRequired, "authentication_required"),
        (.timedOut, "timed_out"), (.headMessageShort, "head_message_short"),
        (.headMessageType, "head_message_type"), (.headKeySync, "head_key_sync"),
        (.counterExpired, "counter_expired"), (.secondaryKeyInjected, "secondary_key_injected"),
        (.secondaryTrackKey, "tracks_secondary_key"), (.secondaryMagnePrintKey, "magneprint_secondary_key"),
        (.magnePrintDataVariant, "magneprint_data_key"),
    ]

    /// Why there is no track, where the reader says it.
    var fault: MagTekFault? {
        let faults: [(Self, MagTekFault)] = [
            (.keysExhausted, .keysExhausted), (.counterExpired, .counterExpired), (.timedOut, .timedOut),
            (.headMessageShort, .headMessageShort), (.headMessageType, .headMessageType),
            (.headKeySync, .headKeySync),
        ]
        return faults.first { contains($0.0) }?.1
    }
}

/// Why a reader sent a report or a stream without a card in it.
package enum MagTekFault: String, Error, Sendable, Hashable {
    case keysExhausted =
        "no card: the reader's keys are exhausted, and it refuses cards until it gets a new one"
    case counterExpired = "no card: the reader's encryption counter has run out"
    case timedOut = "no card: the reader waited in vain for a swipe"
    case headMessageShort = "no card: the message of the reader's head was too short"
    case headMessageType = "no card: the message of the reader's head was of a wrong type"
    case headKeySync = "no card: the reader and its head are not at the same key"
}
