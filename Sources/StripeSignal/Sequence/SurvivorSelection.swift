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

    static let none = Survivor(
        pattern: 0, sign: 1, gain: 1, cost: 0, edge: 0, cell: 0, node: -1, parentIndex: 0, symbol: 0,
        residual: 0,
        losers: -1)
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
    private var previous: [Survivor] = []

    // Kept from one step to the next: a step allocates nothing.
    private var next = [Survivor](repeating: .none, count: mostSurvivors * PatternTable.lanes)
    private var nextCount = 0
    /// Where in `next` each state's survivor is, or -1.
    private var slots = [Int16](repeating: -1, count: 2 * (PulseModel.patterns >> 2))
    private var order: [UInt64] = []

    /// A survivor this far behind the best is given up.
    private static let pruneReach: Float = 30
    private static let mostSurvivors = 16
    /// A bit surer than this is no surer.
    static let mostReliable: Float = 40

    mutating func begin(with survivor: Survivor) {
        nextCount = 0
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
                guard nextCount < next.count else { return }
                slots[place] = Int16(truncatingIfNeeded: nextCount)
                next[nextCount] = Self.child(of: parent, index, offspring, lane)
                nextCount += 1
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
        var best = Float.infinity
        for index in 0..<nextCount {
            slots[Self.slot(next[index].pattern, next[index].sign)] = -1
            best = min(best, next[index].cost)
        }
        order.removeAll(keepingCapacity: true)
        let most = best + Self.pruneReach
        for index in 0..<nextCount where next[index].cost <= most {
            // Costs are not negative: their bits are in their order.
            order.append(UInt64(next[index].cost.bitPattern) << 16 | UInt64(index))
        }
        var dropped: Int32 = -1
        if order.count > Self.mostSurvivors {
            Self.select(Self.mostSurvivors, of: &order)
            let first = next[Int(order[Self.mostSurvivors] & 0xFFFF)]
            dropped = history.lose(first.node, first.symbol, cost: first.cost, to: -1)
            order.removeLast(order.count - Self.mostSurvivors)
        }
        history.endStep(dropped: dropped)
        swap(&current, &previous)
        current.removeAll(keepingCapacity: true)
        for entry in order { keep(Int(entry & 0xFFFF), &history) }
        nextCount = 0
    }

    /// Brings the cheapest to the front, and after them the next.
    private static func select(_ count: Int, of order: inout [UInt64]) {
        // A heap of those kept, the dearest on top.
        var heap = order.mutableSpan
        guard heap.count > count else { return }
        for index in stride(from: (count + 1) / 2 - 1, through: 0, by: -1) {
            sift(heap[unchecked: index], from: index, count + 1, &heap)
        }
        for index in count + 1..<heap.count where heap[unchecked: index] < heap[unchecked: 0] {
            let entry = heap[unchecked: index]
            heap[unchecked: index] = heap[unchecked: 0]
            sift(entry, from: 0, count + 1, &heap)
        }
        heap.swapAt(0, count)
    }

    /// Lets the larger ones below a place rise until the entry fits there. The caller keeps within the heap.
    @inline(__always)
    private static func sift(
        _ entry: UInt64, from start: Int, _ count: Int, _ heap: inout MutableSpan<UInt64>
    ) {
        var index = start
        while 2 &* index &+ 1 < count {
            var child = 2 &* index &+ 1
            if child &+ 1 < count, heap[unchecked: child &+ 1] > heap[unchecked: child] { child &+= 1 }
            guard heap[unchecked: child] > entry else { break }
            heap[unchecked: index] = heap[unchecked: child]
            index = child
        }
        heap[unchecked: index] = entry
    }

    private mutating func keep(_ index: Int, _ history: inout SurvivorHistory) {
        var survivor = next[index]
        let parent = previous[Int(survivor.parentIndex)]
        survivor.node = history.append(
            .init(
                parent: survivor.node, losers: survivor.losers, symbol: survivor.symbol,
                cost: survivor.cost,
                edge: parent.edge, cell: parent.cell, gain: parent.gain, sign: parent.sign,
                pattern: survivor.pattern, residual: survivor.residual))
        current.append(survivor)
    }
}
