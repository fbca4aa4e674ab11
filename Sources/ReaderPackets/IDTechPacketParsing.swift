import CardData

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
    ///
    /// - Parameter settings: what is known of the reader, where a packet does not say it.
    package init(_ frame: IDTechFrame, settings: IDTechSettings = IDTechSettings()) throws(Refusal) {
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
        } else if coding == .keyed {
            try readKeyed(&scan, settings)
        } else {
            try readOriginal(&scan, settings)
        }
        guard scan.isAtEnd else { throw .leftOver }
    }

    private mutating func readEnhanced(_ scan: inout IDTechScan, hasOptionalBytes: Bool) throws(Refusal) {
        let sent = try scan.byte()
        let encrypted = try scan.byte()
        readKeyBits(sent)
        let optional = hasOptionalBytes ? try scan.bytes(Int(scan.byte())) : []
        let options = OptionalBits(rawValue: optional.first ?? 0)
        // How long TransArmor's texts are is not public.
        guard !options.contains(.otherCipher) else { throw .unknownCipher }
        for index in tracks.indices where sent & (1 << index) != 0 {
            tracks[index].text = try scan.text(tracks[index].length)
        }
        for index in tracks.indices where encrypted & (1 << index) != 0 {
            tracks[index].ciphertext = try scan.bytes(
                paddedLength(tracks[index].length, block: cipher.blockBytes))
        }
        if encrypted & 0x40 != 0 { session = try scan.bytes(cipher.blockBytes) }
        for index in tracks.indices where encrypted & (8 << index) != 0 {
            tracks[index].hash = try scan.bytes(
                options.contains(.sha256) ? Self.sha256Bytes : Self.hashBytes)
        }
        if sent & 0x80 != 0 { serial = try scan.bytes(Self.serialBytes) }
        if encrypted & 0x80 != 0 { keySerialNumber = try scan.bytes(Self.keySerialNumberBytes) }
        // The MAC, its length before it and its key's number behind it: not for us to check.
        if options.contains(.mac) { _ = try scan.text(scan.rest.count) }
        // Whoever has the keys finds the right one by its number; a fixed key is the reader's.
        let hasCiphertext = tracks.contains { $0.ciphertext?.isEmpty == false }
        guard !hasCiphertext || keySerialNumber != nil || hasFixedKey else { throw .noKeySerialNumber }
    }

    /// Field 8, but for what it says of the texts.
    private mutating func readKeyBits(_ field: UInt8) {
        hasFixedKey = field & 0x08 != 0
        cipher = field & 0x10 == 0 ? .tdes : .aes
        hasChip = field & 0x20 != 0
        usesPINKey = field & 0x40 != 0
    }

    /// Its one ciphertext stands where a second track's would: it begins with what a second track begins with. Which cipher
    /// made it is not said; the length tells, but for texts that both make equally long.
    private mutating func readKeyed(_ scan: inout IDTechScan, _ settings: IDTechSettings) throws(Refusal) {
        guard tracks.allSatisfy({ $0.length == 0 && !$0.isSampled && !$0.isDecoded }) else {
            throw .contradiction
        }
        let status = try scan.byte()
        let length = Int(try scan.byte())
        guard status & 0xF0 == 0 else { throw .unknownStatus }
        let start = scan
        do throws(Refusal) {
            try readKeyed(&scan, status, length)
        } catch {
            let refusal = error
            scan = start
            cipher = .aes
            do throws(Refusal) { try readKeyed(&scan, status, length) } catch { throw refusal }
        }
        guard session == nil, paddedLength(length, block: 8) == paddedLength(length, block: 16) else {
            return
        }
        isCipherAssumed = settings.cipher == nil
        cipher = settings.cipher ?? .tdes
    }

    /// ASSUMPTION: a session id stands behind the ciphertext, as in every other format.
    private mutating func readKeyed(
        _ scan: inout IDTechScan, _ status: UInt8, _ length: Int
    ) throws(Refusal) {
        tracks[1].length = length
        tracks[1].ciphertext = try scan.bytes(paddedLength(length, block: cipher.blockBytes))
        session = status & 0x08 != 0 ? try scan.bytes(cipher.blockBytes) : nil
        tracks[1].hash = try scan.bytes(Self.hashBytes)
        // Expiry, house number and ZIP code in clear, each behind its length: nobody here asks for them.
        for bit in [0x04, 0x02, 0x01] as [UInt8] where status & bit != 0 {
            _ = try scan.bytes(Int(scan.byte()))
        }
        keySerialNumber = try scan.bytes(Self.keySerialNumberBytes)
        guard scan.isAtEnd else { throw .leftOver }
    }

    /// The original format has no bits that tell what is in it: what is left behind the texts does. The SREDKey 2 encrypts
    /// track 3 as well (manual 80172501, 9.1.1), the others send it in clear.
    ///
    /// ASSUMPTION: of a card that was not decoded, of which nothing is shown, all tracks are in one run of the cipher. The
    /// manual says that track 3 is encrypted then, too, and not where it stands.
    ///
    /// Which of two joined tracks a single hash is of stands nowhere in a packet, and of some lengths both ciphers can be:
    /// neither is guessed silently (``joinedHash``, ``isCipherAssumed``).
    private mutating func readOriginal(_ scan: inout IDTechScan, _ settings: IDTechSettings) throws(Refusal) {
        let isHidden = coding == .raw && scan.rest.count > tracks.reduce(0) { $0 + $1.length }
        if !isHidden {
            for index in tracks.indices { tracks[index].text = try scan.text(tracks[index].length) }
        }
        guard !scan.isAtEnd else { return }
        let all = tracks.indices.filter { tracks[$0].length > 0 }
        let firstTwo = isHidden ? all : all.filter { $0 < 2 }
        let isThirdCovered = tracks[2].text.map { ReaderCover.isCover($0, track: 3) } ?? false
        let ways = firstTwo == all ? [all] : isThirdCovered ? [all, firstTwo] : [firstTwo, all]
        let shapes = OriginalShape.matching(scan.remainingBytes, tracks: tracks, encrypted: ways)
        let allowed = shapes.filter { $0.isAllowed(by: settings) }
        let likely = allowed.isEmpty ? shapes : allowed
        guard let shape = likely.first else {
            let least = OriginalShape.leastBytes(tracks: tracks, encrypted: firstTwo)
            throw scan.remainingBytes < least ? .fieldOverrun : .leftOver
        }
        try read(shape, &scan)
        isCipherAssumed = likely.contains { $0.cipher != shape.cipher }
    }

    private mutating func read(_ shape: OriginalShape, _ scan: inout IDTechScan) throws(Refusal) {
        let present = shape.encrypted
        cipher = shape.cipher
        let joined = try scan.bytes(shape.cipherBytes)
        if shape.hasSession { session = try scan.bytes(cipher.blockBytes) }
        if let hashed = shape.hashedTracks {
            for index in hashed { tracks[index].hash = try scan.bytes(Self.hashBytes) }
        } else {
            joinedHash = try scan.bytes(Self.hashBytes)
        }
        keySerialNumber = try scan.bytes(Self.keySerialNumberBytes)
        if present.count == 1, let only = present.first {
            tracks[only].ciphertext = joined
        } else {
            joinedCiphertext = joined
            joinedTracks = present
        }
    }
}

