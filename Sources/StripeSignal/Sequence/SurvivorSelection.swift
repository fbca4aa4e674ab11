/// A sequence of bits with the clock, the gain and the sign that they imply.
struct Survivor: Sendable {
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
    /// The bit, and 2 if one of its reversals is taken for lost.
    var symbol: UInt8
    var residual: Float
    var losers: Int32
}

/// What becomes of one survivor by each of the four symbols; a lane's number is its symbol.
struct Offspring: Sendable {
    var costs: SIMD4<Float>
    var gains: SIMD4<Float>
    /// By what factor the cell's edge and length are off, by the reversals seen.
    var edges: SIMD4<Float>
    var cells: SIMD4<Float>
    var residuals: SIMD4<Float>
    /// The cell's own reversals turn it.
    var sign: Float
}

/// The survivors of one step: at most one for each state, and the best few of those.
struct SurvivorSelection: Sendable {
    private(set) var current: [Survivor] = []

    // Kept from one step to the next: a step allocates nothing.
    private var next: [Survivor] = []
    /// Where in `next` each state's survivor is, or -1.
    private var slots = [Int16](repeating: -1, count: 2 * (PulseModel.patterns >> 2))
    private var order: [UInt64] = []

    /// A survivor this far behind the best is given up.
    private static let pruneReach: Float = 30
    private static let mostSurvivors = 20
    /// A bit surer than this is no surer.
    static let mostReliable: Float = 40

    mutating func begin(with survivor: Survivor) {
        next.removeAll(keepingCapacity: true)
        current.removeAll(keepingCapacity: true)
        current.append(survivor)
    }

    /// The state that a survivor is in. The oldest cell has left the window by the next step.
    private static func slot(_ pattern: UInt16, _ sign: Float) -> Int {
        Int(pattern & (PulseModel.patternMask >> 2)) << 1 | (sign > 0 ? 1 : 0)
    }

    /// Lets the first of a survivor's offspring compete with what others have become.
    mutating func insert(
        _ offspring: Offspring, of index: Int, count: Int, _ history: inout SurvivorHistory
    ) {
        let parent = current[index]
        let state = Self.slot(parent.pattern << 2, offspring.sign)
        for lane in 0..<count {
            let cost = offspring.costs[lane]
            let place = state | Int(PatternTable.symbol(ofLane: lane)) << 1
            let rival = Int(slots[place])
            guard rival >= 0 else {
                slots[place] = Int16(truncatingIfNeeded: next.count)
                next.append(Self.child(of: parent, index, offspring, lane))
                continue
            }
            let other = next[rival].cost
            if cost < other {
                let losers = history.lose(
                    next[rival].node, next[rival].symbol, cost: other, to: next[rival].losers)
                next[rival] = Self.child(of: parent, index, offspring, lane)
                next[rival].losers = losers
            } else if cost < other + Self.mostReliable {
                next[rival].losers = history.lose(
                    parent.node, UInt8(truncatingIfNeeded: lane), cost: cost, to: next[rival].losers)
            }
        }
    }

    @inline(__always)
    private static func child(
        of parent: Survivor, _ index: Int, _ offspring: Offspring, _ lane: Int
    ) -> Survivor {
        Survivor(
            pattern: (parent.pattern << 2 | PatternTable.symbol(ofLane: lane)) & PulseModel.patternMask,
            sign: offspring.sign, gain: offspring.gains[lane], cost: offspring.costs[lane],
            edge: parent.edge + parent.cell * Double(offspring.edges[lane]),
            cell: parent.cell * Double(offspring.cells[lane]), node: parent.node,
            parentIndex: Int16(truncatingIfNeeded: index), symbol: UInt8(truncatingIfNeeded: lane),
            residual: offspring.residuals[lane], losers: -1)
    }

    /// Gives the best of the extended survivors their nodes; they are the current ones then.
    mutating func endStep(_ history: inout SurvivorHistory) {
        order.removeAll(keepingCapacity: true)
        var best = Float.infinity
        for survivor in next {
            slots[Self.slot(survivor.pattern, survivor.sign)] = -1
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
        keep(&history)
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

    private mutating func keep(_ history: inout SurvivorHistory) {
        for entry in order {
            let place = Int(entry & 0xFFFF)
            let survivor = next[place]
            let parent = current[Int(survivor.parentIndex)]
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
}
