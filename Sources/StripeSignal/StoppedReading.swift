import CardData

/// Reads a card that stood still on its way, or was pulled back and went on.
extension SwipeReader {
    private static let stoppedClocks = [
        IntervalClock(), IntervalClock(cellDeviation: 0.2, middleDeviation: 0.13, follow: 0.8),
    ]
    private static let stoppedSmoothings = [3, 1]

    /// A card that stood for so long that what came before and after were swipes of their own, and both refused; nil
    /// where they are no card together.
    func readStopped(_ samples: [Float], firstSample: UInt64) -> StripeSwipe? {
        let (span, noise) = ActiveSpan(sampleRate: sampleRate).find(in: samples)
        let heard = Array(samples[span])
        let wide = withoutBaseline(heard)
        var seamed = SeamedTexts()
        guard var reading = readStopped(wide, noise: noise, attempt: Self.stoppedAttempt, &seamed) else {
            return nil
        }
        refuseSeam(&reading, in: heard, wide)
        guard reading.track != nil else { return nil }
        let rating = ReadingQuality(sampleRate: sampleRate, signalPower: power(wide), noisePower: noise)
        var swipe = reading.swipe(
            firstSample: firstSample + UInt64(span.lowerBound), count: span.count, rating, options)
        swipe?.quality.clippedPercent = Clipping.percent(of: heard)
        return swipe
    }

    /// Readings that were looked at before, and those that are looked at for one card that stopped, as a logarithm.
    private static let stoppedAttempt = 16

    /// What may be read of the card if it stopped; nil where it did not, or nothing came of it.
    ///
    /// - Parameters:
    ///   - wide: the samples without their baseline.
    ///   - attempt: how many readings were looked at before.
    func readStopped(_ wide: [Float], noise: Float, attempt: Int, _ seamed: inout SeamedTexts)
        -> SwipeReading?
    {
        for smoothing in Self.stoppedSmoothings {
            let signal = Band(smoothing: smoothing, baseline: -1).filtered(wide)
            guard let card = stoppedCard(signal) else { continue }
            let unfolded = card.unfolded()
            for clock in Self.stoppedClocks {
                var found: SwipeReading?
                for card in unfolded {
                    guard let reading = read(card, clock, signal, wide, noise, attempt, &seamed) else {
                        continue
                    }
                    if let text = found?.track?.text, text != reading.track?.text {
                        return ambiguous(reading)
                    }
                    found = found ?? reading
                }
                if let found { return found }
            }
        }
        return nil
    }

    /// Two that are right: which it was nobody can tell.
    private func ambiguous(_ reading: SwipeReading) -> SwipeReading {
        var refused = reading
        refused.track = nil
        refused.refusal = .ambiguous(.rival, atBit: 0)
        return refused
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

    private func read(
        _ card: UnfoldedCard, _ clock: IntervalClock, _ signal: [Float], _ wide: [Float], _ noise: Float,
        _ attempt: Int,
        _ seamed: inout SeamedTexts
    ) -> SwipeReading? {
        let speed = HeardSpeed(times: card.pulses.map(\.position), ways: card.ways)
        var reading = SwipeReading()
        reading.pulses = card.pulses
        reading.signal = wide
        reading.smoothed = signal
        reading.noise = noise
        reading.runs = speed.runs(card.pulses, by: clock)
        reading.join = card.join
        readTracks(&reading, clock, in: signal, noise: noise, attempt: attempt, &seamed)
        return reading.track == nil ? nil : reading
    }
}