/// The first of the optional bytes (SREDKey 2 manual 80172501, field 11).
private struct OptionalBits: OptionSet {
    let rawValue: UInt8
    static let sha256 = Self(rawValue: 1 << 0)
    static let otherCipher = Self(rawValue: 1 << 1)
    static let mac = Self(rawValue: 1 << 5)
}

/// What may stand behind the texts of an original packet.
private struct OriginalShape {
    var encrypted: [Int]
    var cipher: IDTechPacket.Cipher
    var cipherBytes: Int
    var hasSession: Bool
    var hashes: Int

    private var bytes: Int {
        cipherBytes + (hasSession ? cipher.blockBytes : 0) + hashes * IDTechPacket.hashBytes
            + IDTechPacket.keySerialNumberBytes
    }

    /// Whose the hashes are; nil where one of several joined tracks has one, and the reader was set to which (setting 5C).
    /// ASSUMPTION: two are those of tracks 1 and 2, as the manual's figure has them, where three tracks are encrypted.
    var hashedTracks: [Int]? {
        if hashes == encrypted.count { return encrypted }
        return hashes == 1 ? nil : Array(0..<hashes)
    }

    func isAllowed(by settings: IDTechSettings) -> Bool {
        (settings.cipher ?? cipher) == cipher && !(hasSession && settings.hasSessions == false)
    }

    /// A ciphertext and a key's number.
    static func leastBytes(tracks: [IDTechPacket.Track], encrypted present: [Int]) -> Int {
        let clear = present.reduce(0) { $0 + tracks[$1].length }
        guard clear > 0 else { return 0 }
        return paddedLength(clear, block: IDTechPacket.Cipher.tdes.blockBytes)
            + IDTechPacket.keySerialNumberBytes
    }

    /// The shapes that take exactly so many bytes, of the likeliest tracks that have any; likeliest first. A session id is
    /// rarer than a cipher: it is there at security level 4 alone. Shapes of one length have the same hashes, and their
    /// ciphertexts begin alike, so that nothing is lost where the first is not the right one.
    static func matching(
        _ remaining: Int, tracks: [IDTechPacket.Track], encrypted ways: [[Int]]
    ) -> [OriginalShape] {
        for present in ways {
            let shapes = all(tracks, present).filter { $0.bytes == remaining }
            if !shapes.isEmpty { return shapes }
        }
        return []
    }

    private static func all(_ tracks: [IDTechPacket.Track], _ present: [Int]) -> [OriginalShape] {
        let clear = present.reduce(0) { $0 + tracks[$1].length }
        guard clear > 0 else { return [] }
        return [false, true].flatMap { hasSession in
            [IDTechPacket.Cipher.tdes, .aes].flatMap { cipher in
                Set([0, 1, 2, present.count]).map { hashes in
                    OriginalShape(
                        encrypted: present, cipher: cipher,
                        cipherBytes: paddedLength(clear, block: cipher.blockBytes), hasSession: hasSession,
                        hashes: hashes)
                }
            }
        }
    }
}

/// A length rounded up to whole blocks.
private func paddedLength(_ length: Int, block: Int) -> Int { (length + block - 1) / block * block }
