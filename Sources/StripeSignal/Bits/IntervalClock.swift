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

    private static let survivors = 3
    /// The speed of a hand does not change by more within one cell.
    private static let mostTrend = 0.35
    private static let largestRatio = 0.55
    private static let largestMiddleOffset = 0.28
    private static let restartPenalty = 12.0
    /// A run with another clock than the one before it is less likely still.
    private static let jumpPenalty = 8.0
    /// A tone is read as zeros, not as ones of half its clock.
    private static let onePenalty = 0.15
    private static let spuriousPenalty = 5.0
    /// What explaining one pulse is worth: a path that skips much cannot win.
    private static let reward = 1.6

    /// One way to reach a pulse as a cell's edge.
    private struct Node {
        var score: Double
        var cell: Double
        /// Natural logarithm of a cell's length over the one's before, as it has gone so far.
        var trend = 0.0
        var from: Int32
        var slot: Int32
        /// 0 and 1: a bit; 2: a run begins here.
        var symbol: UInt8
        /// Where in the cell the middle reversal of a one stood.
        var middle: Float = 0.5
    }

    /// A run of bits as it passed the head, with the positions of the cells' edges.
    struct Run: Sendable {
        var bits: [UInt8] = []
        var edges: [Double] = []
        /// What the path scored, for comparing one way of finding pulses with another.
        var score = 0.0

        /// Whether a one's middle stood where, as a fraction of the cell; empty for a run built without them.
        var middles: [Float] = []

        /// Whether no cell stands out from its neighbours: where samples are missing, whole characters may be.
        func isUnbroken(_ bits: Range<Int>) -> Bool {
            let deviations = bits.filter { $0 > 1 && $0 + 3 < edges.count }.map { index in
                let cell = edges[index + 1] - edges[index]
                let around = (edges[index] - edges[index - 2] + edges[index + 3] - edges[index + 1]) / 4
                return abs(cell - around) / max(around, .leastNormalMagnitude)
            }
            guard let most = deviations.max() else { return true }
            let variance = deviations.reduce(0) { $0 + $1 * $1 } / Double(deviations.count)
            return most < Self.outlier || most * most < Self.outliers * variance
        }

        private static let outlier = 0.35
        /// Of the variance: five and a half standard deviations.
        private static let outliers = 30.0

        /// Where a bit begins, counted in the direction of reading.
        func position(ofBit bit: Int?, isReversed: Bool) -> Double? {
            guard let bit else { return nil }
            let edge = isReversed ? bits.count - bit : bit
            return edges.indices.contains(edge) ? edges[edge] : nil
        }

        /// How sure each bit is: how much further its reversals are from where the other value would have them.
        var reliability: [Float] {
            let deviation = max(jitter, 0.035)
            let scale = 0.25 / (deviation * deviation)
            return bits.indices.map { index in
                let before = index > 0 ? edges[index] - edges[index - 1] : edges[index + 1] - edges[index]
                let after = index + 2 < edges.count ? edges[index + 2] - edges[index + 1] : before
                let ratio =
                    (edges[index + 1] - edges[index]) / max((before + after) / 2, .leastNormalMagnitude)
                let distance: Double
                if bits[index] == 0 {
                    distance = min(ratio - 0.72, 1.5 - ratio)
                } else {
                    let half = index < middles.count ? Double(abs(middles[index] - 0.5)) : 0
                    distance = min(0.25 - half * ratio, ratio - 0.72, 1.5 - ratio)
                }
                return Float(min(max(distance * scale, 0.1), 40))
            }
        }

        /// Standard deviation of the cells against their neighbours' mean, as a fraction of a cell.
        var jitter: Double {
            guard edges.count > 6 else { return 0 }
            var squares = 0.0
            for index in 1..<(edges.count - 2) {
                let cell = edges[index + 1] - edges[index]
                let around = (edges[index + 2] - edges[index - 1]) / 3
                let deviation = (cell - around) / max(around, .leastNormalMagnitude)
                squares += deviation * deviation
            }
            // The mean of three holds a third of the cell itself.
            return (squares / Double(edges.count - 3)).squareRoot() * 1.22
        }
    }

    func runs(_ pulses: [FluxReversal]) -> (runs: [Run], score: Double) {
        let first = path(pulses.map(\.position))
        let shift = asymmetry(first.runs, pulses)
        guard abs(shift) > Self.leastAsymmetry else { return first }
        let straight = pulses.map { $0.position + ($0.amplitude > 0 ? -shift : shift) / 2 }
        let second = path(straight)
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

    private func path(_ times: [Double]) -> (runs: [Run], score: Double) {
        guard times.count > 3 else { return ([], 0) }
        var nodes = [Node](
            repeating: Node(score: -.infinity, cell: 0, from: -1, slot: 0, symbol: 2),
            count: times.count * Self.survivors)
        var best = 0.0
        var bestNode: Int32 = -1
        for index in times.indices {
            begin(at: index, times, best: best, bestNode: bestNode, &nodes)
            for slot in 0..<Self.survivors {
                let node = nodes[index * Self.survivors + slot]
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

    private func begin(at index: Int, _ times: [Double], best: Double, bestNode: Int32, _ nodes: inout [Node])
    {
        for span in 1...2 where index + span < times.count {
            let cell = times[index + span] - times[index]
            var score = best - Self.restartPenalty
            if bestNode >= 0 {
                let ratio = cell / nodes[Int(bestNode)].cell
                if ratio > 1.5 || ratio < 0.67 { score -= Self.jumpPenalty }
            }
            insert(Node(score: score, cell: cell, from: bestNode, slot: 0, symbol: 2), at: index, &nodes)
        }
    }

    private func extend(_ node: Node, at index: Int, slot: Int, _ times: [Double], _ nodes: inout [Node]) {
        let from = Int32(index * Self.survivors + slot)
        for skipped in [0, 2] {
            let penalty = skipped == 0 ? 0 : Self.spuriousPenalty
            if index + 1 + skipped < times.count {
                let next = index + 1 + skipped
                if let step = cell(node, times[next] - times[index]) {
                    let score = node.score + step.gain + Self.reward - penalty
                    insert(
                        Node(
                            score: score, cell: step.cell, trend: step.trend, from: from, slot: 0, symbol: 0),
                        at: next, &nodes)
                }
            }
            guard index + 2 + skipped < times.count else { continue }
            let next = index + 2 + skipped
            guard let step = cell(node, times[next] - times[index]) else { continue }
            for middle in stride(from: index + 1, to: next, by: 2) {
                // Where cells grow longer, a one's first half is the shorter one.
                let offset =
                    (times[middle] - times[index]) / (times[next] - times[index]) - 0.5 + node.trend / 8
                guard abs(offset) < Self.largestMiddleOffset else { continue }
                let deviation = offset / middleDeviation
                let score =
                    node.score + step.gain + 2 * Self.reward - Self.onePenalty - 0.5 * deviation * deviation
                    - penalty
                insert(
                    Node(
                        score: score, cell: step.cell, trend: step.trend, from: from, slot: 0, symbol: 1,
                        middle: Float(offset + 0.5)),
                    at: next, &nodes)
            }
        }
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

    private func insert(_ node: Node, at index: Int, _ nodes: inout [Node]) {
        let base = index * Self.survivors
        var slot = Self.survivors
        while slot > 0, node.score > nodes[base + slot - 1].score { slot -= 1 }
        guard slot < Self.survivors else { return }
        // Two survivors with one clock are one.
        for other in 0..<slot where abs(nodes[base + other].cell - node.cell) < 0.04 * node.cell { return }
        var last = Self.survivors - 1
        while last > slot {
            nodes[base + last] = nodes[base + last - 1]
            last -= 1
        }
        nodes[base + slot] = node
    }

    private func trace(_ last: Int32, _ nodes: [Node], _ times: [Double]) -> [Run] {
        var runs: [Run] = []
        var run = Run()
        var current = last
        while current >= 0 {
            let node = nodes[Int(current)]
            let time = times[Int(current) / Self.survivors]
            run.edges.append(time)
            if node.symbol == 2 {
                run.bits.reverse()
                run.edges.reverse()
                run.middles.reverse()
                runs.append(run)
                run = Run()
            } else {
                run.bits.append(node.symbol)
                run.middles.append(node.middle)
            }
            current = node.from
        }
        runs.reverse()
        return runs
    }
}
