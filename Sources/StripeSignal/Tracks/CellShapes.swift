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

    /// Of a discharge: what is looked at before and behind it, in cells, how long it may take to die away, in seconds, and by which
    /// factor such times differ.
    private static let before = 0.1
    private static let behind = 1.0
    private static let slowestFall = 0.0015
    private static let fallFactor = 1.4
    /// With it taken out, so much may be left unexplained, in parts of the highest pulse near by, and this part of what was.
    private static let mostRest: Float = 0.07
    private static let mostRestPart: Float = 1 / 3

    private let signal: [Float]
    private let sampleRate: Int
    private let bits: [UInt8]
    private let edges: ArraySlice<Double>
    /// By a cell's bit and its neighbours': the mean of such cells, each by its own height, the first pulse upward.
    private var shapes: [Int: [Float]] = [:]

    /// - Parameter signal: without its baseline.
    init(_ signal: [Float], sampleRate: Int, _ run: IntervalClock.Run, in record: Range<Int>) {
        self.signal = signal
        self.sampleRate = sampleRate
        bits = run.bits
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

    /// Whether the waveform round a jump is that of its cells, but for what begins there and dies away.
    func isDischarge(at jump: Int) -> Bool {
        guard let cell = cell(at: jump) else { return false }
        let length = edges[cell + 1] - edges[cell]
        let window = jump - Int(Self.before * length)..<jump + Int(Self.behind * length) + 1
        let rests = rests(in: window)
        let height = height(round: edges[cell], length)
        let power = rests.reduce(0) { $0 + $1.value * $1.value }
        guard !rests.isEmpty, height > 0 else { return false }
        var least = power
        var fall = 1.0
        while fall < Self.slowestFall * Double(sampleRate) {
            least = min(least, power - Self.explained(of: rests, from: jump, fall: fall))
            fall *= Self.fallFactor
        }
        let limit = Self.mostRest * height
        return least < limit * limit * Float(rests.count)
            && least < Self.mostRestPart * Self.mostRestPart * power
    }

    /// The power of what begins at a sample and dies away, in so many samples to 37 %.
    private static func explained(
        of rests: [(sample: Int, value: Float)], from jump: Int, fall: Double
    ) -> Float {
        let kept = Float(fall / (fall + 1))
        var (part, sample): (Float, Int) = (1, jump)
        var product: Float = 0
        var power: Float = 0
        for rest in rests where rest.sample >= jump {
            while sample < rest.sample { (part, sample) = (part * kept, sample + 1) }
            product += part * rest.value
            power += part * part
        }
        return power > 0 ? product * product / power : 0
    }

    /// What the cells' own shapes do not explain.
    private func rests(in window: Range<Int>) -> [(sample: Int, value: Float)] {
        edges.indices.dropLast().flatMap { cell -> [(sample: Int, value: Float)] in
            let (start, end) = (edges[cell], edges[cell + 1])
            guard end > Double(window.lowerBound), start < Double(window.upperBound), end > start, start >= 0,
                let shape = shapes[kind(of: cell)]
            else { return [] }
            let samples = (Int(start.rounded(.up))..<Int(end.rounded(.up))).clamped(to: signal.indices)
            let height = height(round: start, end - start)
            let own = samples.map {
                height * Self.value(shape, at: (Double($0) - start) / (end - start) * Double(Self.places))
            }
            let sign: Float = zip(samples, own).reduce(0) { $0 + signal[$1.0] * $1.1 } < 0 ? -1 : 1
            return zip(samples, own).map { ($0, signal[$0] - sign * $1) }.filter { window.contains($0.0) }
        }
    }

    private func cell(at sample: Int) -> Int? {
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
