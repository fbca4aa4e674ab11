/// What a tenth of a second of an input was like, in whole decibels of full scale: what helps to set a gain, and nothing that tells a
/// digit (`docs/decisions/0744-one-figure-of-a-pass.md`).
package struct LevelFrame: Sendable, Hashable {
    package struct Hum: Sendable, Hashable {
        /// 50 or 60.
        package var hertz: Int
        package var decibels: Int

        package init(hertz: Int, decibels: Int) {
            self.hertz = hertz
            self.decibels = decibels
        }
    }

    /// Counts the frames of a meter.
    package var number: UInt64
    /// The highest sample; while the gate is open, the highest since it opened.
    package var peak: Int
    /// The noise, as a root of a mean square; nil until the gate has been closed for a whole frame.
    package var floor: Int?
    /// The mains' fundamental, where it is a tenth of the noise's power or more.
    package var hum: Hum?
    /// Whether a sample stood at the end of the scale; while the gate is open, one since it opened.
    package var isClipped: Bool
    /// Whether the gate was open in some part of it: a card may have passed.
    package var isOpen: Bool
    /// The outline of a passage that ended a second before: ten heights, in percent of the highest.
    package var passage: [Int]?

    package init(
        number: UInt64, peak: Int, floor: Int? = nil, hum: Hum? = nil, isClipped: Bool = false,
        isOpen: Bool = false, passage: [Int]? = nil
    ) {
        self.number = number
        self.peak = peak
        self.floor = floor
        self.hum = hum
        self.isClipped = isClipped
        self.isOpen = isOpen
        self.passage = passage
    }
}
