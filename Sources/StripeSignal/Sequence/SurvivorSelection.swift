/// A sequence of bits with the clock, the gain and the sign that they imply.
struct Survivor: Sendable {
    var pattern: UInt16
    var sign: Float
    var gain: Float
    var cost: Float
    var edge: Double
    var cell: Double
    /// Index in the history.
    var node: Int32
}

/// What becomes of one survivor by each of the four symbols; a lane's number is its symbol.
struct Offspring: Sendable {
    var costs = SIMD4<Float>()
    var gains = SIMD4<Float>()
    /// By what factor the cell's edge and length are off, by the reversals seen.
    var edges = SIMD4<Float>()
    var cells = SIMD4<Float>()
    var residuals = SIMD4<Float>()
    /// The cell's own reversals turn it.
    var sign: Float = 1
}

/// The survivors of one step: at most one for each state, and the best few of those.
struct SurvivorSelection: Sendable {
    private(set) var current: [Survivor] = []

    /// One of a survivor's offspring that was the cheapest of its state so far. What else becomes of it is computed if it is kept.
    private struct Candidate: Sendable {
        var cost: Float = 0
        var state: Int32 = 0
        /// Those that lost against it, in the history.
        var losers: Int32 = -1
        var parent: UInt8 = 0
        var lane: UInt8 = 0
    }

    // Kept from one step to the next: a step allocates nothing.
    private var previous: [Survivor] = []
    private var offspring = [Offspring](repeating: Offspring(), count: mostSurvivors)
    private var candidates = [Candidate](repeating: Candidate(), count: mostCandidates)
    private var candidateCount = 0
    /// Where among the candidates each state's is, or -1.
    private var slots = [Int16](repeating: -1, count: 2 * (PulseModel.patterns >> 2))
    private var order = [UInt64](repeating: 0, count: mostCandidates)

    /// A survivor this far behind the best is given up.
    private static let pruneReach: Float = 30
    private static let mostSurvivors = 16
    private static let mostCandidates = mostSurvivors * PatternTable.lanes
    /// A bit surer than this is no surer.
    static let mostReliable: Float = 40

    mutating func begin(with survivor: Survivor) {
        candidateCount = 0
        current.removeAll(keepingCapacity: true)
        current.append(survivor)
    }

    /// The state that a survivor is in. The oldest cell has left the window by the next step.
    private static func state(_ pattern: UInt16, _ sign: Float) -> Int32 {
        Int32(pattern & (PulseModel.patternMask >> 2)) << 1 | (sign > 0 ? 1 : 0)
    }

    /// Lets the first of a survivor's offspring compete with what others have become.
    mutating func insert(
        _ offspring: Offspring, of index: Int, count: Int, _ history: inout SurvivorHistory
    ) {
        guard self.offspring.indices.contains(index) else { return }
        self.offspring[index] = offspring
        Self.compete(offspring, index, count, current, &slots, &candidates, &candidateCount, &history)
    }

    /// - Parameter others: candidates so far; there is room for each lane of each survivor.
    @inline(__always)
    private static func compete(
        _ offspring: Offspring, _ index: Int, _ lanes: Int, _ survivors: [Survivor],
        _ slots: inout [Int16], _ candidates: inout [Candidate], _ others: inout Int,
        _ history: inout SurvivorHistory
    ) {
        let parent = survivors[index]
        let state = Self.state(parent.pattern << 2, offspring.sign)
        var slots = slots.mutableSpan
        var candidates = candidates.mutableSpan
        for lane in 0..<lanes {
            let place = state | Int32(PatternTable.symbol(ofLane: lane)) << 1
            var candidate = Candidate(
                cost: offspring.costs[lane], state: place, parent: UInt8(truncatingIfNeeded: index),
                lane: UInt8(truncatingIfNeeded: lane))
            let rival = Int(slots[Int(place)])
            guard rival >= 0 else {
                slots[Int(place)] = Int16(truncatingIfNeeded: others)
                candidates[others] = candidate
                others += 1
                continue
            }
            let other = candidates[rival]
            if candidate.cost < other.cost {
                candidate.losers = history.lose(
                    survivors[Int(other.parent)].node, other.lane, cost: other.cost, to: other.losers)
                candidates[rival] = candidate
            } else if candidate.cost < other.cost + Self.mostReliable {
                candidates[rival].losers = history.lose(
                    parent.node, candidate.lane, cost: candidate.cost, to: other.losers)
            }
        }
    }

    /// Gives the best of the candidates their nodes; they are the current survivors then.
    mutating func endStep(_ history: inout SurvivorHistory) {
        var count = Self.order(candidates, candidateCount, within: Self.pruneReach, &slots, &order)
        var dropped: Int32 = -1
        if count > Self.mostSurvivors {
            Self.select(Self.mostSurvivors, of: count, &order)
            let first = candidates[Int(order[Self.mostSurvivors] & 0xFFFF)]
            dropped = history.lose(
                current[Int(first.parent)].node, first.lane, cost: first.cost, to: -1)
            count = Self.mostSurvivors
        }
        history.endStep(dropped: dropped)
        swap(&current, &previous)
        current.removeAll(keepingCapacity: true)
        for index in 0..<count { keep(candidates[Int(order[index] & 0xFFFF)], &history) }
        candidateCount = 0
    }

    /// Puts the candidates that are near enough to the best in a row, each cost with its index, and leaves every state free.
    ///
    /// - Returns: how many they are.
    private static func order(
        _ all: [Candidate], _ count: Int, within reach: Float, _ slots: inout [Int16], _ order: inout [UInt64]
    ) -> Int {
        var best = Float.infinity
        var slots = slots.mutableSpan
        let candidates = all.span
        for index in 0..<count {
            slots[Int(candidates[index].state)] = -1
            best = min(best, candidates[index].cost)
        }
        var order = order.mutableSpan
        var near = 0
        let most = best + reach
        for index in 0..<count where candidates[index].cost <= most {
            // Costs are not negative: their bits are in their order.
            order[near] = UInt64(candidates[index].cost.bitPattern) << 16 | UInt64(index)
            near += 1
        }
        return near
    }

    /// Brings the cheapest to the front, and after them the next.
    private static func select(_ count: Int, of all: Int, _ order: inout [UInt64]) {
        // A heap of those kept, the dearest on top.
        var heap = order.mutableSpan
        guard all > count, all <= heap.count else { return }
        for index in stride(from: (count + 1) / 2 - 1, through: 0, by: -1) {
            sift(heap[unchecked: index], from: index, count + 1, &heap)
        }
        for index in count + 1..<all where heap[unchecked: index] < heap[unchecked: 0] {
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

    /// Makes a survivor of a candidate.
    private mutating func keep(_ candidate: Candidate, _ history: inout SurvivorHistory) {
        let parent = previous[Int(candidate.parent)]
        let offspring = offspring[Int(candidate.parent)]
        let lane = Int(candidate.lane)
        let pattern = (parent.pattern << 2 | PatternTable.symbol(ofLane: lane)) & PulseModel.patternMask
        let node = history.append(
            .init(
                parent: parent.node, losers: candidate.losers, symbol: candidate.lane, cost: candidate.cost,
                edge: parent.edge, cell: parent.cell, gain: parent.gain, sign: parent.sign, pattern: pattern,
                residual: offspring.residuals[lane]))
        current.append(
            Survivor(
                pattern: pattern, sign: offspring.sign, gain: offspring.gains[lane], cost: candidate.cost,
                edge: parent.edge + parent.cell * Double(offspring.edges[lane]),
                cell: parent.cell * Double(offspring.cells[lane]), node: node))
    }
}
