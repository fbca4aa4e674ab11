/// The texts of one swipe that were refused because their clock has a seam.
///
/// Another reading of the same samples may place the reversals otherwise and miss the seam; the samples are missing
/// still. So a text that was refused once stays refused.
struct SeamedTexts: Sendable {
    private(set) var texts: [(text: [UInt8], seam: Double)] = []
    /// A swipe has one text, and a misreading or two.
    private static let most = 8

    /// Where the samples have the seam for which the text may not be accepted; nil where it may, as far as the clock
    /// tells.
    ///
    /// - Parameters:
    ///   - place: the text's, in the run that the doubts are of.
    ///   - format: the text's.
    mutating func seam(
        in text: [UInt8], at place: Range<Int>, as format: StripeFormat, of doubts: inout RecordDoubts
    ) -> Double? {
        if let known = texts.first(where: { $0.text == text }) { return known.seam }
        guard let seam = doubts.seam(in: place, as: format) else { return nil }
        if texts.count < Self.most { texts.append((text, seam)) }
        return seam
    }
}
