/// Two passes of one card, each of which has lost another stretch of it, put together:
///
///     first     ====1=====-- gap --====1==========
///     second    =========2========-- gap --===2===
///     joined    ====12====----2----==12====--1--=12=
///
/// Where both passes have read a cell they agree. A bit that differs, and no gap next to it, and they are not put together: two cards.
struct TwoPasses: Sendable {
    /// Bits of one run.
    struct Stretch: Sendable {
        var pass: Int
        var run: Int
        var place: Range<Int>
    }

    /// What one run has of the joined bits.
    struct Share: Sendable {
        var pass: Int
        var run: Int
        /// Where in that run.
        var place: Range<Int>
        /// Where in the joined bits.
        var joined: Range<Int>
    }

    /// Of each pass, in the order of comparison.
    let runs: [[PassBits]]
    /// One after the other; of what both passes have, both.
    private var parts: [[Stretch]] = []
    private(set) var bits: [UInt8] = []
    private(set) var reliability: [Float] = []
    private(set) var shares: [Share] = []

    /// So many bits beyond the last one in common a run may still have: the edge of a gap, or noise.
    private static let mostTail = 3
    /// So many bits may noise make in a gap.
    private static let mostNoise = 8
    /// By how much the time of a gap may differ from that of as many cells as the other pass has there: a part of it, and cells.
    private static let mostBend = 0.25
    private static let mostCells = 3.0
    private static let mostStretches = 8

    /// Nil where the passes are of two cards, or left out the same stretch.
    ///
    /// - Parameter isTurned: whether the card passed the other way the second time.
    init?(_ first: RefusedPass, _ second: RefusedPass, isTurned: Bool) {
        let turned = zip(second.runs, second.reliability).map {
            PassBits($0, reliability: $1, isTurned: isTurned)
        }
        runs = [
            zip(first.runs, first.reliability).map { PassBits($0, reliability: $1, isTurned: false) },
            isTurned ? turned.reversed() : turned,
        ]
        let stretches = common()
        guard var last = stretches.first, stretches.count > 1, addBeginning(last) else { return nil }
        for stretch in stretches.dropFirst() {
            guard let next = add(last, upTo: stretch) else { return nil }
            last = next
        }
        add(last)
        guard addEnd(last) else { return nil }
        for part in parts { put(part) }
    }

    /// Of two passes the surer one counts: what makes one of them misread a cell may be on the card.
    private mutating func put(_ part: [Stretch]) {
        let start = bits.count
        for (number, stretch) in part.enumerated() {
            let read = runs[stretch.pass][stretch.run]
            let sure = read.reliability[stretch.place]
            if number == 0 {
                bits += read.bits[stretch.place]
                reliability += sure
            } else {
                for (place, value) in zip(start..., sure) {
                    reliability[place] = max(reliability[place], value)
                }
            }
            share(stretch, start..<start + stretch.place.count)
        }
    }

    private mutating func share(_ stretch: Stretch, _ joined: Range<Int>) {
        if let known = shares.firstIndex(where: { $0.pass == stretch.pass && $0.run == stretch.run }) {
            shares[known].place = shares[known].place.lowerBound..<stretch.place.upperBound
            shares[known].joined = shares[known].joined.lowerBound..<joined.upperBound
        } else {
            shares.append(
                Share(pass: stretch.pass, run: stretch.run, place: stretch.place, joined: joined))
        }
    }

    /// In the order on the card; of those that contradict each other the longest.
    private func common() -> [CommonStretch] {
        let found = runs[0].indices.flatMap { first in
            runs[1].indices.compactMap { second in
                CommonStretch(runs[0][first], runs[1][second], runs: [first, second])
            }
        }
        var kept: [CommonStretch] = []
        for stretch in found.sorted(by: { $0.count > $1.count }).prefix(Self.mostStretches)
        where kept.allSatisfy({ $0.follows(stretch) || stretch.follows($0) }) {
            kept.append(stretch)
        }
        return kept.sorted { $1.follows($0) }
    }

    private mutating func add(_ stretch: CommonStretch) {
        parts.append([0, 1].map { Stretch(pass: $0, run: stretch.runs[$0], place: stretch.places[$0]) })
    }

    /// What comes before the first common stretch: the other pass began later, or with other zeros.
    private mutating func addBeginning(_ stretch: CommonStretch) -> Bool {
        addOutside(stretch, stretch.places.map { 0..<$0.lowerBound })
    }

    private mutating func addEnd(_ stretch: CommonStretch) -> Bool {
        addOutside(
            stretch,
            [0, 1].map { stretch.places[$0].upperBound..<runs[$0][stretch.runs[$0]].bits.count })
    }

    private mutating func addOutside(_ stretch: CommonStretch, _ places: [Range<Int>]) -> Bool {
        let longer = places[0].count >= places[1].count ? 0 : 1
        guard places[1 - longer].count <= Self.mostTail else { return false }
        parts.append([Stretch(pass: longer, run: stretch.runs[longer], place: places[longer])])
        return true
    }

    /// Adds a common stretch, and what lies between it and the next, where one pass has a gap.
    ///
    /// - Returns: the next one, without what the first has of it.
    private mutating func add(_ last: CommonStretch, upTo next: CommonStretch) -> CommonStretch? {
        let goesOn = [0, 1].map { last.runs[$0] == next.runs[$0] }
        guard goesOn[0] != goesOn[1] else { return nil }
        let whole = goesOn[0] ? 0 : 1
        let twice = max(last.places[whole].upperBound - next.places[whole].lowerBound, 0)
        guard let next = next.dropping(twice) else { return nil }
        let between = last.places[whole].upperBound..<next.places[whole].lowerBound
        guard isGap(in: 1 - whole, last, next, cells: between.count) else { return nil }
        add(last)
        parts.append([Stretch(pass: whole, run: last.runs[whole], place: between)])
        return next
    }

    /// Whether one run ends and another begins soon beyond the common bits, and the time between is that of so many cells.
    private func isGap(in pass: Int, _ last: CommonStretch, _ next: CommonStretch, cells: Int) -> Bool {
        let (ending, beginning) = (runs[pass][last.runs[pass]], runs[pass][next.runs[pass]])
        let (end, start) = (last.places[pass].upperBound, next.places[pass].lowerBound)
        let noise = runs[pass][last.runs[pass] + 1..<next.runs[pass]].reduce(0) { $0 + $1.bits.count }
        guard ending.bits.count - end <= Self.mostTail, start <= Self.mostTail, noise <= Self.mostNoise
        else { return false }
        let cell = (ending.cell(before: end) + beginning.cell(after: start)) / 2
        let passed = abs(beginning.edges[start] - ending.edges[end]) / max(cell, .leastNormalMagnitude)
        return abs(passed - Double(cells)) <= Self.mostBend * Double(cells) + Self.mostCells
    }
}
