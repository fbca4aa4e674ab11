import CardData

/// Where the card's record and its clocking zeros lie, in the order of reading.
///
/// What is measured for a report is measured in these zeros, which are the same on every card: a figure of the data would tell
/// of the data.
struct RecordPlaces {
    /// The cells' edges, each later than the one before in the order of reading: a backward swipe's are negative.
    var edges: [Double]
    var bits: [UInt8]
    var isBackward: Bool
    /// The zeros right before the start sentinel; its cell is where they end.
    var leadIn: Range<Int>
    /// The zeros behind the check character, without those next to it.
    var leadOut: Range<Int>
    /// From the start sentinel's first cell to the end sentinel's last; nil where no text was read.
    var record: Range<Int>?
    /// Cells of a character.
    var characterCells = 0

    /// So many zeros in a row stand in no text.
    private static let fewestZeros = 12
    /// Cells behind the check character that an input's capacitor may still remember it in.
    private static let memoryCells = 8
    /// Cells beside the start sentinel that its first reversals crowd.
    static let crowdedCells = 2

    /// Whether the zeros at the beginning are known to be those before the start sentinel.
    var isDirectionKnown: Bool

    /// Of a swipe that was not read the zeros at its beginning are measured all the same. Nil where there are no bits.
    init?(_ swipe: StripeSwipe) {
        let first = swipe.trace?.characters.first
        let middle = first.map { ($0.lowerBound + $0.upperBound) / 2 }
        let run =
            swipe.bitRuns.first { run in
                guard let middle, let low = run.cellEdges.first, let high = run.cellEdges.last else {
                    return false
                }
                return low <= middle && middle <= high
            } ?? swipe.bitRuns.max { $0.bits.count < $1.bits.count }
        guard let run, run.cellEdges.count == run.bits.count + 1 else { return nil }
        isDirectionKnown = run.direction != nil
        isBackward = run.direction == .backward
        edges = isBackward ? run.cellEdges.reversed().map { -$0 } : run.cellEdges
        bits = run.bits
        leadIn = 0..<0
        leadOut = 0..<0
        if let first, let last = swipe.trace?.characters.last { findRecord(first, last) }
        findZeros()
    }

    private mutating func findRecord(_ first: ClosedRange<Double>, _ last: ClosedRange<Double>) {
        let start = nearestEdge(isBackward ? -first.upperBound : first.lowerBound)
        let firstEnd = nearestEdge(isBackward ? -first.lowerBound : first.upperBound)
        let end = nearestEdge(isBackward ? -last.lowerBound : last.upperBound)
        guard start < firstEnd, firstEnd <= end else { return }
        record = start..<end
        characterCells = firstEnd - start
    }

    private mutating func findZeros() {
        let first = record?.lowerBound ?? bits.firstIndex(of: 1) ?? 0
        var start = first
        while start > 0, bits[start - 1] == 0 { start -= 1 }
        if first - start >= Self.fewestZeros { leadIn = start..<first }
        guard let record else { return }
        let behind = record.upperBound + 2 * characterCells
        guard behind < bits.count else { return }
        let end = bits[behind...].firstIndex(of: 1) ?? bits.count
        let begin = behind + Self.memoryCells
        if begin < end { leadOut = begin..<end }
    }

    private func nearestEdge(_ place: Double) -> Int {
        var best = 0
        for index in edges.indices where abs(edges[index] - place) < abs(edges[best] - place) { best = index }
        return best
    }

    func cell(_ index: Int) -> Double { edges[index + 1] - edges[index] }

    /// The zeros that are measured: none beside other bits, nor at the end of what was heard.
    var measured: [Range<Int>] {
        [leadIn.dropFirst().dropLast(Self.crowdedCells), leadOut.dropLast()].compactMap {
            $0.isEmpty ? nil : $0.startIndex..<$0.endIndex
        }
    }

    /// The mean length of a cell in a range of cells.
    func meanCell(_ cells: Range<Int>) -> Double {
        (edges[cells.upperBound] - edges[cells.lowerBound]) / Double(max(cells.count, 1))
    }
}
