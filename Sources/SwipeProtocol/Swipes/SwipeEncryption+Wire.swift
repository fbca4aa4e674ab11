package import CardData

extension SwipeEncryption: WireObject {
    package static var blank: SwipeEncryption { SwipeEncryption(scheme: "", keySerialNumber: []) }
    package static var definition: String? { "encryption" }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("scheme", &scheme)
        try fields.flag("scheme_assumed", &isSchemeAssumed)
        try fields.required("ksn", &keySerialNumber, as: Hexadecimal.self)
        try fields.optional("key_variant", &keyVariant)
        try fields.flag("key_variant_assumed", &isKeyVariantAssumed)
        try fields.required("tracks", &tracks)
        try fields.optional("magneprint", &magnePrint)
        try fields.optional("session", &session, as: Hexadecimal.self)
        try fields.optional("counter", &counter)
        try fields.list("reader_status", &readerStatus)
    }
}

extension SwipeEncryption.Track: WireObject {
    package static var blank: SwipeEncryption.Track { SwipeEncryption.Track(track: 0, ciphertext: []) }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("track", &track)
        try fields.list("joined_tracks", &joinedTracks)
        try fields.required("ciphertext", &ciphertext, as: Hexadecimal.self)
        try fields.optional("clear_length", &clearLength)
        try fields.optional("hash", &hash, as: Hexadecimal.self)
        try fields.optional("hash_sha1", &sha1Hash, as: Hexadecimal.self)
        try fields.list("joined_hashes", &joinedHashes, as: [Hexadecimal].self)
    }
}

extension SwipeEncryption.MagnePrint: WireObject {
    package static var blank: SwipeEncryption.MagnePrint {
        SwipeEncryption.MagnePrint(status: 0, ciphertext: [])
    }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("status", &status)
        try fields.required("ciphertext", &ciphertext, as: Hexadecimal.self)
        try fields.optional("ksn", &keySerialNumber, as: Hexadecimal.self)
    }
}

/// The name is open: a later daemon may send others.
extension SwipeEncryption.KeyVariant: WireValue {
    package static var schema: JSONValue { SchemaParts.string }
    package func write(to writer: inout JSONWriter) { writer.write(rawValue) }
    package init(json: JSONValue) throws(WireError) { self.init(rawValue: try String(json: json)) }
}
