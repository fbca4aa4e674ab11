import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// What a corruption leaves over many cells, where no single place tells of it (`docs/decisions/0112`).
@Suite struct MotionPatternTests {
    /// A clock of nothing but zeros, whose cells grow by so much over 200 of them.
    private static func edges(growing growth: Double = 0.2, seed: UInt64) -> [Double] {
        var random = SeededRandom(seed: seed)
        var place = 0.0
        return (0..<200).map { index in
            let cell = 60 * (1 + growth * Double(index) / 200)
            place += cell
            return place + cell * 0.01 * random.gaussian()
        }
    }

    private static func seams(in edges: (UInt64) -> [Double]) -> [Int] {
        (1...50 as ClosedRange<UInt64>).compactMap { seed in
            let edges = edges(seed)
            let run = IntervalClock.Run(bits: Array(repeating: 0, count: edges.count - 1), edges: edges)
            return MotionPatterns(run).seam(in: 10..<190, width: 5)
        }
    }

    @Test(arguments: [0.0, 0.2, 1]) func aSmoothMotionHasNone(growth: Double) {
        #expect(Self.seams { Self.edges(growing: growth, seed: $0) }.isEmpty)
    }

    /// The end's speed comes at the beginning, and the beginning's at the end. What no honest swipe may have is seen in part
    /// of the others only.
    @Test func aStretchTurnedRoundBendsTheMotion() {
        let found = Self.seams { seed in
            var edges = Self.edges(growing: 1, seed: seed)
            let (first, last) = (edges[60], edges[120])
            edges.replaceSubrange(60...120, with: edges[60...120].reversed().map { first + last - $0 })
            return edges
        }
        #expect(found.count >= 20)
        #expect(found.allSatisfy { abs($0 - 60) < 12 || abs($0 - 120) < 12 })
    }

    /// Two characters that came late, and two pairs in each other's place.
    @Test(arguments: [[(100..<110, 0.06)], [(100..<110, 0.05), (110..<120, -0.05)]])
    func stretchesOutOfPlaceAreSeen(shifts: [(Range<Int>, Double)]) {
        let found = Self.seams { seed in
            var edges = Self.edges(seed: seed)
            for (places, shift) in shifts { for index in places { edges[index] += shift * 66 } }
            return edges
        }
        #expect(found.count >= 12)
        #expect(found.allSatisfy { (95...125).contains($0) })
    }

    /// A swipe that grows faster all the way, and where its characters begin, in samples.
    private static func swipe(_ text: String, ratio: Double, seed: UInt64) throws -> (
        samples: [Int16], characters: [Int]
    ) {
        var recipe = try StripeRecipe(text: text, format: .iso2, bitsPerInch: 75)
        recipe.speed.shape = .linear(ratio: ratio)
        let samples = StripeSynthesizer.samples(recipe, seed: seed)
        let swipe = try #require(RoundTrip.swipes(samples, sampleRate: 44_100, searchesHard: false).first)
        // Nothing is wrong with it as it is.
        #expect(RoundTrip.texts([swipe]) == [text])
        let run = try #require(swipe.bitRuns.max { $0.bits.count < $1.bits.count })
        let start = try #require(run.bits.firstIndex(of: 1))
        return (
            samples, stride(from: start, to: run.cellEdges.count, by: 5).map { Int(run.cellEdges[$0]) }
        )
    }

    private static func isRefusedForASeam(_ samples: [Int16]) throws -> Bool {
        let swipe = try #require(RoundTrip.swipes(samples, sampleRate: 44_100, searchesHard: false).first)
        guard case .refused(.ambiguous(.seam, _)) = swipe.tracks.first?.outcome else { return false }
        return true
    }

    /// The digits 4 and 5 are the same read backward, and an even number of either leaves the LRC as it was: turned round
    /// from pulse to pulse, twelve characters are another text that is right, and the clock has no step.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aStretchTurnedRoundIsRefused(seed: UInt64) throws {
        let made = try Self.swipe(";4545454545454545=54545454545454545454?", ratio: 3, seed: seed)
        var samples = made.samples
        samples[made.characters[3]...made.characters[15]].reverse()
        #expect(try Self.isRefusedForASeam(samples))
    }

    /// Two buffers of whole characters in the wrong order: neither parity nor the LRC minds.
    @Test(arguments: [(2, 4, 3.0), (3, 6, 4)])
    func charactersInTheWrongOrderAreRefused(first: Int, count: Int, ratio: Double) throws {
        let made = try Self.swipe(RoundTrip.track2, ratio: ratio, seed: 2)
        // Shortly before a pulse.
        let cuts = [first, first + count, first + 2 * count].map { made.characters[$0] - 4 }
        var samples = made.samples
        samples.replaceSubrange(
            cuts[0]..<cuts[2],
            with: Array(samples[cuts[1]..<cuts[2]]) + Array(samples[cuts[0]..<cuts[1]]))
        #expect(try Self.isRefusedForASeam(samples))
    }
}
