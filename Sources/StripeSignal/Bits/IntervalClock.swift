import CardData

/// Reads bits out of the times of pulses: which pulses are cell edges, which are the middles of ones, which noise.
///
/// A dynamic programme over the pulses. A node is "this pulse is a cell's edge"; it keeps the best few clocks that
/// lead there. From a node, the next edge is the next pulse (a zero) or the one after (a one, with a pulse in the
/// middle); one spurious pair may be skipped. Every pulse may also begin a new run, at a price, which is how a
/// reading gets over a splice in the recording or a lost transition.
struct IntervalClock: Sendable {
    /// Tolerance of a cell's length against the clock (natural logarithm of the ratio), as a standard deviation.
    var cellDeviation = 0.11
    /// Tolerance of the middle of a one, as a fraction of the cell.
    var middleDeviation = 0.085
    /// How much of a cell's deviation moves the clock.
    var follow = 0.4
    /// How much of it changes the clock's own trend, a cell: a jerk is smooth over some cells.
    var jerk = 0.0

    /// A cell's length where a run begins; nil: what the pulses show that it begins with.
    var usualCell: Double?

    /// How a clock follows that takes a reversal's place for partly jitter; nil: each edge is where its pulse is.
    var loop: Loop?

    /// Gains for each reversal's deviation from where it was expected.
    struct Loop: Sendable {
        var phase: Double
        var frequency: Double
        /// Of the lateness of one polarity against the other.
        var skew: Double
        /// Standard deviation of a reversal's place, in cells.
        var deviation: Double
    }

    static let survivors = 3
    /// The speed of a hand does not change by more within one cell.
    private static let mostTrend = 0.35
    private static let largestMiddleOffset = 0.28
    /// A reversal farther from its place, in cells, belongs elsewhere.
    private static let largestDeviation = 0.4
    private static let restartPenalty = 12.0
    /// A run with another clock than the one before it is less likely still.
    private static let jumpPenalty = 8.0
    /// A tone is read as zeros, not as ones of half its clock.
    private static let onePenalty = 0.15
    private static let spuriousPenalty = 5.0
    /// What explaining one pulse is worth: a path that skips much cannot win.
    private static let reward = 1.6

    /// One way to reach a pulse as a cell's edge.
    struct Node {
        var score: Double
        var cell: Double
        /// Natural logarithm of a cell's length over the one's before, as it has gone so far.
        var trend = 0.0
        /// Where the cell's edge is taken to be, and by how many cells pulses of even number come late.
        var edge = 0.0
        var skew = 0.0
        var from: Int32
        /// 0 and 1: a bit; 2: a run begins here.
        var symbol: UInt8
        /// Where in the cell the middle reversal of a one stood.
        var middle: Float = 0.5
        /// What the last cell's deviations cost, and of how many reversals.
        var strain = 0.0
        var strained = 0.0
    }

    /// A run of bits as it passed the head, with the positions of the cells' edges.
    struct Run: Sendable {
        var bits: [UInt8] = []
        var edges: [Double] = []
        /// Where a one's middle stood, as a fraction of the cell; empty for a run built without them.
        var middles: [Float] = []
        /// Whether pulses lie in the cell that its bit does not explain; empty for a run built without pulses.
        var isCrowded: [Bool] = []
        /// By how much each bit's reading leads the best with the other value (``sharedLeads``); empty where rivals were not kept.
        var leads: [Float] = []

        /// Where a bit begins, counted in the direction of reading.
        func position(ofBit bit: Int?, isReversed: Bool) -> Double? {
            guard let bit else { return nil }
            let edge = isReversed ? bits.count - bit : bit
            return edges.indices.contains(edge) ? edges[edge] : nil
        }

        /// Whether hardly any bit differs from the others, as in a tone.
        var isTone: Bool {
            let ones = bits.reduce(0) { $0 + Int($1) }
            return min(ones, bits.count - ones) < bits.count / 50 + 2
        }
    }

    /// What the cells of a run add to a score where each is as long as the clock has it.
    static func worth(of bits: [UInt8]) -> Double {
        bits.reduce(0) { $0 + ($1 == 0 ? reward : 2 * reward - onePenalty) }
    }

