import CardData

/// Reads what the interval clock could not: finds clocking zeros, starts the sequence detector in them, and refines
/// the pulse's shape from what it read, forward and backward in time.
struct HardReading: Sendable {
    var samples: [Float]
    var runs: [IntervalClock.Run]
    /// Power of the noise round the swipe.
    var noise: Float
    var search: FrameSearch

    /// A reading of the whole swipe by the sequence detector.
    struct Result: Sendable {
        var track: FoundTrack?
        var refusal: TrackRefusal
        var run: IntervalClock.Run
        /// The detector ran from the end of the swipe to its beginning; the run is in that order.
        var isTimeReversed: Bool
    }

    private static let refinements = 3
    /// Branches compared over all attempts; some 20 ms.
    private static let mostWork = 1_600_000
    /// What a reading may leave unexplained after each pass, as a part of the power: noise leaves more.
    private static let mostResidual: [Float] = [1.3, 0.85, 0.75, 1]
    /// Wide pulses all make a sine of the zeros: among equals, the narrowest is taken, which leaves ones visible.
    private static let betterFit: Float = 1.002
    private static let widths = [0.15, 0.2, 0.27, 0.36, 0.48, 0.64, 0.85, 1.1, 1.5]

    /// A way to begin.
    private struct Plan {
        var loop: SequenceDetector.Loop
        var isBell = false
        var levelling = CellSampler.Levelling.power
    }

    private static let plans = [
        Plan(loop: .middle), Plan(loop: .middle, levelling: .peaks),
        Plan(loop: .middle, isBell: true, levelling: .steady),
        Plan(loop: .loose), Plan(loop: .tight), Plan(loop: .middle, isBell: true),
        Plan(loop: .loose, levelling: .peaks),
    ]

    /// The first reading without a repair, else the best repaired one.
    func read() -> Result? {
        var best: Result?
        var work = 0
        for plan in Self.plans where work < Self.mostWork {
            for isReversed in [false, true] {
                guard let result = attempt(plan, isReversed: isReversed, &work) else { continue }
                guard let track = result.track else {
                    if best == nil { best = result }
                    continue
                }
                if track.repairedBits == 0 { return result }
                if best?.track.map({ $0.evidence < track.evidence }) ?? true { best = result }
            }
            if best?.track != nil { return best }
        }
        return best
    }

    private func attempt(_ plan: Plan, isReversed: Bool, _ work: inout Int) -> Result? {
        let ordered = isReversed ? runs.reversed().map { reversed($0) } : runs
        guard let zeros = leadIn(ordered) else { return nil }
        let signal = isReversed ? samples.reversed() : samples
        let sampler = CellSampler(signal, cell: zeros.cell, levelling: plan.levelling)
        guard var start = start(zeros, sampler, isBell: plan.isBell) else { return nil }
        let surroundings = FrameSurroundings(signal: signal, noise: noise)
        var detector = SequenceDetector(loop: plan.loop)
        var result: Result?
        for pass in 0...Self.refinements where work < Self.mostWork {
            let path = detector.detect(sampler, from: start.anchor, model: &start.model)
            work += path.work
            guard path.bits.count > SwipeReader.shortestRun else { return result }
            let run = path.run
            let soft = SoftBits(bits: run.bits, reliability: Array(path.reliability.prefix(run.bits.count)))
            let verdict = search.search(soft, repairs: true) { surroundings.isWhole($0, of: run) }
            switch verdict {
            case .found(let track):
                let found = Result(
                    track: track, refusal: .noStartSentinel, run: run, isTimeReversed: isReversed)
                if track.repairedBits == 0 { return found }
                // A better model of the pulse may make the repair unnecessary, or another.
                result = found
            case .refused(let refusal, _):
                if result?.track == nil {
                    result = Result(track: nil, refusal: refusal, run: run, isTimeReversed: isReversed)
                }
            }
            if path.residual > Self.mostResidual[pass] { return result }
            guard let refined = refine(path, sampler, start.model, detector.noise) else { return result }
            start.model = refined.model
            detector.noise = refined.noise
        }
        return result
    }

