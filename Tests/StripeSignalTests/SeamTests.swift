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

    /// Jitter alone makes a seam of an even clock in one swipe of some thousand.
    @Test(arguments: [0.01, 0.02, 0.06]) func anEvenClockHasNoSeam(jitter: Double) {
        let broken = (1...300 as ClosedRange<UInt64>).filter { seed in
            !ClockContinuity(edges: Self.edges(jitter: jitter, seed: seed)).isUnbroken(10..<190)
        }
        #expect(broken.count <= 1)
    }

    @Test(arguments: [-0.3, -0.2, 0.2, 0.3]) func aStepIsASeam(step: Double) {
        let unbroken = (1...100 as ClosedRange<UInt64>).filter { seed in
            ClockContinuity(edges: Self.edges(step: step, seed: seed)).isUnbroken(10..<190)
        }
        #expect(unbroken.count <= 2)
    }

    /// Buffers in the wrong order make three seams, and none hides another.
    @Test func severalSeamsAreSeams() {
        let unbroken = (1...100 as ClosedRange<UInt64>).filter { seed in
            var edges = Self.edges(step: 0.3, count: 400, seed: seed)
            for index in 150..<400 { edges[index] -= 20 }
            for index in 200..<400 { edges[index] += 20 }
            return ClockContinuity(edges: edges).isUnbroken(10..<390)
        }
        #expect(unbroken.count <= 2)
    }

    /// A click moves one reversal, and no other.
    @Test func oneReversalOutOfPlaceIsNoSeam() {
        var edges = Self.edges(seed: 3)
        edges[100] += 15
        #expect(ClockContinuity(edges: edges).isUnbroken(10..<190))
    }

    @Test(arguments: [0, 1, 5, 17]) func fewEdgesAreNoSeam(count: Int) {
        let edges = Self.edges(count: count, seed: 1)
        #expect(ClockContinuity(edges: edges).isUnbroken(0..<max(count - 1, 0)))
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