    /// - Parameter weighsRivals: whether the runs carry their ``Run/leads``, which takes longer.
    func runs(_ pulses: [FluxReversal], weighsRivals: Bool = false) -> (runs: [Run], score: Double) {
        let first = path(pulses.map(\.position), weighsRivals)
        let shift = asymmetry(first.runs, pulses)
        guard abs(shift) > Self.leastAsymmetry else { return first }
        let straight = pulses.map { $0.position + ($0.amplitude > 0 ? -shift : shift) / 2 }
        let second = path(straight, weighsRivals)
        return second.score > first.score ? second : first
    }

    /// Fewer samples than this are not worth a second pass.
    private static let leastAsymmetry = 0.3

    /// By how many samples pulses of positive sign come late, from the lengths of zeros: such a zero is long when
    /// it ends in one, short when it begins with one.
    private func asymmetry(_ runs: [Run], _ pulses: [FluxReversal]) -> Double {
        var sum = 0.0
        var count = 0.0
        var index = 0
        for run in runs where run.bits.count > 12 {
            for cell in 1..<run.bits.count - 1 where run.bits[cell] == 0 && run.bits[cell - 1] == 0 {
                while index < pulses.count, pulses[index].position < run.edges[cell] { index += 1 }
                guard index < pulses.count else { break }
                let difference =
                    (run.edges[cell] - run.edges[cell - 1]) - (run.edges[cell + 1] - run.edges[cell])
                sum += pulses[index].amplitude > 0 ? difference : -difference
                count += 1
            }
        }
        // Both zeros are off by the whole shift, in opposite directions.
        return count > 6 ? sum / count / 2 : 0
    }

    private func path(_ times: [Double], _ weighsRivals: Bool) -> (runs: [Run], score: Double) {
        guard times.count > 3 else { return ([], 0) }
        var nodes = Lattice(count: times.count, weighsRivals)
        var best = 0.0
        var bestNode: Int32 = -1
        for index in times.indices {
            begin(at: index, times, best: best, bestNode: bestNode, &nodes)
            for slot in 0..<Self.survivors {
                let node = nodes.nodes[index * Self.survivors + slot]
                guard node.score > -.infinity else { break }
                if node.score > best, node.symbol != 2 {
                    best = node.score
                    bestNode = Int32(index * Self.survivors + slot)
                }
                extend(node, at: index, slot: slot, times, &nodes)
            }
        }
        return (trace(bestNode, nodes, times), best)
    }

    private func begin(
        at index: Int, _ times: [Double], best: Double, bestNode: Int32, _ nodes: inout Lattice
    ) {
        for span in 1...2 where index + span < times.count {
            let cell = usualCell ?? times[index + span] - times[index]
            var score = best - Self.restartPenalty
            guard nodes.mayTake(score, at: index) else { return }
            if bestNode >= 0 {
                let ratio = cell / nodes.nodes[Int(bestNode)].cell
                if ratio > 1.5 || ratio < 0.67 { score -= Self.jumpPenalty }
            }
            nodes.insert(
                Node(score: score, cell: cell, edge: times[index], from: bestNode, symbol: 2), at: index)
        }
    }

    private func extend(_ node: Node, at index: Int, slot: Int, _ times: [Double], _ nodes: inout Lattice) {
        let from = Int32(index * Self.survivors + slot)
        for skipped in [0, 2] {
            let penalty = skipped == 0 ? 0 : Self.spuriousPenalty
            let zeroWorth = Self.reward - penalty
            let oneWorth = 2 * Self.reward - Self.onePenalty - penalty
            // Deviations only cost: what would not be kept without any need not be computed.
            if index + 1 + skipped < times.count {
                let next = index + 1 + skipped
                if nodes.mayTake(node.score + zeroWorth, at: next),
                    var node = zero(node, from: index, to: next, times)
                {
                    node.score += zeroWorth
                    node.from = from
                    nodes.insert(node, at: next)
                }
            }
            guard index + 2 + skipped < times.count else { continue }
            let next = index + 2 + skipped
            guard nodes.mayTake(node.score + oneWorth, at: next) else { continue }
            for middle in stride(from: index + 1, to: next, by: 2) {
                guard var node = one(node, from: index, over: middle, to: next, times) else { continue }
                node.score += oneWorth
                node.from = from
                nodes.insert(node, at: next)
            }
        }
    }

