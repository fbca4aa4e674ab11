package import CardData

extension StripeRecipe {
    /// ISO/IEC 7811: bits an inch of tracks 1, 2 and 3.
    package static func bitsPerInch(track: Int) -> Double { track == 2 ? 75 : 210 }
    /// The first data bit is 7.44 mm from the card's edge; the clocking zeros before it begin at about 0.5 mm.
    package static let leadInMillimetres = 6.9
    /// How much of an 85.6 mm card the stripe's recording takes.
    package static let recordedMillimetres = 84.5
    private static let millimetresPerInch = 25.4
    /// Some clocking zeros follow even the longest text.
    private static let fewestTrailingZeros = 12

    /// A track's text, recorded as ISO/IEC 7811 lays it out.
    package init(text: String, format: TrackFormat, bitsPerInch: Double) throws(TrackFormat.EncodingError) {
        let bits = try format.bits(of: text.utf8)
        let cellsPerMillimetre = bitsPerInch / Self.millimetresPerInch
        let leading = Int(Self.leadInMillimetres * cellsPerMillimetre)
        let all = Int(Self.recordedMillimetres * cellsPerMillimetre)
        self.init(
            bits: bits, bitsPerInch: bitsPerInch, leadingZeros: leading,
            trailingZeros: max(all - leading - bits.count, Self.fewestTrailingZeros))
    }
}
