/// The ciphertext of a swipe, as the reader made it. The daemon passes it on and never decrypts it.
public struct EncryptionInfo: Sendable, Hashable {
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

    /// `dukpt-tdes`, `dukpt-aes`, …
    public var scheme: String
    /// Nothing that the reader sent tells the cipher: ``scheme`` names the likelier one.
    public var isSchemeAssumed: Bool
    /// The key serial number.
    public var keySerialNumber: [UInt8]
    /// Which working key encrypted the tracks: `pin` or `data`; nil where that is not known.
    public var keyVariant: String?
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

    /// The ciphertext of a swipe.
    public init(
        scheme: String, keySerialNumber: [UInt8], tracks: [Track] = [], magnePrint: MagnePrint? = nil,
        session: [UInt8]? = nil, counter: Int? = nil, keyVariant: String? = nil,
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

extension EncryptionInfo: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("scheme", scheme)
        writer.flag("scheme_assumed", isSchemeAssumed)
        writer.field("ksn", Hexadecimal(keySerialNumber))
        writer.field("key_variant", ifPresent: keyVariant)
        writer.flag("key_variant_assumed", isKeyVariantAssumed)
        writer.field("tracks", tracks)
        writer.field("magneprint", ifPresent: magnePrint)
        writer.field("session", ifPresent: session.map(Hexadecimal.init(_:)))
        writer.field("counter", ifPresent: counter)
        writer.field("reader_status", ifPresent: readerStatus.isEmpty ? nil : readerStatus)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        scheme = try object.required("scheme")
        keySerialNumber = try object.required("ksn", as: Hexadecimal.self).bytes
        keyVariant = try object.optional("key_variant")
        tracks = try object.required("tracks")
        magnePrint = try object.optional("magneprint")
        session = try object.optional("session", as: Hexadecimal.self)?.bytes
        counter = try object.optional("counter")
        isSchemeAssumed = try object.optional("scheme_assumed") ?? false
        isKeyVariantAssumed = try object.optional("key_variant_assumed") ?? false
        readerStatus = try object.optional("reader_status") ?? []
    }
}

extension EncryptionInfo.Track: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("track", track)
        writer.field("joined_tracks", ifPresent: joinedTracks.isEmpty ? nil : joinedTracks)
        writer.field("ciphertext", Hexadecimal(ciphertext))
        writer.field("clear_length", ifPresent: clearLength)
        writer.field("hash", ifPresent: hash.map(Hexadecimal.init(_:)))
        writer.field("hash_sha1", ifPresent: sha1Hash.map(Hexadecimal.init(_:)))
        let hashes = joinedHashes.map(Hexadecimal.init(_:))
        writer.field("joined_hashes", ifPresent: hashes.isEmpty ? nil : hashes)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        track = try object.required("track")
        joinedTracks = try object.optional("joined_tracks") ?? []
        ciphertext = try object.required("ciphertext", as: Hexadecimal.self).bytes
        clearLength = try object.optional("clear_length")
        hash = try object.optional("hash", as: Hexadecimal.self)?.bytes
        sha1Hash = try object.optional("hash_sha1", as: Hexadecimal.self)?.bytes
        joinedHashes = try object.optional("joined_hashes", as: [Hexadecimal].self)?.map(\.bytes) ?? []
    }
}

extension EncryptionInfo.MagnePrint: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("status", status)
        writer.field("ciphertext", Hexadecimal(ciphertext))
        writer.field("ksn", ifPresent: keySerialNumber.map(Hexadecimal.init(_:)))
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        status = try object.required("status")
        ciphertext = try object.required("ciphertext", as: Hexadecimal.self).bytes
        keySerialNumber = try object.optional("ksn", as: Hexadecimal.self)?.bytes
    }
}

/// Bytes, written as upper-case hexadecimal digits: the way KSNs and ciphertext are printed in the trade.
struct Hexadecimal: JSONEncodable, JSONDecodable {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func write(to writer: inout JSONWriter) { writer.write(hexadecimal: bytes) }

    init(json: JSONValue) throws(WireError) {
        let digits = try Array(String(json: json)).map(\.hexDigitValue)
        guard digits.count.isMultiple(of: 2) else { throw WireError("not pairs of hexadecimal digits") }
        bytes = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else {
                throw WireError("not pairs of hexadecimal digits")
            }
            bytes.append(UInt8(high << 4 | low))
        }
    }
}
