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

        static let tight = Loop(phase: 0.3, frequency: 0.04, jitter: 0.04)
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
        var residuals: [Float] = []
        /// Branches that were compared to find it.
        var work = 0
        /// Mean squared residual of a bin, in units of the local level.
        var residual: Float = 0
        /// Its cost, over its cells.
        var costPerCell: Float = 0

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
    private var tables = PulseModel.widenings.map { _ in PatternTable() }
    private var history = SurvivorHistory()
    private var current: [Survivor] = []
    private var next: [Survivor] = []
    private var slots = [Int16](repeating: -1, count: 2 * PulseModel.patterns)
    private var order: [UInt64] = []

    init() {}

    /// A card's longest track is 710 cells; noise round it may add some.
    static let mostCells = 1500
    /// The cost of a cell is limited: a click must not decide the whole swipe.
    private static let mostCost: Float = 14
    /// The cost of assuming that a reversal is missing.
    private static let lossCost: Float = 10
    /// Only survivors this close to the best are extended with a missing reversal.
    private static let lossReach: Float = 10
    /// A survivor this far behind the best is given up.
    private static let pruneReach: Float = 30
    private static let gainWeight: Float = 0.08
    private static let gains: ClosedRange<Float> = 0.2...4
    private static let mostReliable: Float = 40
    private static let mostSurvivors = 20

    // Reversal flags of a cell: edge, middle.
    private static let symbols: [UInt16] = [0b10, 0b11, 0b00, 0b01]
    private static let edgeFlag: UInt16 = 0b10

    private struct Survivor {
        var pattern: UInt16
        var sign: Float
        var gain: Float
        var cost: Float
        var edge: Double
        var cell: Double
        /// Index in the history of the survivor that it extends, until it has one of its own.
        var node: Int32
        // What its own node will hold of the cell that was looked at.
        var parentIndex: Int16
        var symbol: UInt8
        var residual: Float
        var losers: Int32
    }

    mutating func detect(
        _ sampler: CellSampler, from anchor: Anchor, model: PulseModel, cells: Int = Self.mostCells
    ) -> Path {
        begin(anchor, model, widens: sampler.hasLifts)
        var work = 0
        for _ in 0..<min(cells, Self.mostCells) {
            let best = current.reduce(Float.infinity) { min($0, $1.cost) }
            var isAtEnd = true
            for index in current.indices
            where current[index].edge + current[index].cell < Double(sampler.count) {
                isAtEnd = false
                work += extend(index, best: best, sampler)
            }
            if isAtEnd { break }
            endStep()
        }
        var path = trace()
        path.work = work
        return path
    }

    private mutating func begin(_ anchor: Anchor, _ model: PulseModel, widens: Bool) {
        tables[0].use(model)
        for index in tables.indices.dropFirst() where widens {
            tables[index].use(model.widened(by: PulseModel.widenings[index]))
        }
        history.removeAll()
        next.removeAll(keepingCapacity: true)
        current.removeAll(keepingCapacity: true)
        // All zeros so far: edges only.
        let zeros = PulseModel.patternMask & 0b1010_1010_1010
        current.append(
            Survivor(
                pattern: zeros, sign: anchor.sign, gain: anchor.gain, cost: 0, edge: anchor.edge,
                cell: anchor.cell, node: -1, parentIndex: 0, symbol: 0, residual: 0, losers: -1))
    }

    private static func slot(_ survivor: Survivor) -> Int {
        // The oldest cell has left the window by the next step.
        Int(survivor.pattern & (PulseModel.patternMask >> 2)) << 1 | (survivor.sign > 0 ? 1 : 0)
    }

    /// Gives the best of the extended survivors their nodes; they are the current ones then.
    private mutating func endStep() {
        order.removeAll(keepingCapacity: true)
        var best = Float.infinity
        for survivor in next {
            slots[Self.slot(survivor)] = -1
            best = min(best, survivor.cost)
        }
        let most = best + Self.pruneReach
        for index in next.indices where next[index].cost <= most {
            // Costs are not negative: their bits are in their order.
            order.append(UInt64(next[index].cost.bitPattern) << 16 | UInt64(index))
        }
        var dropped: Int32 = -1
        if order.count > Self.mostSurvivors {
            select()
            let first = next[Int(order[Self.mostSurvivors] & 0xFFFF)]
            dropped = history.lose(first.node, first.symbol, cost: first.cost, to: -1)
            order.removeLast(order.count - Self.mostSurvivors)
        }
        history.endStep(dropped: dropped)
        keep()
    }

    /// Brings the cheapest to the front, and after them the next.
    private mutating func select() {
        let kept = Self.mostSurvivors + 1
        // A heap of those kept, the dearest on top.
        for index in stride(from: kept / 2 - 1, through: 0, by: -1) { sift(index, kept) }
        for index in kept..<order.count where order[index] < order[0] {
            order.swapAt(0, index)
            sift(0, kept)
        }
        order.swapAt(0, kept - 1)
    }

    private mutating func sift(_ start: Int, _ count: Int) {
        var index = start
        while 2 * index + 1 < count {
            var child = 2 * index + 1
            if child + 1 < count, order[child + 1] > order[child] { child += 1 }
            guard order[child] > order[index] else { return }
            order.swapAt(child, index)
            index = child
        }
    }

    private mutating func keep() {
        for index in order.indices {
            let place = Int(order[index] & 0xFFFF)
            let parent = current[Int(next[place].parentIndex)]
            let survivor = next[place]
            next[place].node = history.append(
                .init(
                    parent: survivor.node, losers: survivor.losers, symbol: survivor.symbol,
                    cost: survivor.cost,
                    edge: parent.edge, cell: parent.cell, gain: parent.gain, sign: parent.sign,
                    pattern: survivor.pattern, residual: survivor.residual))
        }
        current.removeAll(keepingCapacity: true)
        for entry in order { current.append(next[Int(entry & 0xFFFF)]) }
        next.removeAll(keepingCapacity: true)
    }

    /// - Returns: how many branches were compared.
    private mutating func extend(_ index: Int, best: Float, _ sampler: CellSampler) -> Int {
        let survivor = current[index]
        let seen = sampler.window(edge: survivor.edge, cell: survivor.cell)
        let widening = sampler.widening(at: survivor.edge)
        let power = (seen * seen).sum()
        let weight = sampler.weight(at: survivor.edge) / (2 * noise)
        let jitterStiffness = noise / (loop.jitter * loop.jitter)
        let branches = survivor.cost < best + Self.lossReach ? 4 : 2
        for branch in 0..<branches {
            let symbol = Self.symbols[branch]
            let pattern = (survivor.pattern << 2 | symbol) & PulseModel.patternMask
            let entry = tables[widening].entry(pattern)
            let scale = survivor.gain * survivor.sign
            let product = (seen * entry.means).sum()
            let slope = (seen * entry.slopes).sum()
            // Of the difference seen - scale * means: its power, and its product with the change in time.
            let difference = power - scale * (2 * product - scale * entry.meansMeans)
            let change = scale * (slope - scale * entry.meansSlopes)
            let stiffness = scale * scale * entry.slopesSlopes + jitterStiffness
            let shift = -change / stiffness
            let squares = max(difference - shift * shift * stiffness, 0)
            let isLoss = symbol & Self.edgeFlag == 0
            let cost = min(squares * weight, Self.mostCost) + (isLoss ? Self.lossCost : 0)
            let fit = product * survivor.sign / max(entry.meansMeans, 0.01)
            let gain = survivor.gain + Self.gainWeight * (fit - survivor.gain)
            let move = min(max(shift, -0.2), 0.2)
            // The cell's own reversals turn the sign; the pattern's bits 5 and 4 are its edge and middle.
            let turns = (pattern >> 5 & 1) ^ (pattern >> 4 & 1)
            insert(
                Survivor(
                    pattern: pattern, sign: turns == 1 ? -survivor.sign : survivor.sign,
                    gain: min(max(gain, Self.gains.lowerBound), Self.gains.upperBound),
                    cost: survivor.cost + cost,
                    edge: survivor.edge + survivor.cell * Double(1 + loop.phase * move),
                    cell: survivor.cell * Double(1 + loop.frequency * move), node: survivor.node,
                    parentIndex: Int16(truncatingIfNeeded: index),
                    symbol: UInt8(symbol & 1) | (isLoss ? 2 : 0), residual: squares, losers: -1))
        }
        return branches
    }

    private mutating func insert(_ child: Survivor) {
        let place = Self.slot(child)
        let index = Int(slots[place])
        guard index >= 0 else {
            slots[place] = Int16(truncatingIfNeeded: next.count)
            next.append(child)
            return
        }
        let other = next[index]
        if child.cost < other.cost {
            next[index] = child
            next[index].losers = history.lose(
                other.node, other.symbol, cost: other.cost, to: other.losers)
        } else if child.cost < other.cost + Self.mostReliable {
            next[index].losers = history.lose(child.node, child.symbol, cost: child.cost, to: other.losers)
        }
    }

    private func trace() -> Path {
        var path = Path()
        guard let best = current.min(by: { $0.cost < $1.cost }), best.node >= 0 else { return path }
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
        let rivals = current.filter { $0.node != best.node && $0.node >= 0 }.map(\.node)
        let reliability = history.reliabilities(of: indices, rivals: rivals, most: Self.mostReliable)
        path.reliability = calibrated(reliability, residuals: residuals)
        path.costPerCell = best.cost / Float(max(path.bits.count, 1))
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
