/// What the command line says.
struct Options {
    static let usage = """
        DecoderBenchmark: how often the decoder reads each condition's swipes, and what it costs

          --n COUNT           swipes a row (100)
          --rows NAME         only this row; a * at the end stands for anything; again for more, run in this order
          --track 2|1         only tracks recorded at 75 bpi, or at 210 bpi
          --targets           only rows that the issue sets a figure for
          --seed N            another set of swipes (1)
          --state FILE        write every swipe's outcome here, and go on from what stands there
          --label TEXT        the decoder's version, kept with each outcome; others' outcomes do not count
          --shard K/N         every Nth swipe, from the Kth (0…N-1): for several machines, a state file each
          --table             print the table of the state files and run nothing; the label last written counts
          --check PAGE        compare with the table published in PAGE: status 1 where a row got worse, or better
          --stretches COUNT   sound without a card instead: so many seconds of it, in equal parts of each kind
          --failures          tell each swipe that was not read
        """
    var count = 100
    var words: [String] = []
    var densities: [Condition.Density] = [.track2, .tracks1And3]
    var onlyTargets = false
    var seed: UInt64 = 1
    var states: [String] = []
    var label = "unlabelled"
    var shard = (index: 0, count: 1)
    var printsTable = false
    var page: String?
    var stretches = 0
    var showsFailures = false

    init?(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "--targets": onlyTargets = true
            case "--failures": showsFailures = true
            case "--table": printsTable = true
            default:
                guard let value = iterator.next(), set(argument, value) else { return nil }
            }
        }
    }

    private mutating func set(_ name: String, _ value: String) -> Bool {
        switch name {
        case "--n": return assign(Int(value), to: &count)
        case "--seed": return assign(UInt64(value), to: &seed)
        case "--stretches": return assign(Int(value), to: &stretches)
        case "--rows", "--only": words.append(value)
        case "--state": states.append(value)
        case "--label": label = value
        case "--check": page = value
        case "--track": densities = value == "2" ? [.track2] : [.tracks1And3]
        case "--shard":
            let parts = value.split(separator: "/").compactMap { Int($0) }
            guard parts.count == 2, parts[1] > 0, (0..<parts[1]).contains(parts[0]) else { return false }
            shard = (parts[0], parts[1])
        default: return false
        }
        return true
    }

    private func assign<Value>(_ value: Value?, to target: inout Value) -> Bool {
        guard let value else { return false }
        target = value
        return true
    }

    /// The rows asked for: in the table's order, or in that of `--rows`.
    var rows: [Row] {
        let conditions =
            words.isEmpty
            ? Condition.all : words.flatMap { word in Condition.all.filter { Self.matches($0.name, word) } }
        return conditions.flatMap { condition in
            densities.filter { !onlyTargets || condition.target($0) != nil }.map { Row(condition, $0) }
        }
    }

    func isAskedFor(_ name: String) -> Bool {
        words.isEmpty || words.contains { Self.matches(name, $0) }
    }

    private static func matches(_ name: String, _ word: String) -> Bool {
        name == word || (word.hasSuffix("*") && name.hasPrefix(word.dropLast()))
    }
}
