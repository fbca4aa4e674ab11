import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// A card that sticks is told from samples that are missing: what is induced is proportional to the speed.
@Suite struct SlowStretchTests {
    private static let cell = 40.0
    private static let count = 160

    /// A run of zeros whose cells grow to `longest` round the 80th, and the signal of its reversals.
    private static func stuck(longest: Double, lowers: Bool) -> (run: IntervalClock.Run, signal: [Float]) {
        var edges = [100.0]
        var heights: [Float] = []
        for index in 0..<count {
            let distance = abs(Double(index) - 80) / 6
            let length = distance < 1 ? 1 + (longest - 1) * (1 - distance * distance) : 1
            edges.append((edges.last ?? 0) + cell * length)
            heights.append(lowers ? Float(1 / length) : 1)
        }
        var signal = [Float](repeating: 0, count: Int(edges.last ?? 0) + 100)
        for (index, edge) in edges.enumerated() {
            let height = heights[min(index, heights.count - 1)] * (index & 1 == 0 ? 1000 : -1000)
            for offset in -8...8 { signal[Int(edge) + offset] = height * (1 - abs(Float(offset)) / 9) }
        }
        return (IntervalClock.Run(bits: [UInt8](repeating: 0, count: count), edges: edges), signal)
    }

    @Test func aCardThatSticksIsFound() {
        let made = Self.stuck(longest: 3, lowers: true)
        let slow = SlowStretches(made.run, in: made.signal, noise: 0)
        #expect(slow.stretches.count == 1)
        #expect(slow.reach(80, within: 0))
        #expect(!slow.reach(40, within: 8))
        #expect(!slow.reach(120, within: 8))
    }

    /// The same clock with pulses as high as everywhere is nobody's hand.
    @Test func slowCellsWithHighPulsesAreNoSlowStretch() {
        let made = Self.stuck(longest: 3, lowers: false)
        #expect(SlowStretches(made.run, in: made.signal, noise: 0).stretches.isEmpty)
    }

    /// A cell or two that are long are jitter, or samples that came twice.
    @Test func oneLongCellIsNoSlowStretch() {
        var run = IntervalClock.Run(bits: [UInt8](repeating: 0, count: 100))
        run.edges = (0...100).map { Double($0) * Self.cell + ($0 > 50 ? Self.cell : 0) }
        #expect(SlowStretches(run, in: [Float](repeating: 0, count: 5000), noise: 0).stretches.isEmpty)
    }

    /// Under a lifted head faint pulses are missed, and those left are as rare and low as a slow card's. One cell in which the signal turns
    /// back is enough to see it.
    @Test func hiddenReversalsAreNoSlowStretch() {
        var made = Self.stuck(longest: 3, lowers: true)
        let (start, end) = (made.run.edges[80], made.run.edges[81])
        let way = made.signal[Int(end)] - made.signal[Int(start)]
        for offset in -9...9 {
            let part = 0.3 * (1 - abs(Float(offset)) / 10)
            made.signal[Int(start + (end - start) * 0.35) + offset] += part * way
            made.signal[Int(start + (end - start) * 0.65) + offset] -= part * way
        }
        #expect(SlowStretches(made.run, in: made.signal, noise: 0).stretches.isEmpty)
        // As much noise may do the same.
        #expect(SlowStretches(made.run, in: made.signal, noise: 40_000).stretches.count == 1)
    }

    /// By their ways, the pulses of a card that sticks are as even as any.
    @Test func theSpeedIsHeard() {
        let made = Self.stuck(longest: 3, lowers: true)
        let pulses = made.run.edges.map { edge in
            FluxReversal(
                position: edge, amplitude: made.signal[Int(edge)], confidence: 1)
        }
        let runs = HeardSpeed(pulses).ways.runs(pulses, by: IntervalClock())
        #expect(runs.count == 1)
        #expect(runs.first?.bits == made.run.bits)
        for (found, edge) in zip(runs.first?.edges ?? [], made.run.edges) {
            #expect(abs(found - edge) < 1e-6)
        }
    }

    /// Noise under a lifted head is no card that creeps: by its height, some of its pulses would be a cell apart.
    @Test func whatIsHardlyHeardHasNoSpeed() {
        let pulses = (0..<100).map { index in
            let isLifted = (50..<54).contains(index)
            return FluxReversal(
                position: Double(index) * Self.cell * (index < 54 ? 1 : 1.1),
                amplitude: (index.isMultiple(of: 2) ? 1 : -1) * (isLifted ? 20 : 1000), confidence: 1)
        }
        let believed = HeardSpeed.believed(pulses)
        #expect(believed.count == 96)
        #expect(HeardSpeed(believed).ways.runs(believed, by: IntervalClock()).count == 2)
    }
}
