package import CardData

/// What a decoder looks for, and how hard.
package struct StripeOptions: Sendable {
    /// The formats tried on every run of bits; all are tried before one is accepted.
    package var formats: [StripeFormat]
    /// Whether each swipe carries its ``StripeTrace``: the waveform and every stage's output, for eyes.
    package var keepsTrace: Bool
    /// Whether the sequence detector runs where the fast path refused. Off, only easy swipes are read.
    package var searchesHard: Bool

    package init(
        formats: [StripeFormat] = StripeFormat.standard, keepsTrace: Bool = false, searchesHard: Bool = true
    ) {
        self.formats = formats
        self.keepsTrace = keepsTrace
        self.searchesHard = searchesHard
    }
}

/// A format as it is recorded on one of the card's tracks.
package struct StripeFormat: Sendable, Hashable {
    /// How characters are laid out in bits.
    package var coding: TrackFormat
    /// The track that a text in this format is reported as. A head alone cannot tell tracks apart: the format does.
    package var track: Int

    /// The density at which it is recorded by its standard: what a speed is computed from.
    package var bitsPerInch: Double

    package init(coding: TrackFormat, track: Int, bitsPerInch: Double) {
        self.coding = coding
        self.track = track
        self.bitsPerInch = bitsPerInch
    }

    /// ISO tracks 1 to 3, AAMVA and JIS II. The speed is unknown, so each is found at every density.
    package static let standard = [
        StripeFormat(coding: .iso2, track: 2, bitsPerInch: 75),
        StripeFormat(coding: .iso1, track: 1, bitsPerInch: 210),
        StripeFormat(coding: .iso3, track: 3, bitsPerInch: 210),
        StripeFormat(coding: .aamva, track: 1, bitsPerInch: 210),
        StripeFormat(coding: .jis2, track: 1, bitsPerInch: 210),
    ]
}
