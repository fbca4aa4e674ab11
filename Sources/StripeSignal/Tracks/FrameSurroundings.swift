/// Tells a whole record from a piece of one.
///
/// Parity proves characters, not that none is missing: where a stretch of the stripe is lost, what follows it may
/// look like a record, with a start sentinel made by chance. On a card, a record stands between clocking zeros, and
/// beyond those there is nothing. So on each side there must be silence after the zeros, or zeros in plenty, as loud
/// as the record itself.
struct FrameSurroundings: Sendable {
    /// The swipe without its baseline.
    var signal: [Float]
    /// Power of the noise round the swipe.
    var noise: Float

    /// Zeros in a row that data do not hold: two characters' worth of nothing but zeros would break parity.
    private static let plentyOfZeros = 12
    /// Louder than this part of the record's own power is signal...
    private static let loudPart: Float = 0.1
    /// ...if it is louder than the noise by this factor.
    private static let overNoise: Float = 1.6
    /// So many loud blocks of four cells are a knock or clicks.
    private static let toleratedBlocks = 3

    /// The end of the record that nothing bounds, as an edge of the run; nil where it is whole.
    ///
    /// - Parameters:
    ///   - frame: the record's bits within the run, in the order of time.
    ///   - looksBefore: whether the record begins there.
    ///   - looksAfter: whether it ends there.
    func openEnd(
        of frame: Range<Int>, in run: IntervalClock.Run, looksBefore: Bool = true, looksAfter: Bool = true
    ) -> Int? {
        guard looksBefore || looksAfter else { return nil }
        guard frame.lowerBound >= 0, frame.upperBound < run.edges.count, frame.count > 1 else {
            return frame.lowerBound
        }
        let cells = frame.map { run.edges[$0 + 1] - run.edges[$0] }.sorted()
        let powers = frame.map { power(of: $0, run) }.sorted()
        let cell = cells[cells.count / 2]
        let loud = max(powers[powers.count / 2] * Self.loudPart, 0) + noise * Self.overNoise
        let before = stride(from: frame.lowerBound - 1, through: 0, by: -1)
        guard !looksBefore || isBounded(run, cells: before, cell, loud, isBefore: true) else {
            return frame.lowerBound
        }
        let after = stride(from: frame.upperBound, to: run.bits.count, by: 1)
        let isClosed = !looksAfter || isBounded(run, cells: after, cell, loud, isBefore: false)
        return isClosed ? nil : frame.upperBound
    }

    private func isBounded(
        _ run: IntervalClock.Run, cells: some Sequence<Int>, _ cell: Double, _ loud: Float, isBefore: Bool
    ) -> Bool {
        var firm = 0
        var isFirm = true
        var border: Double?
        for index in cells {
            guard run.bits[index] == 0 else { break }
            border = isBefore ? run.edges[index] : run.edges[index + 1]
            isFirm = isFirm && power(of: index, run) > loud
            if isFirm { firm += 1 }
        }
        guard firm < Self.plentyOfZeros else { return true }
        // Without a single zero there is no border at all.
        guard let border else { return false }
        return loudBlocks(beyond: border, cell, loud, isBefore: isBefore) <= Self.toleratedBlocks
    }

    private func loudBlocks(beyond border: Double, _ cell: Double, _ loud: Float, isBefore: Bool) -> Int {
        let length = max(cell * 2, 4)
        var place = isBefore ? border - cell : border + cell
        var count = 0
        while isBefore ? place - 2 * length >= 0 : place + 2 * length < Double(signal.count) {
            let first = isBefore ? place - 2 * length : place
            let mean = (power(first, first + length) + power(first + length, first + 2 * length)) / 2
            if mean > loud { count += 1 }
            place += isBefore ? -2 * length : 2 * length
        }
        return count
    }

    /// Of a cell and the one before it: a whole period of zeros.
    private func power(of cell: Int, _ run: IntervalClock.Run) -> Float {
        power(run.edges[max(cell - 1, 0)], run.edges[cell + 1])
    }

    /// Mean power of a stretch without its mean and slope: hum counts little.
    private func power(_ start: Double, _ end: Double) -> Float {
        let first = max(Int(start), 0)
        let last = min(Int(end), signal.count)
        guard last > first + 1 else { return 0 }
        var sum: Float = 0
        var squares: Float = 0
        var moment: Float = 0
        var inertia: Float = 0
        let middle = Float(first + last - 1) / 2
        for index in first..<last {
            let offset = Float(index) - middle
            sum += signal[index]
            squares += signal[index] * signal[index]
            moment += signal[index] * offset
            inertia += offset * offset
        }
        let count = Float(last - first)
        return max((squares - sum * sum / count - moment * moment / inertia) / count, 0)
    }
}
