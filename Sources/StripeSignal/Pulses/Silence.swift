/// Whether the head heard nothing for a while between two parts of a card.
///
/// What is not there no detector finds, however it searches: sequence detection takes ten times as long as all that comes
/// before it.
struct Silence: Sendable {
    /// The swipe without its baseline.
    var signal: [Float]
    /// Power of the noise round the swipe.
    var noise: Float

    /// In so many cells parity and LRC leave too much open.
    private static let leastCells = 8.0
    private static let cellsPerBlock = 2.0
    /// Of the noise's power.
    private static let most: Float = 1.3

    /// Whether it lies between two of the runs, of which both may be of a record.
    func parts(_ runs: [IntervalClock.Run], cell: Double) -> Bool {
        let kept = runs.filter { $0.bits.count >= SwipeReader.shortestRun && !$0.isTone }
        guard cell > 1, noise > 0, let first = kept.first?.edges.last, let last = kept.last?.edges.first,
            first < last
        else { return false }
        let block = max(Int(Self.cellsPerBlock * cell), 4)
        var silent = 0
        for start in stride(from: max(Int(first), 0), to: min(Int(last), signal.count) - block, by: block) {
            silent = power(start..<start + block) < Self.most * noise ? silent + 1 : 0
            if Double(silent) * Self.cellsPerBlock >= Self.leastCells { return true }
        }
        return false
    }

    private func power(_ range: Range<Int>) -> Float {
        var sum: Float = 0
        for index in range { sum += signal[index] * signal[index] }
        return sum / Float(range.count)
    }
}
