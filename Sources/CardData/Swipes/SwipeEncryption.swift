/// The ciphertext of a swipe, as the reader made it. The daemon passes it on and never decrypts it.
public struct SwipeEncryption: Sendable, Hashable {
    /// The ciphertext of one track.
    public struct Track: Sendable, Hashable {
        /// Which track.
        public var track: Int
        /// The ciphertext.
        public var ciphertext: [UInt8]
        /// How many characters the clear text has; what follows them after decryption is padding.
        public var clearLength: Int?
        /// The reader's hash of the clear track, where it sent one. Of joined tracks: of one of them, and the reader does not
        /// say of which. SHA-1 by its 20 bytes, SHA-256 by its 32.
        public var hash: [UInt8]?
        /// The reader's SHA-1 of the same text, where ``hash`` is its SHA-256 (MagTek); nil everywhere else.
        public var sha1Hash: [UInt8]?
        /// The tracks of a ciphertext that holds several, in its order; empty where it holds one.
        public var joinedTracks: [Int]
        /// The reader's hashes of those tracks, in the same order, empty for one without; none where it sent none.
        public var joinedHashes: [[UInt8]]

        /// The ciphertext of one track.
        public init(
            track: Int, ciphertext: [UInt8], clearLength: Int? = nil, hash: [UInt8]? = nil,
            joinedTracks: [Int] = [], joinedHashes: [[UInt8]] = [], sha1Hash: [UInt8]? = nil
        ) {
            self.track = track
            self.ciphertext = ciphertext
            self.clearLength = clearLength
            self.hash = hash
            self.sha1Hash = sha1Hash
            self.joinedTracks = joinedTracks
            self.joinedHashes = joinedHashes
        }
    }

    /// The MagnePrint of a card (MagTek readers).
    public struct MagnePrint: Sendable, Hashable {
        /// The reader's status word.
        public var status: UInt32
        /// The ciphertext.
        public var ciphertext: [UInt8]
        /// The KSN of its own key, where the reader has one for it.
        public var keySerialNumber: [UInt8]?

        /// A MagnePrint.
        public init(status: UInt32, ciphertext: [UInt8], keySerialNumber: [UInt8]? = nil) {
            self.status = status
            self.ciphertext = ciphertext
            self.keySerialNumber = keySerialNumber
        }
    }

    /// A working key of a transaction, by its name on the wire.
    public struct KeyVariant: Sendable, Hashable, RawRepresentable {
        /// The name.
        public var rawValue: String
        /// A working key by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The key for PINs.
        public static let pin = KeyVariant(rawValue: "pin")
        /// The key for data.
        public static let data = KeyVariant(rawValue: "data")
    }

    /// `dukpt-tdes`, `dukpt-aes`, `fixed-tdes`, `fixed-aes`, …
    public var scheme: String
    /// Nothing that the reader sent tells the cipher: ``scheme`` names the likelier one.
    public var isSchemeAssumed: Bool
    /// The key serial number.
    public var keySerialNumber: [UInt8]
    /// Which working key encrypted the tracks; nil where that is not known.
    public var keyVariant: KeyVariant?
    /// Nothing that the reader sent tells the working key: ``keyVariant`` names the likelier one.
    public var isKeyVariantAssumed: Bool
    /// The tracks that the reader encrypted. Empty for the view `status`.
    public var tracks: [Track]
    /// The MagnePrint, where the reader sends one.
    public var magnePrint: MagnePrint?
    /// The encrypted session id, where the reader sends one.
    public var session: [UInt8]?
    /// How many transactions are left on the key, where the reader counts them.
    public var counter: Int?
    /// What else the reader says of itself and of its keys, in words that may become more.
    public var readerStatus: [String]
    /// The key's serial number or its counter has digits of the report's tracks, and is not for everybody: the reader lies.
    package var isOfCard = false

    /// The ciphertext of a swipe.
    public init(
        scheme: String, keySerialNumber: [UInt8], tracks: [Track] = [], magnePrint: MagnePrint? = nil,
        session: [UInt8]? = nil, counter: Int? = nil, keyVariant: KeyVariant? = nil,
        isKeyVariantAssumed: Bool = false, isSchemeAssumed: Bool = false, readerStatus: [String] = []
    ) {
        self.isKeyVariantAssumed = isKeyVariantAssumed
        self.isSchemeAssumed = isSchemeAssumed
        self.readerStatus = readerStatus
        self.keyVariant = keyVariant
        self.scheme = scheme
        self.keySerialNumber = keySerialNumber
        self.tracks = tracks
        self.magnePrint = magnePrint
        self.session = session
        self.counter = counter
    }
}
