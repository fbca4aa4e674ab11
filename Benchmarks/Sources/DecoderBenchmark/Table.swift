/// The table of `docs/decoder.md`.
struct Table {
    static let header = """
        | condition | track | target % | read % (95 % interval) | n | wrong as `ok` | rightly repaired | wrongly repaired | CPU ms p50 / p99 / worst | decoder |
        |---|---|---|---|---|---|---|---|---|---|
        """
    private var swipes = 0
    private var wrong = 0

    mutating func line(_ row: Row, _ score: Score) -> String {
        swipes += score.count
        wrong += score.wrong
        let target = row.target.map { "\($0)" } ?? "–"
        let mark = score.rate + 0.001 < row.target ?? 0 ? " **" : ""
        let interval = "(\(round1(score.interval.low))-\(round1(score.interval.high)))"
        let times = [score.time(0.5), score.time(0.99), score.time(1)].map { "\(round1($0))" }
        return
            "| \(row.condition.name) | \(row.trackName) | \(target) | \(round1(score.rate)) \(interval)\(mark) "
            + "| \(score.count) | \(score.wrong) | \(score.repaired) | \(score.wrongRepairs) "
            + "| \(times.joined(separator: " / ")) | \(score.label) |"
    }

    var summary: String { "\nwrong text as `ok`: \(wrong) of \(swipes) swipes" }
}

/// The table as it was published, to compare with.
struct PublishedTable {
    private var intervals: [String: Interval] = [:]

    init(page: String) {
        for line in page.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map {
                $0.filter { $0 != "*" }.trimmed
            }
            guard cells.count > 4, let count = Int(cells[4]), count > 0,
                let rate = Double(cells[3].prefix { $0 != " " })
            else { continue }
            let hits = Int((rate / 100 * Double(count)).rounded())
            intervals["\(cells[0]) [\(cells[1])]"] = Interval(hits, of: count)
        }
    }

    /// What differs from the page, in words; nil where nothing does.
    ///
    /// Two-sided: a row that is suddenly better is as suspect as one that is worse. The two intervals must not touch,
    /// which chance does to about one row in 200.
    func complaint(_ row: Row, _ score: Score) -> String? {
        guard let published = intervals[row.key] else { return "\(row.key): not in the page" }
        let measured = score.interval
        let range = "\(round1(published.low))-\(round1(published.high)) %"
        if measured.high < published.low {
            return "\(row.key): worse, \(round1(score.rate)) % and not \(range)"
        }
        if measured.low > published.high {
            return "\(row.key): better, \(round1(score.rate)) % and not \(range)"
        }
        return nil
    }
}

extension String {
    var trimmed: String {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
