import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// Samples that run through are told from samples with a seam, where the clock tells nothing.
@Suite struct SampleContinuityTests {
    private static let seeds: ClosedRange<UInt64> = 1...20

    private static func recipe(_ change: (inout StripeRecipe) -> Void = { _ in }) throws -> StripeRecipe {
        var recipe = try StripeRecipe(
            text: ";4545454545454545=54545454545454545454?", format: .iso2, bitsPerInch: 75)
        recipe.speed.shape = .hand(variation: 0.03)
        change(&recipe)
        return recipe
    }

    /// In the middle of the swipe.
    private static func seam(in samples: [Int16]) -> Int? {
        let middle = samples.count / 5..<samples.count * 4 / 5
        return SampleContinuity(samples.map { Float($0) }, cell: 60).seam(in: middle)
    }

    @Test func undamagedSwipesHaveNone() throws {
        let changes: [(inout StripeRecipe) -> Void] = [
            { _ in }, { $0.clipping = 12 }, { $0.bitDepth = 8 }, { $0.clicksPerSecond = 8 },
            { $0.signalToNoise = 5 }, { $0.level = -50 }, { $0.speed.centimetresPerSecond = 100 },
            { $0.lifts = [HeadLift(centre: 0.5, millimetres: 10, amplitude: 0.1, isAbrupt: true)] },
            { $0.signalToNoise = nil },
        ]
        for (number, change) in changes.enumerated() {
            let recipe = try Self.recipe(change)
            let broken = Self.seeds.filter {
                Self.seam(in: StripeSynthesizer.samples(recipe, seed: $0)) != nil
            }
            #expect(broken.isEmpty, "change \(number)")
        }
    }

    /// A discharge jumps as a seam does, but goes on as no cell of the card.
    @Test func dischargesAreNoSeam() throws {
        let recipe = try Self.recipe()
        let text = ";4545454545454545=54545454545454545454?"
        let read = Self.seeds.filter { seed in
            var samples = StripeSynthesizer.samples(recipe, seed: seed)
            var random = SeededRandom(seed: seed)
            for _ in 0..<3 {
                let first = Int(random.uniform(0.3...0.7) * Double(samples.count))
                var height = (random.uniform() < 0.5 ? -1 : 1) * random.uniform(6000...12_000)
                for index in first..<first + 60 {
                    samples[index] = Int16(clamping: Int(samples[index]) + Int(height))
                    height *= 0.9
                }
            }
            return RoundTrip.texts(RoundTrip.swipes(samples, sampleRate: 44_100)) == [text]
        }
        #expect(read.count >= 19, "\(read)")
    }
}
