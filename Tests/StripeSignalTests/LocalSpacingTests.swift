import Testing
import WaveformSynthesis

@testable import StripeSignal

/// The length of cells shows in the spacing of pulses, before any bit is read.
@Suite struct LocalSpacingTests {
    /// The places of reversals whose cells are as long as `length` says of each, with this jitter in parts of a cell.
    private static func pulses(
        _ bits: [UInt8], jitter: Double, seed: UInt64, length: (Int) -> Double = { _ in 20 }
    ) -> (times: [Double], cells: [Double]) {
        var random = SeededRandom(seed: seed)
        var time = 0.0
        var made: (times: [Double], cells: [Double]) = ([], [])
        for (index, bit) in bits.enumerated() {
            let cell = length(index)
            for part in bit == 0 ? [0] : [0, 0.5] {
                made.times.append(time + (part + jitter * random.gaussian()) * cell)
                made.cells.append(cell)
            }
            time += cell
        }
        return made
    }

    private static func card(_ count: Int, zeros: Int = 60, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        let zeros = [UInt8](repeating: 0, count: zeros)
        return zeros + (0..<count).map { _ in UInt8(random.next() & 1) } + zeros
    }

    /// The largest error of a cell's length over 25 intervals, as a part of it: jitter of single intervals is no error.
    private static func worst(_ made: (times: [Double], cells: [Double])) throws -> Double {
        let ways = try #require(LocalSpacing(made.times)).ways.ways
        return stride(from: 0, to: ways.count - 26, by: 5).map { index in
            let time = made.times[index + 25] - made.times[index]
            let cell = made.cells[index...index + 25].reduce(0, +) / 26
            return abs(time / (ways[index + 25] - ways[index]) / cell - 1)
        }.max() ?? .infinity
    }

    @Test(arguments: [0, 0.04, 0.08] as [Double]) func jitterIsNoSpeed(jitter: Double) throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            #expect(
                try Self.worst(Self.pulses(Self.card(400, seed: seed), jitter: jitter, seed: seed)) < 0.12)
        }
    }

    /// Zeros alone could as well be the halves of ones that are twice as long, the more so as a hand is slow at both ends.
    @Test func clockingZerosAreNoOnes() throws {
        for seed in 1...24 as ClosedRange<UInt64> {
            let bits = Self.card(300, zeros: 150, seed: seed)
            let middle = Double(bits.count) / 2
            let made = Self.pulses(bits, jitter: 0.08, seed: seed) {
                20 + 10 * abs(Double($0) - middle) / middle
            }
            let ways = try #require(LocalSpacing(made.times)).ways.ways
            #expect(abs(ways[50] - 50) < 5)
            #expect(abs((ways[ways.count - 1] - ways[ways.count - 51]) - 50) < 5)
        }
    }

    @Test func aHandIsFollowed() throws {
        let bits = Self.card(500, seed: 3)
        let made = Self.pulses(bits, jitter: 0.05, seed: 4) { 30 - 20 * Double($0) / Double(bits.count) }
        #expect(try Self.worst(made) < 0.15)
    }

    @Test func tooFewAndTooManyPulsesTellNothing() {
        #expect(LocalSpacing((0..<40).map(Double.init)) == nil)
        #expect(LocalSpacing([]) == nil)
        #expect(LocalSpacing((0..<5002).map(Double.init)) == nil)
        #expect(LocalSpacing([Double](repeating: 3, count: 200)) == nil)
    }

    /// What an even clock reads that begins with the spacing's cells, and what one reads that begins with an interval.
    @Test func aClockFindsItsWayByIt() throws {
        var (read, readWithout) = (0, 0)
        let clock = SwipeReader.calmClock
        for seed in 1...10 as ClosedRange<UInt64> {
            let bits = Self.card(500, seed: seed)
            let times = Self.pulses(bits, jitter: 0.08, seed: seed).times
            let pulses = times.enumerated().map {
                FluxReversal(position: $1, amplitude: $0.isMultiple(of: 2) ? 1 : -1, confidence: 1)
            }
            let ways = try #require(LocalSpacing(times)).ways
            func isRight(_ runs: [IntervalClock.Run]) -> Bool {
                runs.contains { run in
                    guard case let missed = bits.count - run.bits.count, 0...8 ~= missed else { return false }
                    return (0...missed).contains { bits[$0...].starts(with: run.bits) }
                }
            }
            read += isRight(ways.runs(pulses, by: clock)) ? 1 : 0
            readWithout += isRight(IntervalClock(loop: clock.loop).runs(pulses).runs) ? 1 : 0
        }
        #expect(read >= 8)
        #expect(readWithout < read)
    }

    /// The whole way from sound to text: jitter of 8 % of a cell on track 1.
    @Test func aCardWithMuchJitterIsRead() throws {
        var recipe = try RoundTrip.recipe(track: 1)
        recipe.jitter = 0.08
        let texts = (1...8 as ClosedRange<UInt64>).flatMap {
            RoundTrip.texts(RoundTrip.swipes(recipe, seed: $0))
        }
        #expect(texts.count >= 7)
        #expect(texts.allSatisfy { $0 == RoundTrip.track1 })
    }
}
