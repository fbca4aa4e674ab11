/// A card's pulses in the order in which they lie on it, put together from the stretches between its stops.
struct UnfoldedCard: Sendable {
    var pulses: [FluxReversal]
    /// Of each pulse on the card, in samples at the usual speed.
    var ways: [Double]
    /// Where two stretches were put together, in samples.
    var join: ClosedRange<Double>
}

/// All that a card with a gap in its pulses may have done: it stood and went on, or it was pulled back and passed the
/// head again.
///
///     stood          ------>|  |------>
///     pulled back    ------>|
///                        <--|
///                        |------------>
extension StoppedCard {
    /// A card that got slow in one place stood there; of more places two are turns, if what lies between them comes again for
    /// long enough.
    func unfolded() -> [UnfoldedCard] {
        if valleys.count == 1 {
            let stops = valleys[0].filter(isStop).sorted { time(before: $0) > time(before: $1) }
            return stops.prefix(Self.mostStops).flatMap(stood)
        }
        guard valleys.count <= Self.mostValleys else { return [] }
        var cards: [UnfoldedCard] = []
        for (number, first) in valleys.enumerated() {
            for second in valleys[(number + 1)...] { cards += pulledBack(first, second) }
        }
        return Array(cards.prefix(Self.mostCards))
    }

    /// Where a level comes and goes more often, no hand moves a card.
    private static let mostValleys = 6
    private static let mostCards = 40

    private func time(before pulse: Int) -> Double {
        pulses[pulse].position - pulses[pulse - 1].position
    }

    private static let mostStops = 3
    /// Cells that a card would have gone in the time of a stop as fast as it was on both sides of it.
    private static let leastStop = 1.3
    /// The pulses next to a stop are so many cells apart, and the card so fast between them, of its usual speed.
    private static let leastWay = 0.3
    private static let mostSpeed = 0.6
    /// Half cells that may lie between the pulses on both sides of a stop.
    private static let waysAcross = [1.0, 0.5]
    /// Of the usual height: a fainter pulse next to a stop may be none, or stand elsewhere.
    private static let faint: Float = 0.16

    /// Whether the card got slower towards a gap and faster after it. Under a lifted head pulses get lower too, and follow one
    /// another as fast as before.
    private func isStop(_ gap: Int) -> Bool {
        guard ways[gap] - ways[gap - 1] > Self.leastStop * cell else { return false }
        guard rises(stride(from: gap - 1, through: 0, by: -1)),
            rises(stride(from: gap, to: pulses.count, by: 1))
        else { return false }
        guard [gap - 2, gap + 1].allSatisfy(isSlow), !isLifted(gap) else { return false }
        return [gap - 1, gap + 1].allSatisfy { pulse in
            guard pulse > 0, pulse < pulses.count else { return true }
            let way = ways[pulse] - ways[pulse - 1]
            let time = pulses[pulse].position - pulses[pulse - 1].position
            return way > Self.leastWay * cell && way < Self.mostSpeed * time
        }
    }

    /// Whether a pulse about a cell away from a stop is lower than usual: no hand stops a card within a third of a millimetre. Where
    /// the head has no contact for a while, the pulses on both sides are as high as all others.
    private func isSlow(_ pulse: Int) -> Bool {
        guard pulses.indices.contains(pulse) else { return true }
        return abs(pulses[pulse].amplitude) < Self.mostAtACell * usual
    }

    private static let mostAtACell: Float = 0.8

    /// Whether pulses get lower towards a gap on both sides and follow one another as fast as before: the head leaves the card.
    ///
    ///     stopped    |  |   |     |           times grow as heights fall
    ///     lifted     |  |  |  |               times of whole and half cells
    private func isLifted(_ gap: Int) -> Bool {
        let sides = [Array((0..<gap).reversed()), Array(gap..<pulses.count)].map { times(towards: $0) }
        let found = sides.flatMap { $0 }
        return found.count >= Self.leastTimes
            && found.allSatisfy { time in
                abs(time - 0.5) < Self.evenness / 2 || abs(time - 1) < Self.evenness
            }
    }

