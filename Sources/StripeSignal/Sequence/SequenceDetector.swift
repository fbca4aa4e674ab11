/// Maximum-likelihood sequence detection over flux states, with a clock of its own for every survivor.
///
/// A survivor is a sequence of bits with the clock, the gain and the sign that they imply. For each next bit the
/// waveform expected in a cell's window is compared with the one seen; the difference that a shift in time explains
/// moves the survivor's clock, the rest is its cost. Survivors that agree on the reversals that still matter are
/// merged, and what the loser lacked becomes the reliability of the bits in which they differ (Hagenauer's SOVA).
struct SequenceDetector: Sendable {
    /// How a survivor's clock follows.
    struct Loop: Sendable, Hashable {
        /// Part of a shift that moves the next edge, and part that changes the cell's length.
        var phase: Float
        var frequency: Float
        /// Standard deviation of the shifts that are put down to jitter, in cells.
        var jitter: Float

        static let middle = Loop(phase: 0.5, frequency: 0.12, jitter: 0.05)
        static let loose = Loop(phase: 0.8, frequency: 0.35, jitter: 0.08)
    }

    /// Where to begin: within clocking zeros.
    struct Anchor: Sendable {
        var edge: Double
        var cell: Double
        var sign: Float
        var gain: Float
    }

    /// The winner.
    struct Path: Sendable {
        var bits: [UInt8] = []
        var reliability: [Float] = []
        var edges: [Double] = []
        var cells: [Double] = []
        var gains: [Float] = []
        var signs: [Float] = []
        var patterns: [UInt16] = []
        var lostReversals = 0
        /// Branches that were compared to find it.
        var work = 0
        /// Mean squared residual of a bin, in units of the local level.
        var residual: Float = 0

        /// The path as bits between edges. A symbol is decided two cells ahead of the window that its step looked
        /// at; the last ones have not been seen whole.
        var run: IntervalClock.Run {
            var run = IntervalClock.Run()
            let ahead = PulseModel.cellsAfter
            run.bits = Array(bits.dropLast(min(ahead, bits.count)))
            run.edges = Array(edges.dropFirst(min(ahead, edges.count)))
            if let last = edges.last, let cell = cells.last { run.edges.append(last + cell) }
            return run
        }
    }

    var loop = Loop.middle
    /// Variance of a bin's noise, in units of the local level squared.
    var noise: Float = SequenceDetector.firstNoise
    static let firstNoise: Float = 0.05

    // Kept from one pass to the next: a pass allocates nothing.
    private var tables = PatternTable(models: PulseModel.widenings.count)
    private var history = SurvivorHistory()
    private var selection = SurvivorSelection()

    init() {}

    /// A card's longest track is 710 cells; noise round it may add some.
    static let mostCells = 1500
    /// The cost of a cell is limited: a click must not decide the whole swipe.
    private static let mostCost: Float = 14
    /// The cost of assuming that a reversal is missing.
    private static let lossCost: Float = 10
    /// ... which the upper two lanes do: no reversal at the edge.
    @inline(__always)
    private static var lossCosts: SIMD4<Float> { SIMD4(0, 0, lossCost, lossCost) }
    /// Only survivors this close to the best are extended with a missing reversal.
    private static let lossReach: Float = 10
    private static let gainWeight: Float = 0.08
    private static let gains: ClosedRange<Float> = 0.2...4
    /// In cells: an edge is moved no farther by what one window shows.
    private static let moves: ClosedRange<Float> = -0.2...0.2

    mutating func detect(_ sampler: CellSampler, from anchor: Anchor, model: PulseModel) -> Path {
        let work = run(sampler, from: anchor, model: model, cells: Self.mostCells)
        var path = trace()
        path.work = work
        return path
    }

    /// How badly the first cells fit; no cost where there are none, or where it is certain to be over a limit.
    mutating func probe(
        _ sampler: CellSampler, from anchor: Anchor, model: PulseModel, cells: Int, below limit: Float
    ) -> (costPerCell: Float?, work: Int) {
        // Costs only grow, and no path has more cells than were asked for.
        let most = limit * Float(cells)
        let work = run(sampler, from: anchor, model: model, cells: cells, below: most)
        guard let best, best.node >= 0, best.cost <= most else { return (nil, work) }
        return (best.cost / Float(history.path(endingIn: best.node).count), work)
    }

    /// - Returns: how many branches were compared.
    private mutating func run(
        _ sampler: CellSampler, from anchor: Anchor, model: PulseModel, cells: Int,
        below limit: Float = .infinity
    ) -> Int {
        begin(anchor, model, widens: sampler.hasLifts)
        let count = Double(sampler.count)
        var work = 0
        for _ in 0..<min(cells, Self.mostCells) {
            let least = selection.current.reduce(Float.infinity) { min($0, $1.cost) }
            guard least <= limit else { break }
            let reach = least + Self.lossReach
            var isAtEnd = true
            for index in selection.current.indices {
                let survivor = selection.current[index]
                guard survivor.edge + survivor.cell < count else { continue }
                isAtEnd = false
                let branches = survivor.cost < reach ? 4 : 2
                let offspring = offspring(of: survivor, sampler)
                selection.insert(offspring, of: index, count: branches, &history)
                work += branches
            }
            if isAtEnd { break }
            selection.endStep(&history)
        }
        return work
    }

