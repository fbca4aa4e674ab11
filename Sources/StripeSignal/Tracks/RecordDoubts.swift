import CardData

/// Whether a record that was found in a run stands by itself, with nothing missing.
struct RecordDoubts: Sendable {
    var run: IntervalClock.Run
    var surroundings: FrameSurroundings
    /// Of the run of a sequence detector, whose edges are its clock's; nil where the edges are pulses themselves.
    var pulses: [Double]?
    /// The last sample's index, where the run is in the order of a swipe that was turned round in time.
    var turnedAt: Double?

    /// Why the record is not to be relied on, and at which bit in the order of reading.
    ///
    /// - Parameter seamed: what other readings of the swipe were refused for.
    func doubt(of track: FoundTrack, _ seamed: inout SeamedTexts) -> TrackRefusal? {
        let place = track.place(among: run.bits.count)
        if let edge = surroundings.openEnd(of: place, in: run) {
            return .ambiguous(.piece, atBit: bit(edge, track))
        }
        let width = track.format.coding.bitsPerCharacter
        guard let sample = seamed.seam(in: track.text, at: place, width: width, of: self) else { return nil }
        let edge = run.edges[place].firstIndex { $0 >= turned(sample) } ?? place.upperBound
        return .ambiguous(.seam, atBit: bit(edge, track))
    }

    /// Where the clock has a seam within the record, in samples in the order of time.
    ///
    /// - Parameter width: bits of a character.
    func seam(in place: Range<Int>, width: Int) -> Double? {
        let edge: Int?
        if let pulses {
            edge = ClockContinuity(run, pulses: pulses).seam(in: place)
        } else {
            // A smooth clock would hide small patterns: they are looked for in pulses alone.
            edge =
                ClockContinuity(run).seam(in: place) ?? MotionPatterns(run).seam(in: place, width: width)
        }
        guard let edge else { return nil }
        return turned(run.edges.indices.contains(edge) ? run.edges[edge] : 0)
    }

    /// From the run's order of time to the swipe's, and back.
    private func turned(_ sample: Double) -> Double { turnedAt.map { $0 - sample } ?? sample }

    private func bit(_ edge: Int, _ track: FoundTrack) -> Int {
        track.isReversed ? run.bits.count - edge : edge
    }
}
