/// The outline of a passage: how high its sound was from its beginning to its end, in ten steps, as an oscilloscope shows it
/// from far away. So a lifted card, a worn half and a hand that stops are seen, and no bit is.
///
/// Each figure is the highest of two tenths, a dozen millimetres of a card at a hand's usual speed, against the highest of all, in
/// steps of a fifth (`docs/decisions/0745-an-outline-in-fifths.md`).
struct PassageOutline: Sendable {
    static let parts = 10
    /// Percent.
    static let step = 20
    /// In a slower passage a tenth is too short a stretch of the card.
    private static let longestSeconds = 1.5
    /// In a faster one it has too few samples to be anything.
    private static let shortestSeconds = 0.05
    /// The passage begins and ends where the sound is a tenth of its highest.
    private static let edge = 0.1
    /// A figure is of its own tenth and of half of each of its neighbours.
    private static let overlap = 0.5

    private let longest: Int
    private let shortest: Int
    private let limit: Int
    private var peaks: [Double]?

    init(blocksPerSecond: Double, limit: Int) {
        longest = Int(blocksPerSecond * Self.longestSeconds)
        shortest = Int(blocksPerSecond * Self.shortestSeconds)
        self.limit = limit
    }

    /// Of a swipe that is over, from its samples.
    static func of(_ samples: [Float], sampleRate: Int) -> [Int]? {
        let length = ActivityGate.blockLength(sampleRate: sampleRate)
        var outline = PassageOutline(
            blocksPerSecond: Double(sampleRate) / Double(length), limit: samples.count / length)
        outline.begin()
        for start in stride(from: 0, through: samples.count - length, by: length) {
            outline.take(Double(samples[start..<start + length].map(abs).max() ?? 0))
        }
        return outline.end()
    }

    mutating func begin() { peaks = [] }

    /// Forgets a passage of which the beginning or the end is in doubt.
    mutating func forget() { peaks = nil }

    mutating func take(_ peak: Double) {
        guard let count = peaks?.count else { return }
        if count < limit { peaks?.append(peak) } else { forget() }
    }

    /// Percent of the highest; nil where there is nothing that may be told.
    mutating func end() -> [Int]? {
        defer { forget() }
        guard let peaks, let highest = peaks.max(), highest > 0,
            let first = peaks.firstIndex(where: { $0 >= highest * Self.edge }),
            let last = peaks.lastIndex(where: { $0 >= highest * Self.edge })
        else { return nil }
        let heard = peaks[first...last]
        guard (shortest...longest).contains(heard.count) else { return nil }
        return (0..<Self.parts).map { part in
            let tenth = Double(heard.count) / Double(Self.parts)
            let low = Int(max((Double(part) - Self.overlap) * tenth, 0))
            let high = Int(min((Double(part + 1) + Self.overlap) * tenth, Double(heard.count)))
            let top = heard[first + low..<first + max(high, low + 1)].max() ?? 0
            return Int((top / highest * 100 / Double(Self.step)).rounded()) * Self.step
        }
    }
}
