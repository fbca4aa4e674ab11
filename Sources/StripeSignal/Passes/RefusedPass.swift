/// What was read of a pass that was refused, kept for the next one of that card.
struct RefusedPass: Sendable {
    /// Its place in the stream.
    let range: Range<UInt64>
    /// In the order of time.
    let runs: [IntervalClock.Run]
    /// Of each run, how sure its bits are.
    let reliability: [[Float]]
    let surroundings: FrameSurroundings
    /// Samples for a cell, where one was found.
    let cell: Double?

    /// A card has some 710 cells, a few records in a row twice that.
    private static let mostBits = 2_000

    init(_ reading: SwipeReading, range: Range<UInt64>) {
        self.range = range
        let kept = reading.runs.filter { $0.bits.count >= SwipeReader.shortestRun }
        // So many are no card's: they cost time, and agree with anything.
        runs = kept.reduce(0) { $0 + $1.bits.count } <= Self.mostBits ? kept : []
        let missed = MissedPulses(signal: reading.smoothed)
        reliability = runs.map { missed.limited($0.reliability, of: $0) }
        surroundings = FrameSurroundings(signal: reading.signal, noise: reading.noise)
        cell = reading.medianCell
    }
}

/// The passes of the last seconds that were refused.
struct RefusedPasses: Sendable {
    private var passes: [RefusedPass] = []
    private let longest: UInt64

    /// Who swipes a card again does so within seconds.
    private static let seconds = 4.0
    private static let most = 3

    init(sampleRate: Int) { longest = UInt64(Double(sampleRate) * Self.seconds) }

    mutating func forgetAll() { passes = [] }

    /// Lets go of the passes that nobody repeats any more.
    mutating func forget(at sample: UInt64) {
        guard !passes.isEmpty else { return }
        passes.removeAll { $0.range.upperBound + longest < sample }
    }

    /// The record that this pass and an earlier one give together; where there is none, the pass is kept for the next.
    mutating func joined(with pass: RefusedPass, formats: [StripeFormat]) -> FoundTrack? {
        forget(at: pass.range.lowerBound)
        for earlier in passes.reversed() {
            if let track = JoinedPasses(earlier, pass, formats: formats).track() {
                passes = []
                return track
            }
        }
        passes = passes.suffix(Self.most - 1) + [pass]
        return nil
    }
}
