/// A run of bits of one pass, in the order in which two passes are compared: of a card that was swiped to and fro one of them is
/// turned round.
struct PassBits: Sendable {
    /// The run as it passed the head.
    let run: IntervalClock.Run
    let isTurned: Bool
    let bits: [UInt8]
    let reliability: [Float]
    /// The cells' edges, in samples; falling where the run is turned round.
    let edges: [Double]

    private static let cellsLookedAt = 8

    init(_ run: IntervalClock.Run, reliability: [Float], isTurned: Bool) {
        self.run = run
        self.isTurned = isTurned
        bits = isTurned ? run.bits.reversed() : run.bits
        self.reliability = isTurned ? reliability.reversed() : reliability
        edges = isTurned ? run.edges.reversed() : run.edges
    }

    /// From the order of comparison to that of time.
    func inTime(_ place: Range<Int>) -> Range<Int> {
        isTurned ? bits.count - place.upperBound..<bits.count - place.lowerBound : place
    }

    /// Samples for a cell before an edge.
    func cell(before edge: Int) -> Double { cell(max(edge - Self.cellsLookedAt, 0)..<edge) }

    /// Samples for a cell from an edge on.
    func cell(after edge: Int) -> Double { cell(edge..<min(edge + Self.cellsLookedAt, bits.count)) }

    private func cell(_ cells: Range<Int>) -> Double {
        guard !cells.isEmpty else { return 0 }
        return abs(edges[cells.upperBound] - edges[cells.lowerBound]) / Double(cells.count)
    }
}
