import CardData

/// Reads one swipe out of its samples, once it has ended.
struct SwipeReader: Sendable {
    let sampleRate: Int
    let options: StripeOptions

    /// Nil where nothing looks like a card.
    func read(_ samples: [Float], firstSample: UInt64) -> StripeSwipe? {
        let scale = max(1, sampleRate / 44_100)
        var best: (runs: [IntervalClock.Run], score: Double)?
        for width in [3, 1, 6, 12] {
            let band = Band(smoothing: width * scale, baseline: sampleRate / 150)
            let signal = band.filtered(samples)
            let pulses = PulseFinder(turn: 0.3, reach: sampleRate / 200).pulses(in: signal)
            let found = IntervalClock().runs(pulses)
            if found.score > best?.score ?? 0 { best = found }
        }
        guard let best else { return nil }
        let long = best.runs.filter { $0.bits.count >= Self.shortestRun }
        guard !long.isEmpty else { return nil }
        return swipe(long, firstSample: firstSample, count: samples.count)
    }

    /// Fewer cells than this are no record.
    static let shortestRun = 24

    private func swipe(_ runs: [IntervalClock.Run], firstSample: UInt64, count: Int) -> StripeSwipe {
        var reading = TrackReading(track: 2, outcome: .refused(.noStartSentinel))
        var quality = StripeQuality()
        for run in runs {
            for format in options.formats {
                switch format.coding.decode(run.bits, minimumLeadingZeros: 4) {
                case .success(let track):
                    guard track.text.count > (reading.text?.count ?? 4) else { continue }
                    reading = TrackReading(
                        track: format.track, outcome: .read(track.text), format: format.coding.name)
                    quality.direction = track.isReversed ? .backward : .forward
                case .failure(let refusal):
                    if reading.text == nil, refusal != .noStartSentinel {
                        reading.outcome = .refused(refusal)
                    }
                }
            }
        }
        let bitRuns = runs.map { run in
            BitRun(bits: run.bits, direction: nil, cellEdges: run.edges.map { $0 + Double(firstSample) })
        }
        return StripeSwipe(
            startSample: firstSample, endSample: firstSample + UInt64(count), tracks: [reading],
            bitRuns: bitRuns,
            quality: quality, trace: nil)
    }
}
