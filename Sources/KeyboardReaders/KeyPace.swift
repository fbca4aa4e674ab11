/// How quickly a reader types: a swipe has ended once it is silent for much longer than that.
struct KeyPace: Sendable, Hashable {
    /// No reader is waited for longer, however slowly it types.
    static let mostPatience = Duration.seconds(1)
    /// However quickly it types: a busy machine, or a radio, holds keys back for some tens of milliseconds.
    static let leastPatience = Duration.milliseconds(100)
    /// While its pace is not known. A widely used script waits for as long.
    static let firstPatience = Duration.milliseconds(250)
    /// ASSUMPTION: no reader pauses within a swipe for so many times its usual gap.
    static let gapsOfPatience = 10
    /// ASSUMPTION: a reader's gaps are shorter, and a person's longer. Seen by others: 3 to 15 ms of a reader.
    private static let slowMilliseconds = 75
    /// Fewer gaps tell nothing.
    private static let leastGaps = 8

    /// How many gaps were so many milliseconds long; the last are all longer ones.
    private var counts = [Int](repeating: 0, count: 101)
    private var gaps = 0

    mutating func add(_ gap: Duration) {
        let (seconds, attoseconds) = gap.components
        let milliseconds = seconds > 0 ? counts.count - 1 : Int(attoseconds / 1_000_000_000_000_000)
        counts[min(max(milliseconds, 0), counts.count - 1)] += 1
        gaps += 1
    }

    /// Nil where too few keys were heard.
    var patience: Duration? {
        // A gap of 3.9 ms counts as 3.
        median.map { median in
            min(max(.milliseconds((median + 1) * Self.gapsOfPatience), Self.leastPatience), Self.mostPatience)
        }
    }

    /// Whether keys come too slowly for a reader: whatever it is that a person types, it is no swipe.
    var isPersons: Bool { median.map { $0 >= Self.slowMilliseconds } ?? false }

    private var median: Int? {
        guard gaps >= Self.leastGaps else { return nil }
        var seen = 0
        return counts.firstIndex { count in
            seen += count
            return seen * 2 > gaps
        }
    }
}
