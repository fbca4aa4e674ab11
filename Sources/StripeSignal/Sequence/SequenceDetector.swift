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
    var survivors = 20
    /// Variance of a bin's noise, in units of the local level squared.
    var noise: Float = 0.05

    /// A card's longest track is 710 cells; noise round it may add some.
    private static let mostCells = 1500
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
    /// How far back merged survivors are compared.
    private static let mergeDepth = 40

    // Reversal flags of a cell: edge, middle.
    private static let zero: UInt16 = 0b10
    private static let one: UInt16 = 0b11
    private static let zeroLost: UInt16 = 0b00
    private static let oneLost: UInt16 = 0b01

    private struct Survivor {
        var pattern: UInt16
        var sign: Float
        var gain: Float
        var cost: Float
        var edge: Double
        var cell: Double
        var node: Int32
    }

    private struct Node {
        var parent: Int32
        var symbol: UInt8
        var reliability: Float
        var edge: Double
        var cell: Double
        var gain: Float
        var sign: Float
        var pattern: UInt16
        var residual: Float
    }

    func detect(_ sampler: CellSampler, from anchor: Anchor, model: inout PulseModel) -> Path {
        var nodes: [Node] = []
        nodes.reserveCapacity(survivors * 1024)
        // All zeros so far: edges only.
        let zeros = PulseModel.patternMask & 0b1010_1010_1010
        var current = [
            Survivor(
                pattern: zeros, sign: anchor.sign, gain: anchor.gain, cost: 0, edge: anchor.edge,
                cell: anchor.cell,
                node: -1)
        ]
        var next: [Survivor] = []
        var slots = [Int16](repeating: -1, count: 2 * PulseModel.patterns)
        for _ in 0..<Self.mostCells {
            next.removeAll(keepingCapacity: true)
            let best = current.first?.cost ?? 0
            var isAtEnd = true
            for survivor in current where survivor.edge + survivor.cell < Double(sampler.count) {
                isAtEnd = false
                extend(survivor, best: best, sampler, &model, &next, &nodes, &slots)
            }
            if isAtEnd { break }
            for survivor in next { slots[slot(survivor)] = -1 }
            prune(&next)
            swap(&current, &next)
        }
        var path = trace(current.first, nodes)
        path.work = nodes.count
        return path
    }

    private func slot(_ survivor: Survivor) -> Int {
        // The oldest cell has left the window by the next step.
        Int(survivor.pattern & (PulseModel.patternMask >> 2)) << 1 | (survivor.sign > 0 ? 1 : 0)
    }

    private func prune(_ next: inout [Survivor]) {
        next.sort { $0.cost < $1.cost }
        var kept = min(next.count, survivors)
        let most = (next.first?.cost ?? 0) + Self.pruneReach
        while kept > 1, next[kept - 1].cost > most { kept -= 1 }
        next.removeLast(next.count - kept)
    }

    private func extend(
        _ survivor: Survivor, best: Float, _ sampler: CellSampler, _ model: inout PulseModel,
        _ next: inout [Survivor], _ nodes: inout [Node], _ slots: inout [Int16]
    ) {
        let seen = sampler.window(edge: survivor.edge, cell: survivor.cell)
        let weight = sampler.weight(at: survivor.edge) / (2 * noise)
        let mayLose = survivor.cost < best + Self.lossReach
        for symbol in [Self.zero, Self.one, Self.zeroLost, Self.oneLost] {
            let isLoss = symbol & 0b10 == 0
            if isLoss, !mayLose { break }
            let pattern = (survivor.pattern << 2 | symbol) & PulseModel.patternMask
            let (means, slopes) = model.window(pattern)
            let scale = survivor.gain * survivor.sign
            let difference = seen - means * scale
            let change = slopes * scale
            let stiffness = (change * change).sum() + noise / (loop.jitter * loop.jitter)
            let shift = -(difference * change).sum() / stiffness
            let squares = max((difference * difference).sum() - shift * shift * stiffness, 0)
            var cost = min(squares * weight, Self.mostCost)
            if isLoss { cost += Self.lossCost }
            let power = (means * means).sum()
            let fit = (seen * means).sum() * survivor.sign / max(power, 0.01)
            let gain = survivor.gain + Self.gainWeight * (fit - survivor.gain)
            let move = min(max(shift, -0.2), 0.2)
            let edge = survivor.edge + survivor.cell * Double(1 + loop.phase * move)
            let cell = survivor.cell * Double(1 + loop.frequency * move)
            // The cell's own reversals turn the sign; the pattern's bits 5 and 4 are its edge and middle.
            let turns = (pattern >> 5 & 1) ^ (pattern >> 4 & 1)
            let child = Survivor(
                pattern: pattern, sign: turns == 1 ? -survivor.sign : survivor.sign,
                gain: min(max(gain, Self.gains.lowerBound), Self.gains.upperBound),
                cost: survivor.cost + cost,
                edge: edge, cell: cell, node: -1)
            let node = Node(
                parent: survivor.node, symbol: UInt8(symbol & 1) | (isLoss ? 2 : 0),
                reliability: Self.mostReliable,
                edge: survivor.edge, cell: survivor.cell, gain: survivor.gain, sign: survivor.sign,
                pattern: pattern, residual: squares)
            insert(child, node, &next, &nodes, &slots)
        }
    }

    private func insert(
        _ child: Survivor, _ node: Node, _ next: inout [Survivor], _ nodes: inout [Node],
        _ slots: inout [Int16]
    ) {
        let place = slot(child)
        var child = child
        child.node = Int32(nodes.count)
        let index = Int(slots[place])
        guard index >= 0 else {
            nodes.append(node)
            slots[place] = Int16(next.count)
            return next.append(child)
        }
        let other = next[index]
        nodes.append(node)
        if child.cost < other.cost {
            next[index] = child
            merge(winner: child.node, loser: other.node, by: other.cost - child.cost, &nodes)
        } else {
            merge(winner: other.node, loser: child.node, by: child.cost - other.cost, &nodes)
        }
    }

    private func merge(winner: Int32, loser: Int32, by difference: Float, _ nodes: inout [Node]) {
        guard difference < Self.mostReliable else { return }
        var first = winner
        var second = loser
        for _ in 0..<Self.mergeDepth where first >= 0 && second >= 0 && first != second {
            if (nodes[Int(first)].symbol ^ nodes[Int(second)].symbol) & 1 == 1 {
                nodes[Int(first)].reliability = min(nodes[Int(first)].reliability, difference)
            }
            first = nodes[Int(first)].parent
            second = nodes[Int(second)].parent
        }
    }

    private func trace(_ last: Survivor?, _ nodes: [Node]) -> Path {
        var path = Path()
        var residuals: [Float] = []
        var index = last?.node ?? -1
        var sum: Float = 0
        while index >= 0 {
            let node = nodes[Int(index)]
            path.bits.append(node.symbol & 1)
            if node.symbol & 2 != 0 { path.lostReversals += 1 }
            path.reliability.append(node.reliability)
            path.edges.append(node.edge)
            path.cells.append(node.cell)
            path.gains.append(node.gain)
            path.signs.append(node.sign)
            path.patterns.append(node.pattern)
            sum += node.residual
            residuals.append(node.residual)
            index = node.parent
        }
        path.bits.reverse()
        path.reliability.reverse()
        path.edges.reverse()
        path.cells.reverse()
        path.gains.reverse()
        path.signs.reverse()
        path.patterns.reverse()
        path.reliability = calibrated(path.reliability, residuals: residuals.reversed())
        path.residuals = residuals.reversed()
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
