/// The outcomes of a row's swipes, counted.
struct Score {
    var label = ""
    var count = 0
    var right = 0
    var repaired = 0
    var wrong = 0
    var wrongRepairs = 0
    private var times: [Double] = []

    mutating func add(_ outcome: Outcome) {
        count += 1
        right += outcome.isRight ? 1 : 0
        repaired += outcome.isRepaired ? 1 : 0
        wrong += outcome.wrongTexts
        wrongRepairs += outcome.wrongRepairs
        times.append(outcome.milliseconds)
    }

    var rate: Double { 100 * Double(right) / Double(max(count, 1)) }
    var interval: Interval { Interval(right, of: count) }

    /// The time that this fraction of the swipes took at most, milliseconds.
    func time(_ fraction: Double) -> Double {
        let sorted = times.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(Int(fraction * Double(sorted.count)), sorted.count - 1)]
    }
}

/// Wilson's interval for a proportion, in percent, at 95 %.
struct Interval {
    var low: Double
    var high: Double

    init(low: Double, high: Double) {
        self.low = low
        self.high = high
    }

    init(_ hits: Int, of count: Int) {
        guard count > 0 else { self = Interval(low: 0, high: 100); return }
        let n = Double(count)
        let p = Double(hits) / n
        let z = 1.96
        let middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        self = Interval(low: 100 * max(0, middle - half), high: 100 * min(1, middle + half))
    }
}

func round1(_ value: Double) -> Double { (value * 10).rounded() / 10 }
