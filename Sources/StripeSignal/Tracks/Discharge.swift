/// Tells a discharge of static electricity from a seam.
///
///     values      ..                ..
///               .    .   |\       .    .
///              .       . | `·. .       .
///                       .|     `-.
///                        ^jump, and what was added dies away
///
/// Both jump. Behind a seam the waveform is the card's own again, only at another place of the card. Behind a discharge it is the card's
/// own with something added, which begins at the jump and dies away, as through an amplifier's coupling. That moves the pulses, from
/// which the cells' edges were found: so the discharge is taken out, the edges are laid anew, and it is measured again.
struct Discharge {
    /// What is looked at: so much of a cell before the jump, and a cell behind it, but no more than so many seconds.
    private static let before = 0.1
    private static let longest = 0.0006
    /// How long it may take to fall to 37 %, in seconds, and by which factor the times differ that are tried.
    private static let slowestFall = 0.0015
    private static let fallFactor = 1.4
    private static let rounds = 4
    /// Fewer samples fit by chance.
    private static let fewest = 8
    /// An edge lies so near to where it was found, in cells.
    private static let edgeReach = 0.25
    /// With it taken out, so much may be left unexplained, in parts of the card's pulses, and this part of what was.
    private static let mostRest: Float = 0.09
    private static let mostRestPart: Float = 0.28

    private let cells: CellShapes
    private let jump: Int
    private let window: Range<Int>
    private let height: Float

    /// Nil where there is no cell of the record.
    init?(at jump: Int, in cells: CellShapes) {
        guard let cell = cells.cell(at: jump) else { return nil }
        let length = cells.edges[cell + 1] - cells.edges[cell]
        guard length > 0 else { return nil }
        self.cells = cells
        self.jump = jump
        let behind = min(length, Self.longest * Double(cells.sampleRate))
        window = jump - Int(Self.before * length)..<jump + Int(behind) + 1
        height = cells.usualHeight(round: cell)
    }

    /// Whether the waveform round the jump is that of its cells, but for what begins there and dies away.
    var isThere: Bool {
        let slowest = Self.slowestFall * Double(cells.sampleRate)
        return height > 0
            && sequence(first: 1.0) { $0 * Self.fallFactor }.prefix { $0 < slowest }.contains(where: isThere)
    }

    /// Whether it is one that takes so many samples to fall.
    private func isThere(_ fall: Double) -> Bool {
        let curve = Array(
            sequence(first: Float(1)) { $0 * Float(fall / (fall + 1)) }.prefix(3 * window.count))
        let (limit, part) = (Self.mostRest * height, Self.mostRestPart)
        var edges = cells.edges
        var leastWithout = Float.infinity
        for _ in 0..<Self.rounds {
            let rests = cells.rests(in: window, edges, height: height)
            guard rests.count >= max(Self.fewest, window.count * 3 / 4) else { return false }
            let scale = scale(of: curve, in: rests)
            let (without, with) = rests.reduce((Float(0), Float(0))) { sums, rest in
                let left = rest.value - scale * added(curve, at: rest.sample)
                return (sums.0 + rest.value * rest.value, sums.1 + left * left)
            }
            // Without a discharge, other edges may explain more than those that were found.
            leastWithout = min(leastWithout, without / Float(rests.count))
            let left = with / Float(rests.count)
            if left < limit * limit, left < part * part * leastWithout { return true }
            edges = laidAnew { cells.signal[$0] - scale * added(curve, at: $0) }
        }
        return false
    }

    /// How much of a curve fits what is unexplained best.
    private func scale(of curve: [Float], in rests: [(sample: Int, value: Float)]) -> Float {
        let (product, power) = rests.reduce((Float(0), Float(0))) { sums, rest in
            let own = added(curve, at: rest.sample)
            return (sums.0 + own * rest.value, sums.1 + own * own)
        }
        return power > 0 ? product / power : 0
    }

    private func added(_ curve: [Float], at sample: Int) -> Float {
        curve.indices.contains(sample - jump) ? curve[sample - jump] : 0
    }

    /// The edges in and beside the window, on the pulses that some values have near them.
    private func laidAnew(_ value: (Int) -> Float) -> ArraySlice<Double> {
        let found = cells.edges
        var edges = found
        for edge in found.indices.dropFirst().dropLast() {
            let length = min(found[edge + 1] - found[edge], found[edge] - found[edge - 1])
            guard length > 0, found[edge] > Double(window.lowerBound) - length,
                found[edge] < Double(window.upperBound) + length
            else { continue }
            let reach = Self.edgeReach * length
            let near = (Int(found[edge] - reach)..<Int(found[edge] + reach) + 2)
                .clamped(to: 1..<max(cells.signal.count - 1, 1))
            edges[edge] = peak(in: near, cells.sign(of: edge), value) ?? found[edge]
        }
        return edges
    }

    /// Where a pulse of one sign is highest: a parabola through three samples.
    private func peak(in near: Range<Int>, _ sign: Float, _ value: (Int) -> Float) -> Double? {
        guard let top = near.max(by: { sign * value($0) < sign * value($1) }) else { return nil }
        let (before, after) = (value(top - 1), value(top + 1))
        let bend = before - 2 * value(top) + after
        let shift = bend == 0 ? 0 : (before - after) / (2 * bend)
        return Double(top) + Double(min(max(shift, -0.5), 0.5))
    }
}
