import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// A clock that runs through is told from one with a seam, whatever the motion.
@Suite struct SeamTests {
    /// Edges of a clock with jitter, in cells of about 60 samples; `step` cells are missing after the 100th.
    static func edges(step: Double = 0, jitter: Double = 0.02, count: Int = 200, seed: UInt64) -> [Double] {
        var random = SeededRandom(seed: seed)
        var place = 0.0
        return (0..<count).map { index in
            let cell = 60 * (1 + 0.2 * Double(index) / Double(count))
            place += cell * (index == 100 ? 1 - step : 1)
            return place + cell * jitter * random.gaussian()
        }
    }

    /// The clock of nothing but zeros with these edges.
    static func clock(_ edges: [Double]) -> ClockContinuity {
        let bits = [UInt8](repeating: 0, count: max(edges.count - 1, 0))
        return ClockContinuity(IntervalClock.Run(bits: bits, edges: edges))
    }

    static func doubts(_ edges: [Double]) -> RecordDoubts {
        let run = IntervalClock.Run(bits: [UInt8](repeating: 0, count: edges.count - 1), edges: edges)
        return RecordDoubts(
            run: run, surroundings: FrameSurroundings(signal: [], noise: 0))
    }

    /// Jitter alone makes a seam of an even clock in one swipe of some thousand.
    @Test(arguments: [0.01, 0.02, 0.06]) func anEvenClockHasNoSeam(jitter: Double) {
        let broken = (1...300 as ClosedRange<UInt64>).filter { seed in
            Self.clock(Self.edges(jitter: jitter, seed: seed)).seam(in: 10..<190) != nil
        }
        #expect(broken.count <= 1)
    }

    @Test(arguments: [-0.3, -0.2, -0.15, 0.15, 0.2, 0.3]) func aStepIsASeam(step: Double) {
        let unbroken = (1...100 as ClosedRange<UInt64>).filter { seed in
            Self.clock(Self.edges(step: step, seed: seed)).seam(in: 10..<190) == nil
        }
        #expect(unbroken.count <= 2)
    }

    /// Buffers in the wrong order make three seams, and none hides another.
    @Test func severalSeamsAreSeams() {
        let unbroken = (1...100 as ClosedRange<UInt64>).filter { seed in
            var edges = Self.edges(step: 0.3, count: 400, seed: seed)
            for index in 150..<400 { edges[index] -= 20 }
            for index in 200..<400 { edges[index] += 20 }
            return Self.clock(edges).seam(in: 10..<390) == nil
        }
        #expect(unbroken.count <= 2)
    }

    /// A click moves one reversal, and no other.
    @Test func oneReversalOutOfPlaceIsNoSeam() {
        var edges = Self.edges(seed: 3)
        edges[100] += 15
        #expect(Self.clock(edges).seam(in: 10..<190) == nil)
    }

    @Test(arguments: [0, 1, 5, 17]) func fewEdgesAreNoSeam(count: Int) {
        let edges = Self.edges(count: count, seed: 1)
        #expect(Self.clock(edges).seam(in: 0..<max(count - 1, 0)) == nil)
    }

    /// What one reading shows another may miss: the samples are missing still.
    @Test func aRefusedTextStaysRefused() {
        var seamed = SeamedTexts()
        var whole = Self.doubts(Self.edges(seed: 1))
        var broken = Self.doubts(Self.edges(step: 0.3, seed: 1))
        let first = seamed.seam(in: [1, 2], at: 10..<190, as: StripeFormat.standard[0], of: &whole) == nil
        let refused = seamed.seam(in: [1, 2], at: 10..<190, as: StripeFormat.standard[0], of: &broken) == nil
        let again = seamed.seam(in: [1, 2], at: 10..<190, as: StripeFormat.standard[0], of: &whole) == nil
        let other = seamed.seam(in: [1, 3], at: 10..<190, as: StripeFormat.standard[0], of: &whole) == nil
        #expect([first, refused, again, other] == [true, false, false, true])
    }

    /// Where pulses are found next to the sequence detector's smooth clock, their step is seen.
    @Test func aSmoothClockDoesNotHideAStep() {
        let pulses = Self.edges(step: 0.2, seed: 4)
        var smooth = pulses
        for index in 1..<smooth.count {
            let cell = 60 * (1 + 0.2 * Double(index) / 200)
            smooth[index] = smooth[index - 1] + cell + 0.2 * (pulses[index] - smooth[index - 1] - cell)
        }
        let bits = [UInt8](repeating: 0, count: smooth.count - 1)
        let run = IntervalClock.Run(bits: bits, edges: smooth)
        #expect(ClockContinuity(run, pulses: pulses).seam(in: 10..<190) != nil)
    }

    /// Sound that goes on for seconds may hold hundreds of records and ten thousand edges, any part of which
    /// stands out.
    /// Each edge that is moved costs a look at all of them.
    @Test func cleaningMovesNoMoreEdgesThanACardHas() {
        var edges = Self.edges(count: 12_000, seed: 6)
        for index in stride(from: 20, to: edges.count, by: 13) { edges[index] += 25 }
        var cleaner = EdgeCleaner(edges: edges)
        _ = cleaner.clean()
        #expect(cleaner.moved == EdgeCleaner.mostMoved)
        // A record's own are all moved.
        var few = EdgeCleaner(edges: Array(edges.prefix(710)))
        _ = few.clean()
        #expect((50..<60).contains(few.moved))
    }

    /// A card that is pulled back in mid-swipe is no text, and the person is told to swipe it in one go.
    @Test func pulledBackIsPartial() throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.speed.reversal = SpeedProfile.Reversal(place: 0.5, millimetres: 5)
        let samples = StripeSynthesizer.samples(recipe, seed: 5)
        let swipes = RoundTrip.swipes(samples, sampleRate: recipe.sampleRate, searchesHard: false)
        #expect(RoundTrip.texts(swipes).isEmpty)
        #expect(swipes.first?.quality.hint == .partial)
    }
}
