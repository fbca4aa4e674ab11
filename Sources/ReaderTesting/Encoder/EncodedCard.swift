package import CardData

/// A card of software, track by track, as an encoder's head sees it.
package struct EncodedCard: Sendable {
    package var stripes: [EncoderSimulator.Stripe]

    private static let formats = [TrackFormat.iso1, .iso2, .iso3]
    private static let leadingZeros = 30

    package init(stripes: [EncoderSimulator.Stripe]) { self.stripes = stripes }

    /// - Parameters:
    ///   - texts: with their sentinels; nil for a track without a record.
    ///   - formats: how each is laid out in bits; ISO's where nil.
    package init(
        _ texts: [String?], formats: [TrackFormat]? = nil, isBackward: Bool = false
    ) throws(TrackFormat.EncodingError) {
        stripes = []
        for (index, text) in texts.enumerated() {
            guard let text else {
                stripes.append(.blank)
                continue
            }
            let characters = Array(text.utf8)
            let record = try (formats ?? Self.formats)[index].bits(of: characters)
            let zeros = Array(repeating: UInt8(0), count: Self.leadingZeros)
            let bits = zeros + record + zeros
            stripes.append(.recorded(text: characters, bits: isBackward ? bits.reversed() : bits))
        }
    }

    /// Turns one bit of a track's record over; the device cannot read it then, and parity or LRC shows why.
    package mutating func damage(track: Int, bit: Int) {
        guard case .recorded(_, var bits) = stripes[track - 1], bits.indices.contains(bit) else { return }
        bits[bit] ^= 1
        stripes[track - 1] = .unreadable(bits: bits)
    }

    /// Keeps the first bits of a track, as where the card was pulled away.
    package mutating func cut(track: Int, to count: Int) {
        guard case .recorded(_, let bits) = stripes[track - 1] else { return }
        stripes[track - 1] = .unreadable(bits: Array(bits.prefix(count)))
    }
}
