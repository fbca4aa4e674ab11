import CardData

/// What was read of a pass that was refused, kept for the next one of that card.
struct RefusedPass: Sendable {
    /// Its place in the stream.
    let range: Range<UInt64>
    /// In the order of time, short ones among them: nothing that was read is passed over.
    let runs: [IntervalClock.Run]
    /// Of each run, how sure its bits are.
    let reliability: [[Float]]
    /// The samples as they came.
    let samples: [Float]
    let surroundings: FrameSurroundings
    /// Samples for a cell, where one was found.
    let cell: Double?

    /// A card has some 710 cells. So many bits are no card's: they cost time, and agree with anything.
    private static let mostBits = 2_000

    /// Nil for a pass that no other one can help: of no card, or refused for more than that a stretch is missing.
    init?(_ read: ReadSwipe, range: Range<UInt64>) {
        let reading = read.reading
        let bits = reading.runs.reduce(0) { $0 + $1.bits.count }
        guard !reading.isSeamed, bits > SwipeReader.shortestRun, bits <= Self.mostBits else { return nil }
        if let doubt = reading.refusal.doubt, doubt != .piece { return nil }
        self.range = range
        runs = reading.runs
        let missed = MissedPulses(
            signal: reading.smoothed, noise: reading.smoothedNoise, rings: reading.isEqualized)
        reliability = runs.map { missed.limited($0.reliability, of: $0) }
        samples = read.samples
        surroundings = FrameSurroundings(signal: reading.signal, noise: reading.noise)
        cell = reading.medianCell
    }
}

/// The passes of the last seconds that were refused.
struct RefusedPasses: Sendable {
    private var passes: [RefusedPass] = []
    private let reader: SwipeReader

    /// Who swipes a card again does so within seconds.
    private static let seconds = 4.0
    /// That a pass is compared with.
    private static let most = 2

    init(_ reader: SwipeReader) { self.reader = reader }

    mutating func forgetAll() { passes = [] }

    /// Lets go of the passes that nobody repeats any more.
    mutating func forget(at sample: UInt64) {
        guard !passes.isEmpty else { return }
        let longest = UInt64(Double(reader.sampleRate) * Self.seconds)
        passes.removeAll { $0.range.upperBound + longest < sample }
    }

    /// The record that this pass and an earlier one give together; where there is none, the pass is kept for the next.
    mutating func joined(with pass: RefusedPass) -> FoundTrack? {
        forget(at: pass.range.lowerBound)
        let earlier = passes.filter { $0.range.upperBound <= pass.range.lowerBound }
        let found = earlier.flatMap { JoinedPasses($0, pass, reader).tracks() }
        passes = passes.suffix(Self.most - 1) + [pass]
        // Of two texts nobody can tell which it is.
        guard let track = found.first, found.allSatisfy({ $0.text == track.text }) else { return nil }
        passes = []
        return track
    }
}
