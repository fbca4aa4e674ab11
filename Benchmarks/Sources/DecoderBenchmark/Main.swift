import Glibc

/// Measures the decoder over the table of conditions. Without a known argument, says how.
@main
struct DecoderBenchmark {
    static func main() {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(Options.usage)
            exit(2)
        }
        if options.stretches > 0 {
            exit(StretchRun(options).run() ? 0 : 1)
        }
        exit(TableRun(options).run() ? 0 : 1)
    }
}

/// Runs the rows asked for, or takes them from the state files, and prints the table.
struct TableRun {
    private let options: Options
    private let state: StateFile
    private let page: PublishedTable?

    init(_ options: Options) {
        self.options = options
        state = StateFile(reading: options.states)
        page = options.page.map { PublishedTable(page: Self.text(of: $0)) }
    }

    /// - Returns: whether everything is as it should be.
    func run() -> Bool {
        var table = Table()
        var complaints: [String] = []
        let rows = options.rows
        print(Table.header)
        for (index, row) in rows.enumerated() {
            let score = options.printsTable ? kept(row) : measured(row, "\(index + 1)/\(rows.count)")
            guard score.count > 0 else { continue }
            print(table.line(row, score))
            fflush(nil)
            if let complaint = page?.complaint(row, score) { complaints.append(complaint) }
        }
        print(table.summary)
        for complaint in complaints { print(complaint) }
        return complaints.isEmpty
    }

    private func kept(_ row: Row) -> Score {
        state.score(row.key, label: state.lastLabel(row.key) ?? "", seed: nil).score
    }

    private func measured(_ row: Row, _ place: String) -> Score {
        var (score, done) = state.score(row.key, label: options.label, seed: options.seed)
        var progress = Progress("\(place) \(row.key)")
        for number in 0..<options.count where number % options.shard.count == options.shard.index {
            guard !done.contains(number) else { continue }
            let outcome = row.run(number, seed: options.seed)
            score.add(outcome)
            if let path = options.states.first {
                let entry = StateFile.Entry(
                    label: options.label, seed: options.seed, number: number, outcome: outcome)
                StateFile.append(entry, row: row.key, to: path)
            }
            if options.showsFailures, !outcome.isRight || outcome.wrongTexts > 0 {
                print("  number \(number): \(outcome.failure)")
            }
            progress.tell("\(score.count) of \(options.count / options.shard.count), \(score.right) right")
        }
        return score
    }

    private static func text(of path: String) -> String {
        guard let file = fopen(path, "r") else {
            Complaint.tell("DecoderBenchmark: \(path): \(String(cString: strerror(errno)))\n")
            exit(2)
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A line on standard error now and then.
struct Progress {
    private static let pause = Duration.seconds(5)
    private let name: String
    private var last = ContinuousClock.now

    init(_ name: String) { self.name = name }

    mutating func tell(_ text: @autoclosure () -> String) {
        guard ContinuousClock.now - last > Self.pause else { return }
        last = .now
        Complaint.tell("\(name): \(text())\n")
    }
}
