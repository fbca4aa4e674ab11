import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// What AC coupling takes away, and what is given back.
@Suite struct CouplingTests {
    /// A Lorentzian of so many samples' width in the middle of a second's tenth.
    private static func pulse(width: Double) -> [Float] {
        (0..<4410).map { index in
            let place = (Double(index) - 2205) / (width / 2)
            return Float(1 / (1 + place * place))
        }
    }

    /// A first-order high-pass.
    private static func coupled(_ samples: [Float], corner: Double, sampleRate: Double) -> [Float] {
        let kept = Float(1 / (1 + 2 * Double.pi * corner / sampleRate))
        var result = samples
        var previous = samples[0]
        var output: Float = 0
        for index in samples.indices {
            output = kept * (output + samples[index] - previous)
            previous = samples[index]
            result[index] = output
        }
        return result
    }

    @Test(arguments: [20.0, 60, 120]) func givesAPulseItsFeetBack(width: Double) {
        let heard = Self.coupled(Self.pulse(width: width), corner: 200, sampleRate: 44_100)
        let restored = CouplingRemoval(sampleRate: 44_100, corner: 200).restored(heard)
        let before = -(heard.min() ?? 0) / (heard.max() ?? 1)
        let after = -(restored.min() ?? 0) / (restored.max() ?? 1)
        #expect(after < before / 2)
        let place = restored.firstIndex(of: restored.max() ?? 0) ?? 0
        #expect(abs(Double(place) - 2205) <= max(1, width / 30))
    }

    /// Clipped behind a high corner, undershoots stand as high as pulses: this swipe is read with the coupling undone, and
    /// refused without (`docs/decisions/0110`).
    @Test func readsAClippedSwipeBehindAHighCorner() throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.jitter = 0.045
        recipe.asymmetry = 0.03
        recipe.speed.centimetresPerSecond = 23
        recipe.highPass = 500
        recipe.clipping = 9
        recipe.signalToNoise = 18
        #expect(RoundTrip.texts(RoundTrip.swipes(recipe, seed: 23)) == [RoundTrip.track2])
    }

    @Test func leavesSilenceAndAnOffsetSilent() {
        let removal = CouplingRemoval(sampleRate: 44_100)
        #expect(removal.restored([]).isEmpty)
        #expect(removal.restored([Float](repeating: 1000, count: 500)).allSatisfy { abs($0) < 1 })
    }
}
