import CardData

/// What comes of reading a card that may have stopped.
enum StoppedReading<Reading: Sendable>: Sendable {
    /// It did not stop, or nothing is right in what it may have done.
    case nothing
    /// Two texts are right: which it was nobody can tell.
    case rivals
    case read(Reading)
}

/// Reads a card that stood still on its way, or was pulled back and went on.
extension SwipeReader {
    private static let stoppedClocks = [
        IntervalClock(), IntervalClock(cellDeviation: 0.2, middleDeviation: 0.13, follow: 0.8),
    ]
    private static let stoppedSmoothings = [3, 1]
    /// For ``readTracks(_:_:in:noise:attempt:_:)``: the pieces were read before, and 2^8 readings are the most here.
    private static let joinedAttempt = 16

    /// Reads a card that stood for so long that what came before and after were swipes of their own, and not read.
    ///
    /// - Parameters:
    ///   - samples: from the beginning of the first piece to the end of the last.
    ///   - first: the first piece's place in the stream.
    ///   - last: the last one's. The record must have passed in both.
    func readStopped(_ samples: [Float], from first: Range<UInt64>, to last: Range<UInt64>)
        -> StoppedReading<StripeSwipe>
    {
        let (span, noise) = ActiveSpan(sampleRate: sampleRate).find(in: samples)
        let heard = Array(samples[span])
        let wide = withoutBaseline(heard)
        var reading: SwipeReading
        switch readStopped(wide, noise: noise, attempt: Self.joinedAttempt) {
        case .nothing: return .nothing
        case .rivals: return .rivals
        case .read(let found): reading = found
        }
        let start = first.lowerBound + UInt64(span.lowerBound)
        guard let record = reading.record, Double(start) + record.lowerBound < Double(first.upperBound),
            Double(start) + record.upperBound > Double(last.lowerBound)
        else { return .nothing }
        refuseSeam(&reading, in: heard, wide)
        guard reading.track != nil else { return .nothing }
        if options.keepsTrace { (reading.heard, reading.heardNoise) = (wide, noise) }
        let rating = ReadingQuality(sampleRate: sampleRate, signalPower: power(wide), noisePower: noise)
        guard var swipe = reading.swipe(firstSample: start, count: span.count, rating, options) else {
            return .nothing
        }
        swipe.quality.clippedPercent = Clipping.percent(of: heard)
        return .read(swipe)
    }

    /// Reads a card that stopped, by the first clock that reads anything.
    ///
    /// - Parameters:
    ///   - wide: the samples without their baseline.
    ///   - attempt: how many readings were looked at before.
    func readStopped(_ wide: [Float], noise: Float, attempt: Int) -> StoppedReading<SwipeReading> {
        var text: [UInt8]?
        for smoothing in Self.stoppedSmoothings {
            let band = Band(smoothing: smoothing, baseline: -1)
            var heard = SwipeReading()
            (heard.signal, heard.noise) = (wide, noise)
            (heard.smoothed, heard.smoothedNoise) = (band.filtered(wide), noise * band.noisePower)
            guard let card = stoppedCard(heard.smoothed) else { continue }
            let unfolded = card.unfolded()
            for clock in Self.stoppedClocks {
                var found: SwipeReading?
                for card in unfolded {
                    guard let reading = read(card, clock, heard, attempt) else { continue }
                    if let text, text != reading.track?.text { return .rivals }
                    text = reading.track?.text
                    if found == nil, isBetweenZeros(reading) { found = reading }
                }
                if let found { return .read(found) }
            }
        }
        return .nothing
    }

    /// The longest run shows how the card usually moved.
    private func stoppedCard(_ signal: [Float]) -> StoppedCard? {
        var plain = SwipeReading()
        plain.pulses = PulseFinder(turn: 0.3, reach: sampleRate / 200).pulses(in: signal)
        (plain.runs, plain.score) = IntervalClock().runs(plain.pulses)
        guard let run = plain.cardRun, let cell = plain.medianCell,
            let first = run.edges.first, let last = run.edges.last
        else { return nil }
        let heights = plain.pulses.filter { first <= $0.position && $0.position <= last }
            .map { abs($0.amplitude) }.sorted()
        guard !heights.isEmpty else { return nil }
        return StoppedCard(in: signal, cell: cell, usual: heights[heights.count / 2])
    }

    /// Nil where nothing is right, or not on both sides of the stop.
    private func read(
        _ card: UnfoldedCard, _ clock: IntervalClock, _ heard: SwipeReading, _ attempt: Int
    ) -> SwipeReading? {
        let ways = PulseWays(times: card.pulses.map(\.position), ways: card.ways)
        var reading = heard
        reading.pulses = card.pulses
        reading.runs = ways.runs(card.pulses, by: clock)
        reading.join = card.join
        // What was refused for a stop that was not known of is no seam.
        var seamed = SeamedTexts()
        readTracks(&reading, clock, in: heard.smoothed, noise: heard.noise, attempt: attempt, &seamed)
        guard let record = reading.record, record.lowerBound < card.join.lowerBound,
            record.upperBound > card.join.upperBound, !repeatsItself(reading, at: card.join)
        else { return nil }
        return reading
    }

    /// So many clocking zeros stand on both sides of a record that was put together. What ends sooner may be a stretch of a card that
    /// turned back there, too.
    private static let leastZeros = 12

    private func isBetweenZeros(_ reading: SwipeReading) -> Bool {
        guard let track = reading.track else { return false }
        let bits = reading.runs[reading.trackRun].bits
        let place = track.place(among: bits.count)
        return [
            bits[..<place.lowerBound].suffix(Self.leastZeros),
            bits[place.upperBound...].prefix(Self.leastZeros),
        ]
        .allSatisfy { $0.count == Self.leastZeros && !$0.contains(1) }
    }

    /// Whether the text does, where the stretches were put together.
    private func repeatsItself(_ reading: SwipeReading, at join: ClosedRange<Double>) -> Bool {
        guard let track = reading.track else { return false }
        let run = reading.runs[reading.trackRun]
        let middle = (join.lowerBound + join.upperBound) / 2
        let edge = run.edges.firstIndex { $0 >= middle } ?? run.bits.count
        let bit = track.isReversed ? run.bits.count - edge : edge
        let place = (bit - track.place.lowerBound) / track.format.coding.bitsPerCharacter
        return RepeatedCharacters.surround(place, in: track.text)
    }
}
