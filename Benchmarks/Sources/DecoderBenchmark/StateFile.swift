import Glibc

/// Every swipe's outcome, a line each, appended as soon as it is known: a run that was cut off goes on where it was.
///
///     row TAB label TAB seed TAB number TAB right repaired wrong wrong-repairs TAB milliseconds TAB digest
///
/// A last line without its end is dropped.
struct StateFile {
    struct Entry {
        var label: String
        var seed: UInt64
        var number: Int
        var outcome: Outcome
    }

    /// By row.
    private(set) var entries: [String: [Entry]] = [:]

    init(reading paths: [String]) {
        for path in paths { read(path) }
    }

    /// The outcomes of one row under one label.
    func score(_ row: String, label: String, seed: UInt64?) -> (score: Score, numbers: Set<Int>) {
        var score = Score()
        var numbers: Set<Int> = []
        score.label = label
        for entry in entries[row] ?? [] where entry.label == label && (seed == nil || entry.seed == seed) {
            guard numbers.insert(entry.number).inserted else { continue }
            score.add(entry.outcome)
        }
        return (score, numbers)
    }

    /// The label that was written last for a row.
    func lastLabel(_ row: String) -> String? { entries[row]?.last?.label }

    private mutating func read(_ path: String) {
        guard let file = fopen(path, "r") else { return }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        while getline(&line, &size, file) > 0 {
            guard let line else { return }
            let text = String(cString: line)
            if text.hasSuffix("\n") { add(text.dropLast().split(separator: "\t").map(String.init)) }
        }
    }

    private mutating func add(_ fields: [String]) {
        guard fields.count >= 6, let seed = UInt64(fields[2]), let number = Int(fields[3]),
            let milliseconds = Double(fields[5])
        else { return }
        let counts = fields[4].split(separator: " ").compactMap { Int($0) }
        guard counts.count == 4 else { return }
        var outcome = Outcome()
        outcome.isRight = counts[0] > 0
        outcome.isRepaired = counts[1] > 0
        outcome.wrongTexts = counts[2]
        outcome.wrongRepairs = counts[3]
        outcome.milliseconds = milliseconds
        entries[fields[0], default: []].append(
            Entry(label: fields[1], seed: seed, number: number, outcome: outcome))
    }

    /// Writes one outcome behind the others.
    static func append(_ entry: Entry, row: String, to path: String) {
        guard let file = fopen(path, "a") else { return }
        let o = entry.outcome
        let counts = "\(o.isRight ? 1 : 0) \(o.isRepaired ? 1 : 0) \(o.wrongTexts) \(o.wrongRepairs)"
        let time = (o.milliseconds * 1000).rounded() / 1000
        fputs(
            "\(row)\t\(entry.label)\t\(entry.seed)\t\(entry.number)\t\(counts)\t\(time)\t\(o.digest.text)\n",
            file)
        fclose(file)
    }
}
