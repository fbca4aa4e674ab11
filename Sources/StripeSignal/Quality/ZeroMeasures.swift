/// What is measured where the card has nothing but clocking zeros.
struct ZeroMeasures {
    var places: RecordPlaces
    /// The samples from the swipe's first on.
    var heard: [Float]
    var firstSample: Double

    /// A cell is compared with the mean of so many to each side and itself: a speed that changes evenly cancels.
    static let reach = 4
    /// A pulse's top is looked for within this part of a cell to each side of its place.
    private static let topReach = 0.25

    var cellVariation: CardReport.Variation? {
        CardReport.Variation(
            places.measured.flatMap { zeros in
                guard zeros.count > 2 * Self.reach else { return [Double]() }
                return (zeros.lowerBound + Self.reach..<zeros.upperBound - Self.reach).map { cell in
                    let mean = places.meanCell(cell - Self.reach..<cell + Self.reach + 1)
                    return abs(places.cell(cell) / mean - 1)
                }
            })
    }

    /// Both halves of each one of the start sentinel, against the zeros before it. Its last two cells stand next to the data.
    func halfVariation(_ reversals: [FluxReversal]) -> CardReport.Variation? {
        guard let record = places.record, let zeros = places.measured.first, zeros.count > 2 * Self.reach,
            zeros.upperBound <= record.lowerBound
        else { return nil }
        let half = places.meanCell(zeros.upperBound - 2 * Self.reach..<zeros.upperBound) / 2
        let sentinel = record.lowerBound..<record.lowerBound + places.characterCells
        let ones = sentinel.dropLast(RecordPlaces.crowdedCells).filter { places.bits[$0] == 1 }
        let deviations = ones.flatMap { cell -> [Double] in
            let (start, end) = (places.edges[cell], places.edges[cell + 1])
            let margin = half * Self.topReach
            let middle = reversals.lazy.map { places.isBackward ? -$0.position : $0.position }
                .first { $0 > start + margin && $0 < end - margin }
            guard let middle else { return [] }
            return [abs((middle - start) / half - 1), abs((end - middle) / half - 1)]
        }
        return CardReport.Variation(deviations)
    }

    /// The mean height of the pulses.
    var height: Double? {
        let tops = places.measured.flatMap { zeros in zeros.compactMap { top(ofEdge: $0) } }
        return tops.isEmpty ? nil : tops.reduce(0, +) / Double(tops.count)
    }

    /// The mean square of the samples.
    var power: Double? {
        var (sum, count) = (0.0, 0)
        for zeros in places.measured {
            for sample in samples(places.edges[zeros.lowerBound], places.edges[zeros.upperBound]) {
                sum += Double(sample) * Double(sample)
                count += 1
            }
        }
        return count > 0 ? sum / Double(count) : nil
    }

    /// The highest pulse of the weakest window, in percent of the zeros' pulses. A voltage goes with the speed, so each is taken with
    /// the length of its own cell.
    func weakest(_ windows: [Range<Int>]) -> Double? {
        let zeros = places.measured.flatMap { $0.compactMap { strength(ofEdge: $0) } }
        let usual = zeros.reduce(0, +) / Double(max(zeros.count, 1))
        guard usual > 0 else { return nil }
        return windows.compactMap { window in
            window.compactMap { strength(ofEdge: $0) }.max().map { 100 * $0 / usual }
        }.min()
    }

    /// What a pulse would be high at a speed of one cell a sample.
    private func strength(ofEdge index: Int) -> Double? {
        top(ofEdge: index).map { $0 * places.cell(min(index, places.bits.count - 1)) }
    }

    private func top(ofEdge index: Int) -> Double? {
        let cell = places.cell(min(index, places.bits.count - 1))
        let place = places.edges[index]
        let around = samples(place - cell * Self.topReach, place + cell * Self.topReach)
        return around.map { Double(abs($0)) }.max()
    }

    /// The samples between two places in the order of reading.
    private func samples(_ from: Double, _ to: Double) -> ArraySlice<Float> {
        let (low, high) = places.isBackward ? (-to, -from) : (from, to)
        let first = Int((low - firstSample).rounded())
        let last = Int((high - firstSample).rounded())
        return heard[
            max(first, 0).clamped(to: heard.count)..<max(last + 1, first, 0).clamped(to: heard.count)]
    }
}

extension Int {
    fileprivate func clamped(to most: Int) -> Int { Swift.min(self, most) }
}
