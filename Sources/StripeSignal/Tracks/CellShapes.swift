/// What the cells of a record look like, to tell the card's own waveform from what was added to it.
///
/// At a seam the waveform jumps from one cell's to another's, and goes on as some cell of the card does. Behind a click or a
/// discharge it goes on as no cell does, until that has died away.
struct CellShapes: Sendable {
    /// Places in a cell at which it is looked at.
    private static let places = 16
    /// So much of a cell is looked at behind a jump.
    private static let looked = 0.25
    /// How far they may differ, in parts of the highest pulse near by.
    private static let mostDifference: Float = 0.3
    /// Cells to each side of which the highest pulse is the measure.
    private static let around = 3.0
    /// Cells to each side of which the middle one's height is the card's own.
    private static let nearCells = 6

    let signal: [Float]
    let sampleRate: Int
    let edges: ArraySlice<Double>
    private let bits: [UInt8]
    /// Of each cell, 1 where its first pulse points as that of the first cell, else -1: reversals take turns, and a one has two.
    private let turns: [Float]
    /// By a cell's bit and its neighbours': the mean of such cells, each by its own height, the first pulse upward.
    private var shapes: [Int: [Float]] = [:]

    /// - Parameter signal: without its baseline.
    init(_ signal: [Float], sampleRate: Int, _ run: IntervalClock.Run, in record: Range<Int>) {
        self.signal = signal
        self.sampleRate = sampleRate
        bits = run.bits
        turns = run.bits.reduce(into: [1]) { $0.append($1 == 1 ? $0[$0.count - 1] : -$0[$0.count - 1]) }
        let cells = record.clamped(to: 1..<max(min(run.bits.count, run.edges.count - 1) - 1, 1))
        edges = run.edges[cells.lowerBound..<min(cells.upperBound + 1, run.edges.count)]
        var sums: [Int: (sum: [Float], count: Float)] = [:]
        for cell in cells {
            guard let shape = shape(from: run.edges[cell], to: run.edges[cell + 1]) else { continue }
            let kind = kind(of: cell)
            let sign: Float = shape[0] < 0 ? -1 : 1
            var (sum, count) = sums[kind] ?? ([Float](repeating: 0, count: Self.places + 1), 0)
            for place in shape.indices { sum[place] += sign * shape[place] }
            count += 1
            sums[kind] = (sum, count)
        }
        shapes = sums.mapValues { entry in entry.sum.map { $0 / entry.count } }
    }

    /// Whether the waveform behind a jump, from its first sample on, goes on as in some cell of the card.
    func goesOn(behind jump: Int) -> Bool {
        guard let cell = cell(at: jump) else { return true }
        let length = edges[cell + 1] - edges[cell]
        guard length > 0 else { return true }
        let height = height(round: edges[cell], length)
        let last = min(jump + max(Int(Self.looked * length), 1), signal.count - 1, Int(edges[cell + 1]))
        guard jump <= last, height > 0 else { return true }
        return shapes.values.contains { shape in
            [-height, height].contains { scale in
                (jump...last).allSatisfy { sample in
                    let place = (Double(sample) - edges[cell]) / length * Double(Self.places)
                    return abs(signal[sample] - scale * Self.value(shape, at: place))
                        < Self.mostDifference * height
                }
            }
        }
    }

    /// What the cells' own shapes do not explain of some samples.
    ///
    /// - Parameters:
    ///   - edges: the cells', as they were found or laid anew.
    ///   - height: the card's pulses' near by.
    func rests(
        in window: Range<Int>, _ edges: ArraySlice<Double>, height: Float
    ) -> [(sample: Int, value: Float)] {
        edges.indices.dropLast().flatMap { cell -> [(sample: Int, value: Float)] in
            let (start, end) = (edges[cell], edges[cell + 1])
            guard end > Double(window.lowerBound), start < Double(window.upperBound), end > start, start >= 0,
                let shape = shapes[kind(of: cell)]
            else { return [] }
            let scale = height * sign(of: cell)
            let samples = (Int(start.rounded(.up))..<Int(end.rounded(.up))).clamped(to: signal.indices)
            return samples.clamped(to: window).map { sample in
                let place = (Double(sample) - start) / (end - start) * Double(Self.places)
                return (sample, signal[sample] - scale * Self.value(shape, at: place))
            }
        }
    }

    /// Of a cell's first pulse, as most pulses near by have it: what was added to the card's waveform turns single ones round.
    func sign(of cell: Int) -> Float {
        let agreement = near(cell).reduce(Float(0)) { sum, cell in
            let place = Int(edges[cell])
            guard signal.indices.contains(place) else { return sum }
            return sum + (signal[place] < 0 ? -turns[cell] : turns[cell])
        }
        return agreement < 0 ? -turns[cell] : turns[cell]
    }

    /// The middle one of the cells' highest pulses near by.
    func usualHeight(round cell: Int) -> Float {
        let heights = near(cell).map { cell in
            let (start, end) = (Int(edges[cell]), Int(edges[cell + 1]) + 1)
            return signal[(start..<max(end, start)).clamped(to: signal.indices)]
                .reduce(0) { max($0, abs($1)) }
        }
        return heights.sorted()[heights.count / 2]
    }

    private func near(_ cell: Int) -> ClosedRange<Int> {
        (cell - Self.nearCells...cell + Self.nearCells).clamped(to: edges.startIndex...edges.endIndex - 2)
    }

    func cell(at sample: Int) -> Int? {
        edges.indices.dropLast().last { edges[$0] <= Double(sample) }
    }

    /// By its bit and its neighbours'.
    private func kind(of cell: Int) -> Int {
        guard cell > 0, cell + 1 < bits.count else { return -1 }
        return Int(bits[cell - 1]) << 2 | Int(bits[cell]) << 1 | Int(bits[cell + 1])
    }

    /// The highest pulse near by.
    private func height(round start: Double, _ length: Double) -> Float {
        let reach = Self.around * length
        let near = Int(start - reach)..<Int(start + length + reach) + 1
        return signal[near.clamped(to: signal.indices)].reduce(0) { max($0, abs($1)) }
    }

    private static func value(_ values: [Float], at place: Double) -> Float {
        let index = min(max(Int(place), 0), values.count - 2)
        return values[index] + Float(place - Double(index)) * (values[index + 1] - values[index])
    }

    /// A cell's waveform from edge to edge; nil where there is none.
    private func shape(from start: Double, to end: Double) -> [Float]? {
        let length = end - start
        guard length > 0, start >= 0, end < Double(signal.count - 1) else { return nil }
        let height = height(round: start, length)
        guard height > 0 else { return nil }
        return (0...Self.places).map { place in
            let position = start + length * Double(place) / Double(Self.places)
            let index = Int(position)
            return (signal[index] + Float(position - Double(index)) * (signal[index + 1] - signal[index]))
                / height
        }
    }
}
