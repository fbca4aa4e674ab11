import CardData
import StripeSignal
import Testing
import WaveformSynthesis

/// What a swipe must be read through, a few seeds each. The rates over thousands are in `docs/decoder.md`; this says
/// that the build at hand still reads at all.
@Suite struct SynthesisMatrixTests {
    struct Condition: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var track: Int
        var change: @Sendable (inout StripeRecipe) -> Void

        init(
            _ name: String, track: Int, _ change: @escaping @Sendable (inout StripeRecipe) -> Void = { _ in }
        ) {
            testDescription = "track \(track), \(name)"
            self.track = track
            self.change = change
        }
    }

    static let conditions: [Condition] =
        [1, 2, 3].flatMap { track in
            [
                Condition("plain", track: track),
                Condition("backward", track: track) { $0.isBackward = true },
                Condition("inverted", track: track) { $0.isInverted = true },
                Condition("accelerated", track: track) { $0.speed.shape = .linear(ratio: 4) },
                Condition("a quarter of the zeros", track: track) { $0.leadingZeros /= 4 },
                Condition("noise 10 dB", track: track) { $0.signalToNoise = 10 },
                Condition("asymmetry", track: track) { $0.asymmetry = 0.1 },
            ]
        } + [
            Condition("150 cm/s", track: 1) { $0.speed.centimetresPerSecond = 150 },
            Condition("clipped by 12 dB", track: 1) { $0.clipping = 12 },
            Condition("PW50 120 um", track: 1) { $0.pulseWidth = 120 },
            Condition("400 cm/s", track: 2) { $0.speed.centimetresPerSecond = 400 },
            Condition("192 kHz", track: 2) { $0.sampleRate = 192_000 },
            Condition("stick-slip every 6 mm", track: 2) {
                $0.speed.shape = .stickSlip(ratio: 3, millimetres: 6)
            },
            Condition("three head lifts", track: 2) {
                $0.lifts = [0.2, 0.5, 0.7].map { HeadLift(centre: $0, millimetres: 4, amplitude: 0.12) }
            },
            Condition("8 kHz", track: 2) { $0.sampleRate = 8000 },
        ]

    @Test(arguments: conditions) func readsTheText(_ condition: Condition) throws {
        var recipe = try RoundTrip.recipe(track: condition.track)
        condition.change(&recipe)
        let swipes = RoundTrip.swipes(recipe, seed: 7)
        #expect(RoundTrip.texts(swipes) == [RoundTrip.text(condition.track)])
        #expect(swipes.first?.quality.direction == (recipe.isBackward ? .backward : .forward))
        #expect(swipes.first?.quality.hint == nil)
    }

    @Test func aLostReversalIsRepairedAndSaysSoOrReadOtherwise() throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.lostTransitions = 1
        let outcomes = (1...1).compactMap { RoundTrip.swipes(recipe, seed: $0).first?.tracks.first?.outcome }
        #expect(outcomes.count == 1)
        for outcome in outcomes {
            switch outcome {
            case .read(let text): #expect(text.reveal() == RoundTrip.track2)
            case .repaired(let text, let bits):
                #expect(text.reveal() == RoundTrip.track2)
                #expect(bits > 0)
            case .refused: break
            case .empty, .encrypted: Issue.record("a head reads or refuses")
            }
        }
    }

    @Test func measuresTheSpeed() throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.speed = SpeedProfile(shape: .constant, centimetresPerSecond: 40)
        let speed = try #require(RoundTrip.swipes(recipe, seed: 3).first?.quality.speed)
        #expect(abs(speed - 40) < 1)
    }
}
