import Testing

@testable import WaveformSynthesis

/// The generator does what its recipe says: what is measured with it depends on that.
@Suite struct SynthesisTests {
    @Test func theSameSeedGivesTheSameSamples() throws {
        let recipe = try RoundTrip.recipe(track: 2)
        #expect(StripeSynthesizer.samples(recipe, seed: 3) == StripeSynthesizer.samples(recipe, seed: 3))
        #expect(StripeSynthesizer.samples(recipe, seed: 3) != StripeSynthesizer.samples(recipe, seed: 4))
    }

    @Test(arguments: [0.0, 0.04, 0.06]) func jitterIsAShareOfACell(jitter: Double) {
        var recipe = StripeRecipe(bits: Array(repeating: 0, count: 4000), bitsPerInch: 75)
        recipe.jitter = jitter
        var random = SeededRandom(seed: 1)
        let places = FluxPattern(recipe, random: &random).places
        let cell = 25_400.0 / 75
        var squares = 0.0
        for (index, place) in places.enumerated() {
            let error = (place - Double(index) * cell) / cell
            squares += error * error
        }
        #expect(abs((squares / Double(places.count)).squareRoot() - jitter) < 0.002)
    }

    @Test(arguments: [
        (SpeedProfile.Shape.handWithin(ratio: 3), 3.0), (.linear(ratio: 4), 4), (.bell(ratio: 3), 3),
        (.stickSlip(ratio: 3, millimetres: 10), 3), (.constant, 1),
    ])
    func theFastestIsSoManyTimesTheSlowest(shape: SpeedProfile.Shape, ratio: Double) throws {
        var random = SeededRandom(seed: 2)
        let speeds = SpeedFactors(shape: shape, count: 4000, millimetres: 85, &random).values
        let fastest = try #require(speeds.max())
        let slowest = try #require(speeds.min())
        #expect(abs(fastest / slowest - ratio) < 0.02 * ratio)
    }

    @Test func aPulledBackCardPassesTheSamePlacesAgain() {
        var profile = SpeedProfile(shape: .constant, centimetresPerSecond: 25)
        profile.reversal = SpeedProfile.Reversal(place: 0.5, millimetres: 5)
        var random = SeededRandom(seed: 1)
        let motion = Motion(profile, from: 0, to: 80_000, random: &random)
        var furthest = 0.0
        var back = 0.0
        var last = 0.0
        motion.sample(count: Int(motion.duration * 10_000), interval: 1e-4) { _, place, velocity in
            #expect(velocity > 0 ? place > last - 25 : place < last + 25)
            last = place
            furthest = max(furthest, place)
            back = max(back, furthest - place)
        }
        #expect(abs(back - 5000) < 100)
        #expect(furthest > 79_000)
    }

    @Test func aLostTransitionIsMissing() {
        var recipe = StripeRecipe(bits: Array(repeating: 1, count: 100), bitsPerInch: 75)
        var random = SeededRandom(seed: 1)
        let all = FluxPattern(recipe, random: &random).places.count
        recipe.lostTransitions = 1
        #expect(FluxPattern(recipe, random: &random).places.count == all - 1)
    }
}
