/// How every survivor came about, and who lost against whom: from it the winner's path and the reliability of its
/// bits are read once the end is known.
struct SurvivorHistory: Sendable {
    /// One survivor after one step.
    struct Node: Sendable {
        var parent: Int32 = -1
        /// Head of the list of those that lost against it.
        var losers: Int32 = -1
        /// The bit, and 2 if one of its reversals is taken for lost.
        var symbol: UInt8 = 0
        /// Sum up to here.
        var cost: Float = 0
        // The cell that the step looked at.
        var edge = 0.0
        var cell = 0.0
        var gain: Float = 1
        var sign: Float = 1
        var pattern: UInt16 = 0
        var residual: Float = 0
    }

    /// A path that was given up for another.
    private struct Loser: Sendable {
        var parent: Int32
        var next: Int32
        var symbol: UInt8
        var cost: Float
    }

    private var nodes: [Node] = []
    private var losers: [Loser] = []
    /// For each step, the cheapest survivor that was given up only for want of room.
    private var dropped: [Int32] = []

    /// How far back a loser is compared with the winner.
    private static let mergeDepth = 40

    mutating func removeAll() {
        nodes.removeAll(keepingCapacity: true)
        losers.removeAll(keepingCapacity: true)
        dropped.removeAll(keepingCapacity: true)
    }

    mutating func append(_ node: Node) -> Int32 {
        nodes.append(node)
        return Int32(nodes.count - 1)
    }

    /// - Returns: the new head of the list.
    mutating func lose(_ parent: Int32, _ symbol: UInt8, cost: Float, to list: Int32) -> Int32 {
        losers.append(Loser(parent: parent, next: list, symbol: symbol, cost: cost))
        return Int32(losers.count - 1)
    }

    /// - Parameter loser: from ``lose(_:_:cost:to:)``, or -1.
    mutating func endStep(dropped loser: Int32) { dropped.append(loser) }

    /// The path that ends in a node.
    func path(endingIn last: Int32) -> [Int32] {
        var indices: [Int32] = []
        var index = last
        while index >= 0 {
            indices.append(index)
            index = nodes[Int(index)].parent
        }
        indices.reverse()
        return indices
    }

    subscript(index: Int32) -> Node { nodes[Int(index)] }

    /// What each bit of the path is surer by than the best path with the other value (Hagenauer's SOVA).
    func reliabilities(of path: [Int32], rivals: [Int32], most: Float) -> [Float] {
        var reliability = [Float](repeating: most, count: path.count)
        for step in path.indices {
            var loser = nodes[Int(path[step])].losers
            while loser >= 0 {
                compare(losers[Int(loser)], at: step, path, &reliability)
                loser = losers[Int(loser)].next
            }
            if step < dropped.count, dropped[step] >= 0 {
                compare(losers[Int(dropped[step])], at: step, path, &reliability)
            }
        }
        // At the end, the winner wins over all that are left.
        for rival in rivals {
            let node = nodes[Int(rival)]
            let last = Loser(parent: node.parent, next: -1, symbol: node.symbol, cost: node.cost)
            compare(last, at: path.count - 1, path, &reliability)
        }
        return reliability
    }

    private func compare(_ loser: Loser, at step: Int, _ path: [Int32], _ reliability: inout [Float]) {
        let difference = max(loser.cost - nodes[Int(path[step])].cost, 0)
        var symbol = loser.symbol
        var index = loser.parent
        var place = step
        while place >= 0, step - place < Self.mergeDepth {
            if (nodes[Int(path[place])].symbol ^ symbol) & 1 == 1, difference < reliability[place] {
                reliability[place] = difference
            }
            place -= 1
            guard place >= 0, index >= 0, index != path[place] else { break }
            symbol = nodes[Int(index)].symbol
            index = nodes[Int(index)].parent
        }
    }
}