    /// In cells, as fast as the card was before its pulses got lower.
    ///
    /// - Parameter fromGap: the pulses on one side of the gap, the nearest first.
    private func times(towards fromGap: [Int]) -> [Double] {
        func height(_ index: Int) -> Float { abs(pulses[fromGap[index]].amplitude) }
        let near = min(fromGap.count, Self.mostFading)
        guard near > Self.plateau + 1 else { return [] }
        let usual = (0..<near).map(height).max() ?? 0
        let edge = (1..<near - Self.plateau).first { height($0) > Self.nearlyUsual * usual }
        guard let edge else { return [] }
        func time(_ from: Int, _ to: Int) -> Double {
            abs(pulses[fromGap[to]].position - pulses[fromGap[from]].position)
        }
        let way = abs(ways[fromGap[edge + Self.plateau]] - ways[fromGap[edge]])
        let speed = way / max(time(edge, edge + Self.plateau), .leastNormalMagnitude)
        return (0..<edge).map { time($0, $0 + 1) * speed / cell }
    }

    private static let leastTimes = 3
    private static let evenness = 0.12
    private static let mostFading = 14
    private static let plateau = 4
    private static let nearlyUsual: Float = 0.9

    /// Whether pulses get higher the further they are from a stop, about as fast as under even acceleration, until the speed
    /// is the usual one. Where the card was pulled back by a cell or two next to it they do not.
    private func rises(_ fromStop: some Sequence<Int>) -> Bool {
        var passed: [(distance: Double, height: Float)] = []
        guard let nearest = fromStop.first(where: { _ in true }) else { return true }
        for pulse in fromStop {
            let distance = Self.restDistance * cell + abs(ways[pulse] - ways[nearest])
            let height = abs(pulses[pulse].amplitude)
            for last in passed where distance - last.distance >= cell {
                let expected = Float((distance / last.distance).squareRoot())
                guard height > Self.leastOfRise * last.height * (1 + Self.riseTaken * (expected - 1)) else {
                    return false
                }
            }
            guard height < Self.nearUsual * usual, distance < Self.reachOfStop * cell else { return true }
            passed.append((distance, height))
        }
        return true
    }

    /// Cells from a stop to the pulse next to it.
    private static let restDistance = 0.25
    /// Neighbours change a pulse's height by so much, and a hand does not slow down evenly.
    private static let leastOfRise: Float = 0.75
    private static let riseTaken: Float = 0.4
    private static let nearUsual: Float = 0.7
    /// Cells from a stop within which the speed rises in any case.
    private static let reachOfStop = 5.0

    /// It stood in a gap, before the pulse given.
    private func stood(_ gap: Int) -> [UnfoldedCard] {
        var cards = stood(from: gap - 1, to: gap)
        if gap > 1, abs(pulses[gap - 1].amplitude) < Self.faint * usual {
            cards += stood(from: gap - 2, to: gap)
        }
        if gap + 1 < pulses.count, abs(pulses[gap].amplitude) < Self.faint * usual {
            cards += stood(from: gap - 1, to: gap + 1)
        }
        return cards
    }

    /// It stood between two pulses. If they have one sign, one between them is lost, or both are halves of one.
    private func stood(from before: Int, to after: Int) -> [UnfoldedCard] {
        guard (pulses[before].amplitude > 0) == (pulses[after].amplitude > 0) else {
            return Self.waysAcross.map { across([$0], before, after) }
        }
        let lost = Self.waysAcross.flatMap { first in
            Self.waysAcross.map { across([first, $0], before, after) }
        }
        return lost + [halves(before, after)]
    }

    /// The card stood over one reversal: the louder half of its pulse is kept.
    private func halves(_ before: Int, _ after: Int) -> UnfoldedCard {
        var card = across([0], before, after)
        let isFirst = abs(pulses[before].amplitude) < abs(pulses[after].amplitude)
        card.pulses.remove(at: isFirst ? before : before + 1)
        card.ways.remove(at: isFirst ? before : before + 1)
        return card
    }

    /// Both stretches, with ways in cells between the pulses given, and a pulse where two of these meet.
    private func across(_ cells: [Double], _ before: Int, _ after: Int) -> UnfoldedCard {
        let (first, last) = (pulses[before], pulses[after])
        var between: [FluxReversal] = []
        if cells.count > 1 {
            between = [
                FluxReversal(
                    position: (first.position + last.position) / 2, amplitude: -first.amplitude, confidence: 0
                )
            ]
        }
        let shift = ways[before] + cells.reduce(0, +) * cell - ways[after]
        return UnfoldedCard(
            pulses: [pulses[...before], between[...], pulses[after...]].flatMap(\.self),
            ways: ways[...before] + between.map { _ in ways[before] + cells[0] * cell }
                + ways[after...].map { $0 + shift },
            join: first.position...last.position)
    }

