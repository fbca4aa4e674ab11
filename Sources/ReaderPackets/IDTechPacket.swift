/// What an ID TECH reader was set to, where somebody asked it; nil: not known. Packets of the original format do not say it.
package struct IDTechSettings: Sendable, Hashable {
    /// Setting 4C.
    package var cipher: IDTechPacket.Cipher?
    /// Whether a session id may stand in packets: at security level 4 alone (setting 7E).
    package var hasSessions: Bool?

    package init(cipher: IDTechPacket.Cipher? = nil, hasSessions: Bool? = nil) {
        self.cipher = cipher
        self.hasSessions = hasSessions
    }
}

/// A swipe in ID TECH's own format, taken apart (SecureMag manual 80096504, UniMag II manual, SREDKey 2 manual 80172501).
///
///     original   TT SS L1 L2 L3 MASK1 MASK2 TRACK3 [CIPHER12 [SESSION] [HASH1] [HASH2] KSN]
///     enhanced   TT SS L1 L2 L3 F8 F9 [NN OPTIONAL…] [MASKn…] [CIPHERn…] [SESSION] [HASHn…] [SERIAL] [KSN] [MAC…]
///     raw        04 SS L1 L2 L3 CIPHER123 [SESSION] [HASHn…] KSN
///     keyed      85 00 00 00 00 FK LK CIPHER [SESSION] HASH [EE EXPIRY] [AA ADDRESS] [ZZ ZIP] KSN
///
/// T: type of coding, bit 7 enhanced, bit 6 keyed by hand · S: bits 0-2 track decoded, bits 3-5 data sampled, bit 6
/// optional bytes follow · L: length of each clear track, sentinels and LRC included · F8: bits 0-2 masked track
/// present, bit 3 fixed key, bit 4 AES, bit 5 the card has a chip, bit 6 PIN key, bit 7 serial number · F9: bits 0-2
/// ciphertext present, bits 3-5 hash, bit 6 session, bit 7 KSN · N: optional bytes, of which the first says in bit 0
/// SHA-256, bit 1 another cipher, bit 5 MAC · FK: bit 0 ZIP, bit 1 address, bit 2 expiry, bit 3 session · LK: length of the
/// clear text, PAN=YYMM=CVV
package struct IDTechPacket: Sendable, Hashable {
    /// Why a packet was not accepted.
    package enum Refusal: String, Error, Sendable, Hashable {
        case noStart = "no packet"
        case truncated = "packet is cut short"
        case noEnd = "no end mark where the length puts it"
        case redundancy = "packet's LRC is wrong"
        case sum = "packet's check sum is wrong"
        case unknownType = "card type that no document names"
        case unknownStatus = "status bits that no document names"
        case contradiction = "keyed card with tracks"
        case unknownCipher = "cipher of which no document says how long it makes a text"
        case fieldOverrun = "a field goes over the packet's end"
        case leftOver = "packet holds more than its fields"
        case notHex = "not hex where hex is due"
        case noKeySerialNumber = "packet with a ciphertext and no key serial number"
    }

    package enum Coding: UInt8, Sendable, Hashable {
        case iso = 0
        case aamva = 1
        case other = 3
        /// Not decoded: everything is encrypted, nothing masked.
        case raw = 4
        /// Keyed by hand, in the original format.
        case keyed = 5
    }

    package enum Cipher: Sendable, Hashable {
        case tdes, aes
        package var blockBytes: Int { self == .tdes ? 8 : 16 }
    }

    /// What came in for one track.
    package struct Track: Sendable, Hashable {
        /// Clear length, LRC included.
        package var length = 0
        package var isDecoded = false
        package var isSampled = false
        /// Masked, or clear in a packet without ciphertext.
        package var text: [UInt8]?
        package var ciphertext: [UInt8]?
        package var hash: [UInt8]?
    }

    package var coding: Coding
    package var isEnhanced: Bool
    package var isKeyed: Bool
    package var cipher = Cipher.tdes
    /// Nothing in the packet tells the cipher: its length allows both, and ``cipher`` is the likelier one.
    package var isCipherAssumed = false
    package var hasFixedKey = false
    /// The PIN variant of the transaction's key encrypted it, not the data variant.
    package var usesPINKey = false
    /// The service code says that the card has a chip.
    package var hasChip = false
    package var tracks = [Track(), Track(), Track()]
    /// Several tracks in one run of the cipher (original format).
    package var joinedCiphertext: [UInt8]?
    /// Which tracks those are, by their index.
    package var joinedTracks: [Int] = []
    /// The hash of one of those tracks, where the packet does not tell of which.
    package var joinedHash: [UInt8]?
    package var session: [UInt8]?
    package var serial: [UInt8]?
    package var keySerialNumber: [UInt8]?

    private static let keyedType: UInt8 = 0x85
    package static let hashBytes = 20
    package static let sha256Bytes = 32
    package static let serialBytes = 10
    package static let keySerialNumberBytes = 10

    /// Whether anything in it is encrypted.
    package var isEncrypted: Bool { joinedCiphertext != nil || tracks.contains { $0.ciphertext != nil } }

    package init(type: UInt8) throws(Refusal) {
        guard let coding = Coding(rawValue: type & 0x0F), type & 0x30 == 0,
            coding != .keyed || type == Self.keyedType
        else { throw .unknownType }
        self.coding = coding
        isEnhanced = type & 0x80 != 0 && coding != .keyed
        isKeyed = type & 0x40 != 0 || coding == .keyed
    }
}