    private var best: Survivor? { selection.current.min { $0.cost < $1.cost } }

    private mutating func begin(_ anchor: Anchor, _ model: PulseModel, widens: Bool) {
        tables.use(widens ? PulseModel.widenings.map { model.widened(by: $0) } : [model])
        history.removeAll()
        // All zeros so far: edges only.
        let zeros = PulseModel.patternMask & 0b1010_1010_1010
        selection.begin(
            with: Survivor(
                pattern: zeros, sign: anchor.sign, gain: anchor.gain, cost: 0, edge: anchor.edge,
                cell: anchor.cell, node: -1))
    }

    /// What the survivor becomes by each symbol that may come next.
    @inline(__always)
    private mutating func offspring(of survivor: Survivor, _ sampler: CellSampler) -> Offspring {
        let seen = sampler.window(edge: survivor.edge, cell: survivor.cell)
        let power = (seen * seen).sum()
        let weight = sampler.weight(at: survivor.edge) / (2 * noise)
        let jitterStiffness = noise / (loop.jitter * loop.jitter)
        let scale = survivor.gain * survivor.sign
        let match = tables.compare(
            seen, after: survivor.pattern, model: sampler.widening(at: survivor.edge))
        // Of the difference seen - scale * means: its power, and its product with the change in time.
        let difference = power - scale * (2 * match.products - scale * match.meansMeans)
        let change = scale * (match.slopes - scale * match.meansSlopes)
        let stiffness = scale * scale * match.slopesSlopes + jitterStiffness
        let shift = -change / stiffness
        let squares = (difference - shift * shift * stiffness).raised(to: 0)
        let costs = (squares * weight).lowered(to: Self.mostCost)
        let fit = match.products * survivor.sign / match.power
        let gains = survivor.gain + Self.gainWeight * (fit - survivor.gain)
        let move = shift.raised(to: Self.moves.lowerBound).lowered(to: Self.moves.upperBound)
        // The pattern's bits 3 and 2 are the edge and the middle of the cell looked at.
        let turns = (survivor.pattern >> 3 & 1) ^ (survivor.pattern >> 2 & 1)
        return Offspring(
            costs: survivor.cost + (costs + Self.lossCosts),
            gains: gains.raised(to: Self.gains.lowerBound).lowered(to: Self.gains.upperBound),
            edges: 1 + loop.phase * move, cells: 1 + loop.frequency * move, residuals: squares,
            sign: turns == 1 ? -survivor.sign : survivor.sign)
    }

    private func trace() -> Path {
        var path = Path()
        guard let best, best.node >= 0 else { return path }
        let indices = history.path(endingIn: best.node)
        var residuals: [Float] = []
        var sum: Float = 0
        for index in indices {
            let node = history[index]
            path.bits.append(node.symbol & 1)
            if node.symbol & 2 != 0 { path.lostReversals += 1 }
            path.edges.append(node.edge)
            path.cells.append(node.cell)
            path.gains.append(node.gain)
            path.signs.append(node.sign)
            path.patterns.append(node.pattern)
            sum += node.residual
            residuals.append(node.residual)
        }
        let rivals = selection.current.filter { $0.node != best.node && $0.node >= 0 }.map(\.node)
        let reliability = history.reliabilities(
            of: indices, rivals: rivals, most: SurvivorSelection.mostReliable)
        path.reliability = calibrated(reliability, residuals: residuals)
        path.residual = sum / Float(max(path.bits.count, 1) * CellSampler.bins)
        return path
    }

    /// Where the waveform fits worse than the noise explains, the model is wrong, and the bits are less sure than
    /// the likelihoods say.
    private func calibrated(_ reliability: [Float], residuals: [Float]) -> [Float] {
        let local = Band.movingAverage(residuals, width: 7)
        let usual = noise * Float(CellSampler.bins) * 1.3
        return reliability.indices.map { index in
            // A bit is decided by cells around it; the symbol at a step lies two cells ahead of the window.
            let near = local[min(index + PulseModel.cellsAfter, local.count - 1)]
            let trust = min(1, usual / max(near, .leastNormalMagnitude))
            return reliability[index] * trust * trust
        }
    }
}

extension SIMD4<Float> {
    /// None of them lower.
    func raised(to least: Float) -> Self { replacing(with: least, where: self .< least) }
    /// None of them higher.
    func lowered(to most: Float) -> Self { replacing(with: most, where: self .> most) }
}
