import CardData

/// Reads one swipe out of its samples, once it has ended.
struct SwipeReader: Sendable {
    let sampleRate: Int
    let options: StripeOptions

    /// Nil where nothing looks like a card.
    func read(_ samples: [Float], firstSample: UInt64) -> StripeSwipe? {
        let scale = max(1, sampleRate / 44_100)
        var best: (runs: [IntervalClock.Run], score: Double)?
        var bestSignal: [Float] = []
        for width in [3, 1, 6, 12] {
            let band = Band(smoothing: width * scale, baseline: sampleRate / 150)
            let signal = band.filtered(samples)
            let pulses = PulseFinder(turn: 0.3, reach: sampleRate / 200).pulses(in: signal)
            let found = IntervalClock().runs(pulses)
            if found.score > best?.score ?? 0 {
                best = found
                bestSignal = Band(smoothing: 1, baseline: sampleRate / 150).filtered(samples)
            }
        }
        guard let best else { return nil }
        let long = best.runs.filter { $0.bits.count >= Self.shortestRun }
        guard !long.isEmpty else { return nil }
        var result = swipe(long, firstSample: firstSample, count: samples.count)
        if options.searchesHard, !result.tracks.contains(where: { $0.text != nil }) {
            let hard = HardReading(
                samples: bestSignal, runs: best.runs, search: FrameSearch(formats: options.formats))
            if let reading = hard.read() {
                if let track = reading.track {
                    let text = SensitiveText(utf8: track.text)
                    let outcome: TrackOutcome =
                        track.repairedBits == 0 ? .read(text) : .repaired(text, bits: track.repairedBits)
                    result.tracks = [
                        TrackReading(
                            track: track.format.track, outcome: outcome, format: track.format.coding.name)
                    ]
                    result.quality.direction =
                        track.isReversed != reading.isTimeReversed ? .backward : .forward
                }
            }
        }
        return result
    }

    /// Fewer cells than this are no record.
    static let shortestRun = 24

    private func swipe(_ runs: [IntervalClock.Run], firstSample: UInt64, count: Int) -> StripeSwipe {
        var reading = TrackReading(track: 2, outcome: .refused(.noStartSentinel))
        var quality = StripeQuality()
        var evidence = 0.0
        for run in runs {
            let soft = SoftBits(bits: run.bits, reliability: Array(repeating: 4, count: run.bits.count))
            switch FrameSearch(formats: options.formats).search(soft, repairs: false) {
            case .found(let track):
                guard track.evidence > evidence else { continue }
                evidence = track.evidence
                reading = TrackReading(
                    track: track.format.track, outcome: .read(SensitiveText(utf8: track.text)),
                    format: track.format.coding.name)
                quality.direction = track.isReversed ? .backward : .forward
            case .refused(let refusal):
                if reading.text == nil, refusal != .noStartSentinel { reading.outcome = .refused(refusal) }
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
