import CardData

/// How far a card had come at each moment, as the record that one head read tells the other heads on the same card.
///
///     edges of the record's cells     |  |  |   |    |     |     in time, as the hand moved
///     the same card, straightened     |   |   |   |   |   |      each cell as long as the next
struct CardWay: Sendable {
    /// Each a cell of the record after the one before, in samples of the stream, without the cells' own jitter.
    private let moments: [Double]
    /// Of a cell before the first moment, and behind the last.
    private let firstCell: Double
    private let lastCell: Double
    /// Samples that a cell gets, once straightened: few cells had fewer, so that little is lost.
    private let usual: Double

    /// An edge's place is the mean over so many edges on both sides: jitter is each edge's own, and a hand is slower.
    private static let reach = 4
    /// Cells at an end that tell how fast the card was beyond it.
    private static let endCells = 8
    /// Of the cells from the shortest to the longest.
    private static let usualPart = 0.75

    /// Nil where the head read too little of the card, or put it together from pieces.
    init?(_ swipe: StripeSwipe) {
        guard swipe.hasText, !swipe.quality.isJoined,
            let run = swipe.bitRuns.max(by: { $0.bits.count < $1.bits.count })
        else { return nil }
        self.init(edges: run.cellEdges)
    }

    init?(edges: [Double]) {
        guard edges.count > 2 * Self.reach + Self.endCells else { return nil }
        let moments = (Self.reach..<edges.count - Self.reach).map { edge in
            edges[(edge - Self.reach)...(edge + Self.reach)].reduce(0, +) / Double(2 * Self.reach + 1)
        }
        let cells = zip(moments.dropFirst(), moments).map { $0 - $1 }
        let sorted = cells.sorted()
        guard let shortest = sorted.first, shortest > 0 else { return nil }
        self.moments = moments
        firstCell = Self.mean(cells.prefix(Self.endCells))
        lastCell = Self.mean(cells.suffix(Self.endCells))
        usual = sorted[Int(Self.usualPart * Double(sorted.count - 1))]
    }

    private static func mean(_ cells: ArraySlice<Double>) -> Double {
        cells.reduce(0, +) / Double(max(cells.count, 1))
    }

    /// The moment at which the card had come so far, and how long a cell took there.
    ///
    /// - Parameter cells: from the first moment on; negative before it.
    private func moment(at cells: Double) -> (moment: Double, cell: Double) {
        guard cells >= 0 else { return (moments[0] + cells * firstCell, firstCell) }
        let whole = Int(cells)
        guard whole < moments.count - 1 else {
            let last = moments.count - 1
            return (moments[last] + (cells - Double(last)) * lastCell, lastCell)
        }
        let cell = moments[whole + 1] - moments[whole]
        return (moments[whole] + (cells - Double(whole)) * cell, cell)
    }

    /// A longer one is no card's.
    private static let mostSamples = 4_000_000

    /// What another head gave, as if the card had gone evenly: what is induced is proportional to the speed, so that heights
    /// become even as well.
    ///
    /// - Parameter first: the place of the first sample in the stream.
    func straightened(_ samples: [Float], first: UInt64) -> StraightSignal {
        let begin = (Double(first) - moments[0]) / firstCell
        let start = Double(first) < moments[0] ? begin : cells(before: Double(first))
        let end = Double(first) + Double(samples.count) - 1
        var signal = StraightSignal(way: self, start: start, step: 1 / usual)
        while signal.samples.count < Self.mostSamples {
            let (moment, cell) = moment(at: signal.cells(at: Double(signal.samples.count)))
            guard moment <= end else { break }
            let value = Self.value(of: samples, at: max(moment - Double(first), 0))
            signal.samples.append(value * Float(cell / usual))
        }
        return signal
    }

    /// Cells from the first moment to another one behind it.
    private func cells(before moment: Double) -> Double {
        guard let next = moments.firstIndex(where: { $0 > moment }), next > 0 else {
            let last = moments.count - 1
            return Double(last) + (moment - moments[last]) / lastCell
        }
        return Double(next - 1) + (moment - moments[next - 1]) / (moments[next] - moments[next - 1])
    }

    /// Between samples, by the cubic that goes through two of them as the line between their neighbours does (Catmull and Rom).
    private static func value(of samples: [Float], at place: Double) -> Float {
        let index = Int(place)
        let part = Float(place - Double(index))
        func near(_ offset: Int) -> Float { samples[min(max(index + offset, 0), samples.count - 1)] }
        let (before, here, next, behind) = (near(-1), near(0), near(1), near(2))
        let slope = next - before
        let bend = 2 * before - 5 * here + 4 * next - behind
        let turn = 3 * (here - next) + behind - before
        return here + 0.5 * part * (slope + part * (bend + part * turn))
    }

    /// A head's sound in equal steps of the card's way in place of equal steps of time.
    struct StraightSignal: Sendable {
        var samples: [Float] = []
        private let way: CardWay
        private let start: Double
        private let step: Double

        init(way: CardWay, start: Double, step: Double) {
            self.way = way
            self.start = start
            self.step = step
        }

        fileprivate func cells(at sample: Double) -> Double { start + sample * step }

        /// Where in the stream a place between its samples was.
        func moment(of sample: Double) -> Double { way.moment(at: cells(at: sample)).moment }
    }
}
