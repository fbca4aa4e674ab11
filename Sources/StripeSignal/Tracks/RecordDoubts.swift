import CardData

/// Whether a record that was found in a run stands by itself, with nothing missing.
struct RecordDoubts: Sendable {
    private let run: IntervalClock.Run
    private let surroundings: FrameSurroundings
    /// Of the run of a sequence detector, whose edges are its clock's; nil where the edges are pulses themselves.
    private let pulses: [Double]?
    /// The last sample's index, where the run is in the order of a swipe that was turned round in time.
    private let turnedAt: Double?
    /// Where stretches between a card's stops were put together, in samples.
    private let join: ClosedRange<Double>?
    /// The pulses that were found; empty where the run was not chosen among them.
    private let found: [FluxReversal]

    // A run has one clock, however many texts are found in it: they are computed once, and only where one is.
    private lazy var clock = pulses.map { ClockContinuity(run, pulses: $0) } ?? ClockContinuity(run)
    private lazy var motions = MotionPatterns(run)
    private lazy var slow = SlowStretches(
        run, in: surroundings.signal, noise: surroundings.noise, join: join)

    init(
        run: IntervalClock.Run, surroundings: FrameSurroundings, pulses: [Double]? = nil,
        turnedAt: Double? = nil, join: ClosedRange<Double>? = nil, found: [FluxReversal] = []
    ) {
        self.run = run
        self.surroundings = surroundings
        self.pulses = pulses
        self.turnedAt = turnedAt
        self.join = join
        self.found = found
    }

    /// Why the record is not to be relied on, and at which bit in the order of reading.
    ///
    /// - Parameter seamed: what other readings of the swipe were refused for.
    mutating func doubt(of track: FoundTrack, _ seamed: inout SeamedTexts) -> TrackRefusal? {
        piece(track) ?? seam(track, &seamed)
    }

    /// In cells that are shorter, over a whole record, ones are beyond half of the sample rate: they show by nothing but
    /// their absence, and errors come in pairs that parity and LRC allow, with likelihoods that know nothing of them.
    static let leastSamples = 2.0

    /// Where nothing bounds the record; where reversals of the card were left out; its beginning, where it passed the head too fast
    /// for the sample rate.
    func piece(_ track: FoundTrack) -> TrackRefusal? {
        let place = track.place(among: run.bits.count)
        guard !isTooFast(place) else { return .ambiguous(.unsureBits, atBit: track.place.lowerBound) }
        if let cell = LeftOutReversals(found).cell(of: run, in: place) {
            return .ambiguous(.unsureBits, atBit: bit(track.isReversed ? cell + 1 : cell, track))
        }
        return surroundings.openEnd(of: place, in: run).map { .ambiguous(.piece, atBit: bit($0, track)) }
    }

    /// Anywhere in the record, eight cells in a row must have so many samples a cell in the mean: a hand is not as fast everywhere.
    private static let (stretch, leastSamplesInStretch) = (8, 1.75)

    func isTooFast(_ place: Range<Int>) -> Bool {
        guard place.lowerBound >= 0, place.upperBound < run.edges.count else { return false }
        let stop = join.map { $0.upperBound - $0.lowerBound } ?? 0
        let length = run.edges[place.upperBound] - run.edges[place.lowerBound] - stop
        let cells = min(Self.stretch, place.count)
        return length < Self.leastSamples * Double(place.count)
            || (place.lowerBound...place.upperBound - cells).contains { first in
                run.edges[first + cells] - run.edges[first] < Self.leastSamplesInStretch * Double(cells)
            }
    }

    /// Where the record's clock has a seam, which costs far more to tell.
    mutating func seam(_ track: FoundTrack, _ seamed: inout SeamedTexts) -> TrackRefusal? {
        let place = track.place(among: run.bits.count)
        guard let sample = seamed.seam(in: track.text, at: place, as: track.format, of: &self) else {
            return nil
        }
        let edge = run.edges[place].firstIndex { $0 >= turned(sample) } ?? place.upperBound
        return .ambiguous(.seam, atBit: bit(edge, track))
    }

    /// Where the clock has a seam within the record, in samples in the order of time.
    ///
    /// - Parameter format: the record's.
    mutating func seam(in place: Range<Int>, as format: StripeFormat) -> Double? {
        let width = format.coding.bitsPerCharacter
        if let cell = RetracedStretch(run, in: place, as: format).cell { return turned(run.edges[cell]) }
        // A smooth clock would hide small patterns: they are looked for in pulses alone.
        var found = seam(in: place, width, without: nil)
        // A card that stuck is looked for where it matters only.
        if found != nil, !slow.stretches.isEmpty { found = seam(in: place, width, without: slow) }
        guard let edge = found else { return nil }
        return turned(run.edges.indices.contains(edge) ? run.edges[edge] : 0)
    }

    private mutating func seam(in place: Range<Int>, _ width: Int, without slow: SlowStretches?) -> Int? {
        clock.seam(in: place, without: slow)
            ?? (pulses == nil ? motions.seam(in: place, width: width, without: slow) : nil)
    }

    /// From the run's order of time to the swipe's, and back.
    private func turned(_ sample: Double) -> Double { turnedAt.map { $0 - sample } ?? sample }

    private func bit(_ edge: Int, _ track: FoundTrack) -> Int {
        track.isReversed ? run.bits.count - edge : edge
    }
}