    private func reversed(_ run: IntervalClock.Run) -> IntervalClock.Run {
        var turned = run
        let last = Double(samples.count - 1)
        turned.edges = run.edges.reversed().map { last - $0 }
        turned.bits.reverse()
        return turned
    }

    /// The first stretch of even zeros.
    private func leadIn(_ runs: [IntervalClock.Run]) -> (edges: [Double], cell: Double)? {
        for fewest in [8, 4] {
            for run in runs {
                var length = 0
                for (index, bit) in run.bits.enumerated() {
                    length = bit == 0 ? length + 1 : 0
                    guard length >= fewest else { continue }
                    var end = index + 1
                    while end < run.bits.count, run.bits[end] == 0, end - index < 24 { end += 1 }
                    let edges = Array(run.edges[index + 1 - length...end])
                    guard let first = edges.first, let last = edges.last else { continue }
                    return (edges, (last - first) / Double(edges.count - 1))
                }
            }
        }
        return nil
    }

    /// The pulse's width from the shape of the zeros, and where to begin.
    private func start(
        _ zeros: (edges: [Double], cell: Double), _ sampler: CellSampler, isBell: Bool
    ) -> (anchor: SequenceDetector.Anchor, model: PulseModel)? {
        var mean = SIMD8<Float>()
        var sign: Float = 1
        for index in 1..<zeros.edges.count - 1 {
            mean += sampler.window(edge: zeros.edges[index], cell: zeros.cell) * sign
            sign = -sign
        }
        mean /= Float(max(zeros.edges.count - 2, 1))
        let zeroPattern = PulseModel.patternMask & 0b1010_1010_1010
        var best: (fit: Float, gain: Float, model: PulseModel)?
        for width in Self.widths {
            var model = isBell ? PulseModel(bellWidth: width) : PulseModel(lorentzianWidth: width)
            let (means, _) = model.window(zeroPattern)
            let product = (mean * means).sum()
            let power = (means * means).sum()
            let fit = product * product / max(power, 1e-6)
            if best.map({ fit > $0.fit * (isBell ? Self.betterFit : 1) }) ?? true {
                let scale = abs(product) / max(power, 1e-6)
                // The model's height makes the gain start at one.
                best = (fit, product < 0 ? -1 : 1, PulseModel(response: model.response.map { $0 * scale }))
            }
        }
        guard let best else { return nil }
        let anchor = SequenceDetector.Anchor(edge: zeros.edges[1], cell: zeros.cell, sign: best.gain, gain: 1)
        return (anchor, best.model)
    }

    private func refine(
        _ path: SequenceDetector.Path, _ sampler: CellSampler, _ model: PulseModel, _ noise: Float
    ) -> (model: PulseModel, noise: Float)? {
        var fit = PulseFit()
        var model = model
        var sum: Float = 0
        var total: Float = 0
        for index in path.bits.indices {
            let window = sampler.window(edge: path.edges[index], cell: path.cells[index])
            let gain = max(path.gains[index], 0.2)
            let expected = model.window(path.patterns[index]).means * (gain * path.signs[index])
            let difference = window - expected
            let squares = (difference * difference).sum() / Float(CellSampler.bins)
            // Cells that do not fit - clicks, wrong bits - teach nothing.
            let trust = sampler.weight(at: path.edges[index]) / (1 + squares / (4 * noise))
            fit.add(path.patterns[index], sign: path.signs[index], window / gain, weight: trust)
            sum += squares * trust
            total += trust
        }
        guard let response = fit.solve(prior: model.response, strength: 0.002) else { return nil }
        let variance = min(max(sum / max(total, 1e-6), 0.003), 0.5)
        return (PulseModel(response: response), variance)
    }
}
