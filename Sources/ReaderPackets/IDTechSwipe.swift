import CardData
package import ReaderKit

/// From a packet to a swipe.
extension IDTechPacket {
    package func swipe() -> Swipe {
        let readings = tracks.indices.map { index in
            TrackReading(track: index + 1, outcome: outcome(index))
        }
        let card = Card.recognise(readings, coding: coding.ofCard)
        var swipe = Swipe(tracks: readings, card: card, encryption: encryption)
        swipe.hasChip = hasChip
        return swipe
    }

    private func outcome(_ index: Int) -> TrackOutcome {
        let track = tracks[index]
        let isCiphered = track.ciphertext != nil || joinedTracks.contains(index)
        guard track.length > 0 else {
            return track.isSampled && !track.isDecoded ? .refused(.malformed) : .empty
        }
        // A keyed card and a raw one have no decoded tracks of which the status could tell.
        guard track.isDecoded || isKeyed || coding == .raw else { return .refused(.malformed) }
        guard isCiphered else {
            guard let text = track.text else { return .empty }
            return Self.clearOutcome(text, track: index + 1)
        }
        guard let text = track.text else { return .encrypted(masked: "") }
        let masked = coding == .aamva ? ReaderCover.opaque(text) : ReaderCover.checked(text, track: index + 1)
        return .encrypted(masked: masked)
    }

    /// A clear track ends with its LRC character, unless setting 6F drops it.
    static func clearOutcome(_ text: [UInt8], track: Int) -> TrackOutcome {
        guard let end = end(of: text), text.count - end <= 2 else {
            return TrackTextCheck.outcome(text, track: track)
        }
        let body = text[...end]
        let outcome = TrackTextCheck.outcome(Array(body), track: track)
        guard case .read = outcome, text.count - end == 2 else { return outcome }
        return TrackRedundancy.isRight(body, check: text[end + 1])
            ? outcome : .refused(.longitudinalRedundancy(atBit: 0))
    }

    /// Where the end sentinel stands: the first one, since the LRC behind it may be the same character. In a JIS II text `?` is a
    /// character like others.
    private static func end(of text: [UInt8]) -> Int? {
        let format: TrackFormat = text.first == TrackFormat.jis2.startSentinel ? .jis2 : .iso2
        return text.dropFirst().firstIndex(of: format.endSentinel)
    }

    private var encryption: SwipeEncryption? {
        guard isEncrypted else { return nil }
        var ciphertexts = tracks.indices.compactMap { index -> SwipeEncryption.Track? in
            guard let ciphertext = tracks[index].ciphertext, !ciphertext.isEmpty else { return nil }
            return SwipeEncryption.Track(
                track: index + 1, ciphertext: ciphertext, clearLength: tracks[index].length, hash: hash(index)
            )
        }
        if let joinedCiphertext {
            ciphertexts.append(
                SwipeEncryption.Track(
                    track: (joinedTracks.first ?? 0) + 1, ciphertext: joinedCiphertext,
                    clearLength: joinedTracks.reduce(0) { $0 + tracks[$1].length },
                    hash: Self.filled(joinedHash), joinedTracks: joinedTracks.map { $0 + 1 },
                    joinedHashes: joinedHashes))
        }
        var encryption = SwipeEncryption(
            scheme: scheme, keySerialNumber: keySerialNumber ?? [], tracks: ciphertexts, session: session,
            keyVariant: usesPINKey ? .pin : .data)
        encryption.isSchemeAssumed = isCipherAssumed
        // Bit 6 of field 8 names the PIN key. Older readers never set it, and a published swipe of one opens with that key all the
        // same: without the bit nothing tells.
        encryption.isKeyVariantAssumed = !usesPINKey
        encryption.compare(with: sentTracks)
        return encryption
    }

    /// The tracks in every place that they have.
    package var sentTracks: SentTracks {
        SentTracks((tracks.flatMap { [$0.text, $0.ciphertext] } + [joinedCiphertext]).compactMap(\.self))
    }

    /// The hashes of joined tracks, in their order; none where there is none.
    private var joinedHashes: [[UInt8]] {
        let hashes = joinedTracks.map { hash($0) ?? [] }
        return hashes.allSatisfy(\.isEmpty) ? [] : hashes
    }

    private func hash(_ index: Int) -> [UInt8]? { Self.filled(tracks[index].hash) }

    /// Some firmware sends zeros in place of a hash.
    private static func filled(_ hash: [UInt8]?) -> [UInt8]? {
        hash.flatMap { $0.contains { $0 != 0 } ? $0 : nil }
    }

    /// With a fixed key the KSN's place holds the reader's serial number and two zeros (SecureHead manual); newer readers
    /// say so in field 8.
    private var scheme: String {
        let isFixed =
            hasFixedKey
            || keySerialNumber?.suffix(2).allSatisfy { $0 == 0 } == true
                && keySerialNumber?.prefix(8).allSatisfy { (0x20...0x7E).contains($0) } == true
        return (isFixed ? "fixed-" : "dukpt-") + (cipher == .tdes ? "tdes" : "aes")
    }
}

extension IDTechPacket.Coding {
    /// What it says of the card, if it names a kind.
    fileprivate var ofCard: CardCoding? {
        switch self {
        case .iso: .iso
        case .aamva: .aamva
        case .other, .raw, .keyed: nil
        }
    }
}

/// The LRC character of a track in text form.
enum TrackRedundancy {
    /// Whether `check` is the character that makes every data bit column of the track even (ISO/IEC 7811-2).
    static func isRight(_ text: some Sequence<UInt8>, check: UInt8) -> Bool {
        var first: UInt8?
        var sum: UInt8 = 0
        for character in text {
            if first == nil { first = format(sentinel: character).firstCharacter }
            sum ^= character &- (first ?? 0)
        }
        return check == sum &+ (first ?? 0)
    }

    private static func format(sentinel: UInt8) -> TrackFormat {
        [.jis2, .iso1].first { $0.startSentinel == sentinel } ?? .iso2
    }
}