    /// It turned in two gaps, and what lies between them passed the head three times.
    private func pulledBack(_ firsts: [Int], _ seconds: [Int]) -> [UnfoldedCard] {
        firsts.flatMap { first in
            seconds.flatMap { second in Self.mostLost.compactMap { turned(first, second, $0) } }
        }
    }

    private static let leastBeyond = 3
    /// So many pulses with the same ways between them are hardly others.
    private static let provingOverlap = 5
    /// Pulses that may be missing round the turns, on the way out less those on the way back.
    private static let mostLost = [0, 1, -1, 2, -2]

    /// It turned back before one pulse and forward before another.
    private func turned(_ first: Int, _ second: Int, _ lost: Int) -> UnfoldedCard? {
        // The pulse after the second turn is that of the reversal which passed the head here before.
        let again = 2 * first - second + lost
        guard again >= 0, again < first, second < pulses.count else { return nil }
        guard (pulses[again].amplitude > 0) == (pulses[second].amplitude > 0) else { return nil }
        // A card that did not get further the second time is not told from one that stayed.
        let overlap = first - again
        guard overlap >= Self.provingOverlap else { return nil }
        guard second + overlap + Self.leastBeyond <= pulses.count, isTurn(first, second),
            agrees(again, second, overlap)
        else { return nil }
        let join = overlap / 2
        let shift = ways[again + join] - ways[second + join]
        return UnfoldedCard(
            pulses: Array(pulses[..<(again + join)] + pulses[(second + join)...]),
            ways: ways[..<(again + join)] + ways[(second + join)...].map { $0 + shift },
            join: pulses[again + join].position...pulses[second + join].position)
    }

    /// Whether the speed falls towards both turns and rises after them, as one that changes evenly does.
    private func isTurn(_ first: Int, _ second: Int) -> Bool {
        second - first >= Self.looked
            && isSlowest(first - 1, of: max(first - Self.looked, 0)..<first, before: first)
            && isSlowest(second, of: second..<min(second + Self.looked, pulses.count), before: second)
            && isSlowest(first, of: first..<first + Self.looked, before: first)
            && isSlowest(second - 1, of: second - Self.looked..<second, before: second)
    }

    /// Whether a pulse next to a turn is as much lower than the others on its side as it is nearer: the speed goes with
    /// the root of the distance. Between the pulses on both sides of the turn the card would have gone four times that as fast
    /// as it was at these.
    private func isSlowest(_ nearest: Int, of near: Range<Int>, before gap: Int) -> Bool {
        let distance = min((ways[gap] - ways[gap - 1]) / 4, cell)
        let furthest = nearest == near.lowerBound ? near.upperBound - 1 : near.lowerBound
        guard furthest != nearest else { return true }
        let height = abs(pulses[nearest].amplitude)
        guard near.allSatisfy({ abs(pulses[$0].amplitude) > Self.leastOther * height }) else { return false }
        let expected = ((distance + abs(ways[furthest] - ways[nearest])) / distance).squareRoot()
        let ratio = Double(abs(pulses[furthest].amplitude) / abs(pulses[nearest].amplitude))
        return ratio > 1 + Self.leastRise * (expected - 1)
    }

    private static let looked = 4
    private static let leastRise = 0.4
    private static let leastOther: Float = 0.9

    /// Two passages of the same pulses have about the same ways between them.
    private func agrees(_ one: Int, _ other: Int, _ count: Int) -> Bool {
        var different = 0
        for index in 1..<count {
            let ratio =
                (ways[one + index] - ways[one + index - 1])
                / max(ways[other + index] - ways[other + index - 1], .leastNormalMagnitude)
            if !Self.alike.contains(ratio) { different += 1 }
        }
        return different <= (count < Self.mayDiffer ? 0 : count / Self.mayDiffer + 1)
    }

    /// Ratios of one way twice: half a cell and a whole one are further apart.
    private static let alike = 0.68...1.47
    private static let mayDiffer = 8
}
