/// The texts of one swipe that were refused because their clock has a seam.
///
/// Another reading of the same samples may place the reversals otherwise and miss the seam; the samples are missing
/// still. So a text that was refused once stays refused.
struct SeamedTexts: Sendable {
    private(set) var texts: [[UInt8]] = []
    /// A swipe has one text, and a misreading or two.
    private static let most = 8

    /// Whether the text may be accepted, as far as the clock tells.
    mutating func allow(
        _ text: [UInt8], _ continuity: @autoclosure () -> ClockContinuity, at bits: Range<Int>
    ) -> Bool {
        guard !texts.contains(text) else { return false }
        guard !continuity().isUnbroken(bits) else { return true }
        if texts.count < Self.most { texts.append(text) }
        return false
    }
}
