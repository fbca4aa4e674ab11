/// Where a record is read straight through although the card was pulled back: a stretch stands in it forward, backward and
/// forward again.
///
///     card      a b c d e f            read      a b c d d c b b c d e f
///                                                        ^     ^    slow
///
/// Parity holds if characters lie well, and columns that come twice do not change the LRC.
struct RetracedStretch: Sendable {
    /// A turn lies where a cell is so much longer than usual.
    private static let slow = 2.0
    /// Between two turns it is at least so much shorter than there.
    private static let quick = 0.7
    /// Steps that are looked at, the slowest first.
    private static let mostTurns = 24
    /// Near a stop cells are so much longer than usual, over so many millimetres in all; where more are, the clock follows
    /// nothing any more, and may read what it likes.
    private static let crawling = 4.0
    private static let longestCrawl = 1.2
    /// One step in so many on both sides of the turns may be read otherwise than the other time, in the slow cells.
    private static let alike = 8

    /// Half cells from each reversal of the record to the next, and the cell it lies in with its length.
    private var steps: [(halfCells: Int, cell: Int, length: Double)] = []
    /// Steps in slow cells.
    private var turns: [Int] = []
    private var crawl: Int?

    init(_ run: IntervalClock.Run, in bits: Range<Int>, as format: StripeFormat) {
        guard bits.lowerBound >= 0, bits.upperBound < run.edges.count, !bits.isEmpty else { return }
        for cell in bits {
            let length = run.edges[cell + 1] - run.edges[cell]
            let halfCells = run.bits[cell] == 0 ? [2] : [1, 1]
            steps += halfCells.map { ($0, cell, length) }
        }
        let usual = steps.map(\.length).sorted()[steps.count / 2]
        let slow = Set(steps.filter { $0.length > Self.crawling * usual }.map(\.cell))
        crawl = Double(slow.count) * 25.4 / format.bitsPerInch > Self.longestCrawl ? slow.min() : nil
        let slowest = steps.indices.filter { steps[$0].length > Self.slow * usual }
            .sorted { steps[$0].length > steps[$1].length }
        turns = slowest.prefix(Self.mostTurns).sorted()
    }

    /// The cell in which the card turned first, or crawled; nil where it did neither.
    var cell: Int? { crawl ?? turn }

    private var turn: Int? {
        for (number, first) in turns.enumerated() {
            for second in turns[(number + 1)...] where areApart(first, second) {
                let length = second - first - 1
                guard let before = unlike(at: first, length), let after = unlike(at: second, length) else {
                    continue
                }
                if before + after <= 2 * length / Self.alike { return steps[first].cell }
            }
        }
        return nil
    }

    /// Whether the card went faster between them.
    private func areApart(_ first: Int, _ second: Int) -> Bool {
        let between = steps[first..<second].dropFirst().map(\.length).min() ?? .infinity
        return between < Self.quick * min(steps[first].length, steps[second].length)
    }

    /// Steps that differ from those as far on the other side; nil at the record's ends.
    private func unlike(at turn: Int, _ length: Int) -> Int? {
        guard turn - length >= 0, turn + length < steps.count else { return nil }
        return (1...length).count { steps[turn - $0].halfCells != steps[turn + $0].halfCells }
    }
}
