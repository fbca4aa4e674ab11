/// Reads a swipe whose reversals stray far from their places: by a clock that knows the cells' length from the spacing of all pulses
/// round about, with the pairs put back that were lost.
extension SwipeReader {
    /// Takes a reversal's place for jitter round an even clock, and every cell for as long as the spacing says.
    static let calmClock = IntervalClock(
        usualCell: 1, loop: .init(phase: 0.25, frequency: 0.04, skew: 0.08, deviation: 0.09))

    /// - Parameter plain: the reading whose pulses are taken.
    /// - Returns: nil where no text was found.
    func readSpaced(_ plain: SwipeReading, attempt: Int, _ seamed: inout SeamedTexts) -> SwipeReading? {
        guard var spacing = LocalSpacing(plain.pulses.map(\.position)) else { return nil }
        var reading = plain
        reading.putBack = LostPairs(
            signal: plain.smoothed, noise: plain.smoothedNoise, rings: plain.isEqualized
        ).found(plain.pulses, spacing.ways.ways)
        if !reading.putBack.isEmpty {
            reading.pulses = (plain.pulses + reading.putBack.map(\.pulse)).sorted {
                $0.position < $1.position
            }
            guard let again = LocalSpacing(reading.pulses.map(\.position)) else { return nil }
            spacing = again
        }
        reading.runs = spacing.ways.runs(reading.pulses, by: Self.calmClock)
        readTracks(
            &reading, Self.calmClock, in: reading.smoothed, noise: reading.noise, attempt: attempt, &seamed)
        return reading.track == nil ? nil : reading
    }
}
