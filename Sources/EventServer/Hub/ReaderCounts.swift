/// What is counted of each reader that is there or was, within a limit: a program that invents readers, each with a
/// serial number of its own, must not fill the memory.
struct ReaderCounts {
    /// With more, the one that has not changed for longest is forgotten. All of them fit one answer to `stats`.
    static let limit = 64

    private var counts: [String: ReaderStatistics] = [:]
    private var lastChange: [String: UInt64] = [:]
    private var changes: UInt64 = 0

    subscript(reader: String) -> ReaderStatistics? { counts[reader] }

    var all: [(String, ReaderStatistics)] { counts.map { ($0.key, $0.value) } }

    mutating func change(_ reader: String, _ body: (inout ReaderStatistics) -> Void) {
        if counts[reader] == nil, counts.count >= ReaderCounts.limit { forgetOne() }
        changes += 1
        lastChange[reader] = changes
        body(&counts[reader, default: ReaderStatistics()])
    }

    private mutating func forgetOne() {
        guard let oldest = lastChange.min(by: { $0.value < $1.value })?.key else { return }
        counts[oldest] = nil
        lastChange[oldest] = nil
    }
}
