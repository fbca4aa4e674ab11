/// Reads a swipe that came through a band limit, by undoing it first.
///
/// How low the limit is shows neither in the zeros nor anywhere else for sure, so a few are undone, and the one that
/// leaves the most even intervals is taken.
extension SwipeReader {
    /// What is undone by turns. Zeros are half a cycle a cell, ones a whole.
    private static let limits: [BandLimit] =
        [0.4, 0.5, 0.63, 0.8].map { .lowPass(corner: $0) } + [.spacing(cells: 0.8)]
    /// ... and beside the best of them.
    private static let between = [0.89, 1.12]
    /// Fewer samples a cell leave no room between ones and the converter's own limit; with more, filters get long, and
    /// an amplifier that passes no more than that hears no card.
    private static let cellSamples = 4.0...48.0
    /// A stripe has some 700 cells, of which those at its beginning may be longer or shorter. A tone has more, or fewer.
    private static let mostCells = 2000.0
    /// Of the power where zeros are, what may be left where ones are. A tone leaves less.
    private static let onesPower: Range<Float> = 0.000_05..<0.06
    /// By how much more the intervals must agree than they did without: half of them were not to be seen then.
    private static let betterScore = 1.25

    /// The best reading behind an equalizer, if the swipe looks as if there were something to undo.
    func readEqualized(
        _ plain: SwipeReading, noise: Float, attempt: Int, _ seamed: inout SeamedTexts
    ) -> SwipeReading? {
        guard let cell = bandLimitedCell(plain) else { return nil }
        var found = Self.limits.map { (limit: $0, reading: equalized(plain, $0, cell, noise)) }
        guard let best = found.max(by: { $0.reading.score < $1.reading.score }) else { return nil }
        for factor in Self.between {
            let limit = best.limit.scaled(by: factor)
            found.append((limit, equalized(plain, limit, cell, noise)))
        }
        found.sort { $0.reading.score > $1.reading.score }
        guard var flat = found.first?.reading, flat.score > Self.betterScore * plain.score else { return nil }
        for (place, candidate) in found.prefix(2).enumerated() {
            var reading = candidate.reading
            readTracks(
                &reading, IntervalClock(), in: reading.signal, noise: reading.noise, attempt: attempt + place,
                &seamed)
            if reading.track != nil { return reading }
            if place == 0 { flat = reading }
        }
        for (place, candidate) in found.prefix(2).enumerated() {
            if let spaced = readSpaced(candidate.reading, attempt: attempt + 2 + place, &seamed) {
                return spaced
            }
        }
        return flat
    }

    /// Pulses made narrower, by so many cells of what spacing loss would have added.
    private static let slimmer = [0.3, 0.55]

    /// Reads a swipe whose reversals stand so unevenly that pulses push one another away: narrower pulses stand where
    /// their reversals are.
    func readSlimmed(_ reading: inout SwipeReading, attempt: Int, _ seamed: inout SeamedTexts) {
        guard reading.looksLikeStripe, reading.mayHoldRecord, let cell = reading.medianCell,
            Self.cellSamples.contains(cell)
        else {
            return
        }
        for (place, width) in Self.slimmer.enumerated() {
            var slim = equalized(reading, .spacing(cells: width), cell, reading.noise)
            readTracks(
                &slim, IntervalClock(), in: slim.signal, noise: slim.noise, attempt: attempt + 2 * place,
                &seamed)
            if slim.track == nil, let spaced = readSpaced(slim, attempt: attempt + 2 * place + 1, &seamed) {
                slim = spaced
            }
            guard slim.track == nil else {
                reading = slim
                return
            }
        }
    }

    private func equalized(_ plain: SwipeReading, _ limit: BandLimit, _ cell: Double, _ noise: Float)
        -> SwipeReading
    {
        let equalizer = Equalizer(limit, cell: cell)
        var reading = SwipeReading()
        reading.signal = equalizer.filtered(plain.signal)
        reading.smoothed = reading.signal
        reading.isEqualized = true
        reading.noise = noise * equalizer.noiseGain
        reading.smoothedNoise = reading.noise
        reading.pulses = PulseFinder(turn: 0.3, reach: sampleRate / 200).pulses(in: reading.signal)
        (reading.runs, reading.score) = IntervalClock().runs(reading.pulses)
        return reading
    }

    /// Samples a cell, where ones are far fainter than zeros.
    func bandLimitedCell(_ reading: SwipeReading) -> Double? {
        let zeros = LeadIn.evenPulses(reading.pulses.map(\.position)).max { $0.count < $1.count }
        guard let zeros, let first = zeros.first, let last = zeros.last else { return nil }
        let cell = (last - first) / Double(zeros.count - 1)
        guard Self.cellSamples.contains(cell), Double(reading.signal.count) < Self.mostCells * cell else {
            return nil
        }
        let ones = power(of: reading.signal, at: 1 / cell, cell: cell)
        let all = power(of: reading.signal, at: 0.5 / cell, cell: cell)
        return Self.onesPower.contains(ones / max(all, .leastNormalMagnitude)) ? cell : nil
    }

    /// Mean power round a frequency, in cycles a sample, over windows of eight cells.
    private func power(of signal: [Float], at frequency: Double, cell: Double) -> Float {
        let length = Int(8 * cell)
        let parts = (0..<length).map { index -> (Float, Float) in
            let window = 0.5 - 0.5 * Sine.cosine(2 * .pi * (Double(index) + 0.5) / Double(length))
            let angle = 2 * Double.pi * frequency * Double(index)
            return (Float(window * Sine.cosine(angle)), Float(window * Sine.sine(angle)))
        }
        var sum: Float = 0
        for start in stride(from: 0, to: signal.count - length, by: max(length / 2, 1)) {
            var real: Float = 0
            var imaginary: Float = 0
            for index in 0..<length {
                real += signal[start + index] * parts[index].0
                imaginary += signal[start + index] * parts[index].1
            }
            sum += real * real + imaginary * imaginary
        }
        return sum
    }
}
