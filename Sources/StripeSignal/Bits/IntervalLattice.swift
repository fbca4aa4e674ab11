extension IntervalClock {
    /// The ways to reach each pulse: those that are kept, and those that lost, from which it is told how sure the
    /// winner's bits are.
    struct Lattice {
        /// The best few for each pulse.
        private(set) var nodes: [Node]
        private var rivals: [[Node]] = []

        /// A rival is followed back so many bits.
        private static let mergeDepth = 40
        private static let mostLead: Float = 40
        /// Cells over which the strain is averaged, and what it is in the mean where the tolerances are right.
        private static let strainedCells = 15
        private static let usualStrain: Float = 0.65

        init(count: Int, _ keepsRivals: Bool) {
            nodes = Array(
                repeating: Node(score: -.infinity, cell: 0, from: -1, symbol: 2), count: count * survivors)
            if keepsRivals { rivals = Array(repeating: [], count: count) }
        }

        /// Whether a node of this score would change anything.
        func mayTake(_ score: Double, at index: Int) -> Bool {
            !rivals.isEmpty || score > nodes[index * survivors + survivors - 1].score
        }

        mutating func insert(_ node: Node, at index: Int) {
            if !rivals.isEmpty, node.symbol != 2 { rivals[index].append(node) }
            let base = index * survivors
            var slot = survivors
            while slot > 0, node.score > nodes[base + slot - 1].score { slot -= 1 }
            guard slot < survivors else { return }
            // Two survivors with one clock are one.
            for other in 0..<slot where abs(nodes[base + other].cell - node.cell) < 0.04 * node.cell {
                return
            }
            var last = survivors - 1
            while last > slot {
                nodes[base + last] = nodes[base + last - 1]
                last -= 1
            }
            nodes[base + slot] = node
        }

        /// For each node of the path, last first: by how much its bit leads the best path with the other value.
        ///
        /// Where the reversals lie farther off than the tolerances explain, a lead counts for less.
        func leads(endingIn last: Int32) -> [Float] {
            guard !rivals.isEmpty else { return [] }
            var path: [Int32] = []
            var current = last
            while current >= 0 {
                path.append(current)
                current = nodes[Int(current)].from
            }
            var leads = [Float](repeating: Self.mostLead, count: path.count)
            for step in path.indices where nodes[Int(path[step])].symbol != 2 {
                for rival in rivals[Int(path[step]) / survivors] {
                    compare(rival, at: step, path, &leads)
                }
            }
            let trust = trust(path)
            for step in leads.indices { leads[step] *= trust[step] }
            return leads
        }

        private func compare(_ rival: Node, at step: Int, _ path: [Int32], _ leads: inout [Float]) {
            let lead = Float(max(nodes[Int(path[step])].score - rival.score, 0))
            // Back to where both were one: of as many bits, or the frame would not hold together.
            var symbols: [UInt8] = [rival.symbol]
            var current = rival.from
            while current >= 0, symbols.count <= Self.mergeDepth {
                let place = step + symbols.count
                guard place < path.count, nodes[Int(path[place - 1])].symbol != 2 else { return }
                if path[place] == current { break }
                // Past the place on the path: the rival has fewer bits, or more.
                guard nodes[Int(current)].symbol != 2 else { return }
                symbols.append(nodes[Int(current)].symbol)
                current = nodes[Int(current)].from
            }
            guard current >= 0, symbols.count <= Self.mergeDepth else { return }
            for (offset, symbol) in symbols.enumerated()
            where symbol != nodes[Int(path[step + offset])].symbol {
                leads[step + offset] = min(leads[step + offset], lead)
            }
        }

        private func trust(_ path: [Int32]) -> [Float] {
            let strains = path.map { Float(nodes[Int($0)].strain) }
            let counts = path.map { Float(nodes[Int($0)].strained) }
            let local = Band.movingAverage(strains, width: Self.strainedCells)
            let number = Band.movingAverage(counts, width: Self.strainedCells)
            let whole = strains.reduce(0, +) / max(counts.reduce(0, +), 1)
            return path.indices.map { index in
                let strain = max(local[index] / max(number[index], 0.1), whole)
                return min(1, Self.usualStrain / max(strain, .leastNormalMagnitude))
            }
        }
    }
}