    private func zero(_ node: Node, from index: Int, to next: Int, _ times: [Double]) -> Node? {
        guard let loop else {
            guard let step = cell(node, times[next] - times[index]) else { return nil }
            return Node(
                score: node.score + step.gain, cell: step.cell, trend: step.trend, from: -1, symbol: 0,
                strain: -step.gain, strained: 1)
        }
        var step = node
        step.symbol = 0
        (step.strain, step.strained) = (0, 0)
        return follow(loop, &step, by: 1, to: next, times) ? step : nil
    }

    private func one(
        _ node: Node, from index: Int, over middle: Int, to next: Int, _ times: [Double]
    ) -> Node? {
        guard let loop else {
            guard let step = cell(node, times[next] - times[index]) else { return nil }
            // Where cells grow longer, a one's first half is the shorter one.
            let offset =
                (times[middle] - times[index]) / (times[next] - times[index]) - 0.5 + node.trend / 8
            guard abs(offset) < Self.largestMiddleOffset else { return nil }
            let deviation = offset / middleDeviation
            let strain = 0.5 * deviation * deviation - step.gain
            return Node(
                score: node.score - strain, cell: step.cell, trend: step.trend, from: -1, symbol: 1,
                middle: Float(offset + 0.5), strain: strain, strained: 2)
        }
        var step = node
        step.symbol = 1
        (step.strain, step.strained) = (0, 0)
        guard follow(loop, &step, by: 0.5, to: middle, times), follow(loop, &step, by: 0.5, to: next, times)
        else { return nil }
        step.middle = Float((times[middle] - times[index]) / max(times[next] - times[index], 1e-9))
        return step
    }

    /// Goes on by a part of a cell to the reversal there; false where it is too far from its place.
    private func follow(
        _ loop: Loop, _ node: inout Node, by part: Double, to next: Int, _ times: [Double]
    ) -> Bool {
        let side = next & 1 == 0 ? 0.5 : -0.5
        let expected = node.edge + part * node.cell
        let deviation = (times[next] - expected) / node.cell - side * node.skew
        guard abs(deviation) < Self.largestDeviation else { return false }
        let strain = 0.5 * deviation * deviation / (loop.deviation * loop.deviation)
        node.score -= strain
        node.strain += strain
        node.strained += 1
        node.edge = expected + loop.phase * deviation * node.cell
        node.cell *= 1 + loop.frequency * deviation
        node.skew += loop.skew * side * deviation
        return true
    }

    private func cell(_ node: Node, _ length: Double) -> (gain: Double, cell: Double, trend: Double)? {
        let expected = node.cell * (1 + node.trend)
        let ratio = length / expected
        guard ratio > 0.57, ratio < 1.74 else { return nil }
        // The logarithm to third order: close enough within the range, and cheap.
        let middle = (ratio - 1) / (ratio + 1)
        let logarithm = 2 * (middle + middle * middle * middle / 3)
        let deviation = logarithm / cellDeviation
        let trend = min(max(node.trend + jerk * logarithm, -Self.mostTrend), Self.mostTrend)
        return (-0.5 * deviation * deviation, expected * (1 + follow * logarithm), trend)
    }

    private func trace(_ last: Int32, _ lattice: Lattice, _ times: [Double]) -> [Run] {
        let leads = lattice.leads(endingIn: last)
        var runs: [Run] = []
        var run = Run()
        var current = last
        var step = 0
        while current >= 0 {
            let node = lattice.nodes[Int(current)]
            let time = times[Int(current) / Self.survivors]
            run.edges.append(time)
            if node.symbol == 2 {
                run.bits.reverse()
                run.edges.reverse()
                run.middles.reverse()
                run.leads.reverse()
                run.isCrowded.reverse()
                run.leads = run.sharedLeads
                runs.append(run)
                run = Run()
            } else {
                run.bits.append(node.symbol)
                run.middles.append(node.middle)
                let pulses = Int(current) / Self.survivors - Int(node.from) / Self.survivors
                run.isCrowded.append(pulses > Int(node.symbol) + 1)
                if step < leads.count { run.leads.append(leads[step]) }
            }
            step += 1
            current = node.from
        }
        runs.reverse()
        return runs
    }
}
