import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// Samples that run through are told from samples with a seam, where the clock tells nothing.
@Suite struct SampleContinuityTests {
    private static let seeds: ClosedRange<UInt64> = 1...20

    private static let text = ";4545454545454545=54545454545454545454?"

    private static func recipe(
        of text: String = text, _ change: (inout StripeRecipe) -> Void = { _ in }
    ) throws -> StripeRecipe {
        var recipe = try StripeRecipe(text: text, format: .iso2, bitsPerInch: 75)
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

    /// Where so many bits are missing from a place in a bit on, and samples more.
    private static func cut(
        _ samples: [Int16], _ run: IntervalClock.Run, from bit: Int, at part: Double, bits: Int, more: Int = 0
    ) -> (samples: [Int16], place: Int) {
        let ends = [bit, bit + bits].map { bit in
            Int(run.edges[bit] + part * (run.edges[bit + 1] - run.edges[bit]))
        }
        return (Array(samples[..<ends[0]] + samples[(ends[1] + more)...]), ends[0])
    }

    private static func longestRun(_ samples: [Int16]) throws -> IntervalClock.Run {
        let runs = RoundTrip.swipes(samples, sampleRate: 44_100).first?.bitRuns ?? []
        let longest = try #require(runs.max { $0.bits.count < $1.bits.count })
        return IntervalClock.Run(bits: longest.bits, edges: longest.cellEdges)
    }

    /// From one height of a pulse's flank to another.
    @Test func aCutThroughAPulseIsASeam() throws {
        let recipe = try Self.recipe()
        let found = try Self.seeds.filter { seed in
            let samples = StripeSynthesizer.samples(recipe, seed: seed)
            let run = try Self.longestRun(samples)
            let cut = Self.cut(samples, run, from: run.bits.count / 2, at: 0.1, bits: 20, more: 12)
            return Self.seam(in: cut.samples).map { abs($0 - cut.place) <= 8 } ?? false
        }
        #expect(found.count >= 18, "\(found)")
    }

    /// Of `126` ten bits are cut out, from the middle of a zero of the 1 to the middle of a one of the 6. What is left is a 5: parity,
    /// the LRC and the clock are as before, and the waveform jumps, which shows in most.
    @Test func charactersCutOutAreMostlyNotRead() throws {
        let recipe = try Self.recipe(of: ";4545126545454544=54545454545454545454?")
        let wrong = try Self.seeds.filter { seed in
            let samples = StripeSynthesizer.samples(recipe, seed: seed)
            let run = try Self.longestRun(samples)
            let start = try #require(run.bits.firstIndex(of: 1)) + 5 * 5
            let cut = Self.cut(samples, run, from: start + 2, at: 0.4, bits: 10)
            return !RoundTrip.texts(RoundTrip.swipes(cut.samples, sampleRate: 44_100)).isEmpty
        }
        // Where the waveform is not looked at, 19 of the 20 are read.
        #expect(wrong.count <= 8, "\(wrong)")
    }

    /// A discharge jumps as a seam does, moves pulses, and dies away: quickly or slowly, lower than a pulse or higher.
    @Test(arguments: [false, true]) func dischargesAreNoSeam(isDense: Bool) throws {
        let text = isDense ? "%B4545454545454545^CARD/TEST^4545454545454545454?" : Self.text
        var recipe = try Self.recipe()
        if isDense { recipe = try StripeRecipe(text: text, format: .iso1, bitsPerInch: 210) }
        let read = (UInt64(1)...60).filter { seed in
            var samples = StripeSynthesizer.samples(recipe, seed: seed)
            var random = SeededRandom(seed: seed)
            let peak = Double(samples.reduce(0) { max($0, abs(Int($1))) })
            for _ in 0..<3 {
                let first = Int(random.uniform(0.3...0.7) * Double(samples.count))
                let kept = random.uniform(0.7...0.97)
                var height = (random.uniform() < 0.5 ? -1 : 1) * peak * random.uniform(0.3...2)
                for index in first..<min(first + 300, samples.count) {
                    samples[index] = Int16(clamping: Int(samples[index]) + Int(height))
                    height *= kept
                }
            }
            return RoundTrip.texts(RoundTrip.swipes(samples, sampleRate: 44_100)) == [text]
        }
        #expect(read.count >= 55, "\(read)")
    }
}
