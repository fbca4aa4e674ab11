/// Walks over a packet's card data: bytes are one character each in binary, two hex digits in typed form; text is
/// itself in both.
private struct IDTechScan {
    var rest: ArraySlice<UInt8>
    let isTyped: Bool

    var isAtEnd: Bool { rest.isEmpty }
    /// Bytes that are left, where all of them are hex in typed form.
    var remainingBytes: Int { isTyped ? rest.count / 2 : rest.count }

    mutating func byte() throws(IDTechPacket.Refusal) -> UInt8 { try bytes(1).first ?? 0 }

    mutating func bytes(_ count: Int) throws(IDTechPacket.Refusal) -> [UInt8] {
        let characters = isTyped ? count * 2 : count
        let field = try text(characters)
        guard isTyped else { return field }
        guard let bytes = HexField.bytes(field) else { throw .notHex }
        return bytes
    }

    mutating func text(_ count: Int) throws(IDTechPacket.Refusal) -> [UInt8] {
        guard rest.count >= count else { throw .fieldOverrun }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

extension IDTechPacket {
    /// Reads the card data of a frame whose check bytes are right.
    package init(_ frame: IDTechFrame) throws(Refusal) {
        var scan = IDTechScan(rest: frame.data, isTyped: frame.isTyped)
        try self.init(type: scan.byte())
        let status = try scan.byte()
        for index in tracks.indices {
            tracks[index].length = Int(try scan.byte())
            tracks[index].isDecoded = status & (1 << index) != 0
            tracks[index].isSampled = status & (8 << index) != 0
        }
        if isEnhanced {
            try readEnhanced(&scan, hasOptionalBytes: status & 0x40 != 0)
        } else {
            try readOriginal(&scan)
        }
        guard scan.isAtEnd else { throw .leftOver }
    }

    private mutating func readEnhanced(_ scan: inout IDTechScan, hasOptionalBytes: Bool) throws(Refusal) {
        let sent = try scan.byte()
        let encrypted = try scan.byte()
        switch (sent >> 4) & 3 {
        case 0: cipher = .tdes
        case 1: cipher = .aes
        default: throw .unknownCipher
        }
        // What the optional bytes say (SREDKey 2) is not public in full; their count is.
        if hasOptionalBytes { _ = try scan.bytes(Int(scan.byte())) }
        for index in tracks.indices where sent & (1 << index) != 0 {
            tracks[index].text = try scan.text(tracks[index].length)
        }
        for index in tracks.indices where encrypted & (1 << index) != 0 {
            tracks[index].ciphertext = try scan.bytes(
                paddedLength(tracks[index].length, block: cipher.blockBytes))
        }
        if encrypted & 0x40 != 0 { session = try scan.bytes(cipher.blockBytes) }
        let tail =
            (sent & 0x80 != 0 ? Self.serialBytes : 0)
            + (encrypted & 0x80 != 0 ? Self.keySerialNumberBytes : 0)
        let hashes = tracks.indices.filter { encrypted & (8 << $0) != 0 }
        // Optional bytes may ask for SHA-256; the length tells.
        let isLong = hasOptionalBytes && scan.remainingBytes >= hashes.count * Self.sha256Bytes + tail
        for index in hashes {
            tracks[index].hash = try scan.bytes(isLong ? Self.sha256Bytes : Self.hashBytes)
        }
        if sent & 0x80 != 0 { serial = try scan.bytes(Self.serialBytes) }
        if encrypted & 0x80 != 0 { keySerialNumber = try scan.bytes(Self.keySerialNumberBytes) }
        // A MAC may follow where optional bytes announced it.
        if hasOptionalBytes { _ = try scan.text(scan.rest.count) }
    }

    /// The original format has no bits that tell what is in it: what is left behind the texts does.
    private mutating func readOriginal(_ scan: inout IDTechScan) throws(Refusal) {
        for index in tracks.indices { tracks[index].text = try scan.text(tracks[index].length) }
        guard !scan.isAtEnd else { return }
        guard let shape = OriginalShape.matching(scan.remainingBytes, tracks: tracks) else { throw .leftOver }
        cipher = shape.cipher
        let joined = try scan.bytes(shape.cipherBytes)
        if shape.hasSession { session = try scan.bytes(cipher.blockBytes) }
        for index in shape.hashes { tracks[index].hash = try scan.bytes(Self.hashBytes) }
        keySerialNumber = try scan.bytes(Self.keySerialNumberBytes)
        let present = tracks.indices.prefix(2).filter { tracks[$0].length > 0 }
        if present.count == 1, let only = present.first {
            tracks[only].ciphertext = joined
        } else {
            joinedCiphertext = joined
        }
    }
}

/// What may stand behind the texts of an original packet.
private struct OriginalShape {
    var cipher: IDTechPacket.Cipher
    var cipherBytes: Int
    var hasSession: Bool
    var hashes: [Int]

    /// The first shape, likeliest first, that takes exactly so many bytes.
    static func matching(_ remaining: Int, tracks: [IDTechPacket.Track]) -> OriginalShape? {
        let present = [0, 1].filter { tracks[$0].length > 0 }
        let clear = present.reduce(0) { $0 + tracks[$1].length }
        guard clear > 0 else { return nil }
        for cipher in [IDTechPacket.Cipher.tdes, .aes] {
            let cipherBytes = paddedLength(clear, block: cipher.blockBytes)
            for hashes in [present, [], [0, 1]] {
                for hasSession in [false, true] {
                    let total =
                        cipherBytes + hashes.count * IDTechPacket.hashBytes
                        + (hasSession ? cipher.blockBytes : 0)
                        + IDTechPacket.keySerialNumberBytes
                    guard total == remaining else { continue }
                    return OriginalShape(
                        cipher: cipher, cipherBytes: cipherBytes, hasSession: hasSession, hashes: hashes)
                }
            }
        }
        return nil
    }
}

/// A length rounded up to whole blocks.
private func paddedLength(_ length: Int, block: Int) -> Int { (length + block - 1) / block * block }
