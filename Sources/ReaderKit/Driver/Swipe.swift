package import CardData

/// One swipe, as a driver read it: in full. The daemon decides who sees how much of it.
package struct Swipe: Sendable, Hashable {
    package var tracks: [TrackReading]
    /// The card that the tracks make; nil when nothing was readable.
    package var card: Card?
    /// What the reader encrypted; nil from a reader that sends clear text.
    package var encryption: SwipeEncryption?
    package var quality: SwipeQuality
    /// The reader says that the card has a chip, which is to be used rather than its stripe.
    package var hasChip = false

    package init(
        tracks: [TrackReading], card: Card? = nil, encryption: SwipeEncryption? = nil,
        quality: SwipeQuality = SwipeQuality()
    ) {
        self.tracks = tracks
        self.card = card
        self.encryption = encryption
        self.quality = quality
    }
}

/// The ciphertext of a swipe. The daemon passes it on and never decrypts it.
package struct SwipeEncryption: Sendable, Hashable {
    package struct Track: Sendable, Hashable {
        package var track: Int
        package var ciphertext: [UInt8]
        /// How many characters the clear text has; what follows them after decryption is padding. Nil if unknown.
        package var clearLength: Int?
        /// The reader's hash of the clear track, where it sent one. Of joined tracks: of one of them, and the reader does not
        /// say of which. SHA-1 by its 20 bytes, SHA-256 by its 32.
        package var hash: [UInt8]?
        /// The reader's SHA-1 of the same text, where ``hash`` is its SHA-256 (MagTek); nil everywhere else.
        package var sha1Hash: [UInt8]?
        /// The tracks of a ciphertext that holds several, in its order; empty where it holds one.
        package var joinedTracks: [Int]
        /// The reader's hashes of those tracks, in the same order, empty for one without; none where it sent none.
        package var joinedHashes: [[UInt8]]
        package init(
            track: Int, ciphertext: [UInt8], clearLength: Int? = nil, hash: [UInt8]? = nil,
            joinedTracks: [Int] = [], joinedHashes: [[UInt8]] = [], sha1Hash: [UInt8]? = nil
        ) {
            self.joinedTracks = joinedTracks
            self.joinedHashes = joinedHashes
            self.track = track
            self.ciphertext = ciphertext
            self.clearLength = clearLength
            self.hash = hash
            self.sha1Hash = sha1Hash
        }
    }

    package struct MagnePrint: Sendable, Hashable {
        package var status: UInt32
        package var ciphertext: [UInt8]
        /// The KSN of the MagnePrint's own key, where the reader has one.
        package var keySerialNumber: [UInt8]?
        package init(status: UInt32, ciphertext: [UInt8], keySerialNumber: [UInt8]? = nil) {
            self.status = status
            self.ciphertext = ciphertext
            self.keySerialNumber = keySerialNumber
        }
    }

    /// Which working key of the transaction encrypted the tracks.
    package enum KeyVariant: String, Sendable, Hashable { case pin, data }

    /// `dukpt-tdes`, `dukpt-aes`, `fixed-tdes`, `fixed-aes`.
    package var scheme: String
    /// Nothing that the reader sent tells the cipher: ``scheme`` names the likelier one.
    package var isSchemeAssumed = false
    /// Nil where the reader does not say and the model leaves it open.
    package var keyVariant: KeyVariant?
    /// Nothing that the reader sent tells the working key: ``keyVariant`` names the likelier one.
    package var isKeyVariantAssumed = false
    /// The key serial number, as many bytes as the scheme has.
    package var keySerialNumber: [UInt8]
    package var tracks: [Track]
    package var magnePrint: MagnePrint?
    /// The reader's encrypted session id.
    package var session: [UInt8]?
    /// Transactions left on the key, where the reader counts them.
    package var counter: Int?
    /// What else the reader says of itself and of its keys, in words; see `docs/protocol.md`.
    package var readerStatus: [String] = []

    package init(
        scheme: String, keySerialNumber: [UInt8], tracks: [Track], magnePrint: MagnePrint? = nil,
        session: [UInt8]? = nil, counter: Int? = nil, keyVariant: KeyVariant? = nil
    ) {
        self.scheme = scheme
        self.keyVariant = keyVariant
        self.keySerialNumber = keySerialNumber
        self.tracks = tracks
        self.magnePrint = magnePrint
        self.session = session
        self.counter = counter
    }
}

/// How well a swipe was read. What a bus cannot tell is nil.
package struct SwipeQuality: Sendable, Hashable {
    package enum Direction: String, Sendable, Hashable { case forward, backward }
    package enum Hint: String, Sendable, Hashable {
        case tooSlow = "too_slow"
        case tooFast = "too_fast"
        case noisy, partial
    }

    package var direction: Direction?
    /// The median speed of the card past the head, centimetres a second.
    package var speed: Double?
    package var signalToNoiseDecibels: Double?
    /// The standard deviation of the bit cells against the local clock, in percent of a cell.
    package var jitterPercent: Double?
    /// How much of the swipe's loud part the input has cut off, in percent.
    package var clippedPercent: Double?
    package var repairedBits: Int
    /// What to tell the person whose swipe failed.
    package var hint: Hint?

    package init(
        direction: Direction? = nil, speed: Double? = nil, signalToNoiseDecibels: Double? = nil,
        jitterPercent: Double? = nil, clippedPercent: Double? = nil, repairedBits: Int = 0,
        hint: Hint? = nil
    ) {
        self.direction = direction
        self.speed = speed
        self.signalToNoiseDecibels = signalToNoiseDecibels
        self.jitterPercent = jitterPercent
        self.clippedPercent = clippedPercent
        self.repairedBits = repairedBits
        self.hint = hint
    }
}
