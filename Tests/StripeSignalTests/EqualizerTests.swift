import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// What a band limit did to a swipe is undone before it is read.
@Suite struct EqualizerTests {
    private static let cell = 9.0

    /// Hum is looked for where nothing was read: the reading without it, though its intervals agree better, has no text here.
    @Test func aTextThatNarrowerPulsesGiveIsKept() throws {
        var recipe = try RoundTrip.recipe(track: 1)
        recipe.jitter = 0.07
        recipe.hum = Hum(decibels: -12, frequency: 50, decay: 0.4)
        #expect(RoundTrip.texts(RoundTrip.swipes(recipe, seed: 26)) == [RoundTrip.track1])
    }

    /// A tone behind a Butterworth filter of fourth order comes out of the equalizer as it was.
    @Test(arguments: [0.1, 0.3, 0.5, 0.8, 1.0]) func undoesAFilterOfFourthOrder(cyclesACell: Double) {
        let corner = 0.5
        let angle = 2 * Double.pi * cyclesACell / Self.cell
        // The reciprocal of the filter, by its poles: all four lie on a circle.
        let poles = [0.625, 0.875].map { Sine.cosine($0 * .pi) }
        let ratio = cyclesACell / corner
        var height = (real: 1.0, imaginary: 0.0)
        for pole in poles {
            let section = (real: 1 - ratio * ratio, imaginary: -2 * pole * ratio)
            height = (
                height.real * section.real - height.imaginary * section.imaginary,
                height.real * section.imaginary + height.imaginary * section.real
            )
        }
        let power = height.real * height.real + height.imaginary * height.imaginary
        // What the filter leaves is the tone over `height`: its conjugate over its power.
        let behind = (0..<400).map { index in
            let (sine, cosine) = (Sine.sine(angle * Double(index)), Sine.cosine(angle * Double(index)))
            return Float((height.real * cosine + height.imaginary * sine) / power)
        }
        let flat = Equalizer(BandLimit.lowPass(corner: corner), cell: Self.cell).filtered(behind)
        for index in 100..<300 {
            #expect(abs(Double(flat[index]) - Sine.cosine(angle * Double(index))) < 0.03)
        }
    }

    /// Ones are 28 dB fainter than zeros here: pulses show the zeros alone.
    @Test(arguments: [1, 3], [1, 2, 3] as [UInt64]) func readsBehindABandLimit(track: Int, seed: UInt64)
        throws
    {
        var recipe = try RoundTrip.recipe(track: track)
        recipe.lowPass = 2500
        recipe.speed.centimetresPerSecond = 60
        #expect(RoundTrip.texts(RoundTrip.swipes(recipe, seed: seed)) == [RoundTrip.text(track)])
    }

    @Test func leavesAnOpenSwipeAlone() throws {
        var recipe = try RoundTrip.recipe(track: 1)
        recipe.speed.centimetresPerSecond = 60
        let samples = StripeSynthesizer.samples(recipe, seed: 4).map { Float($0) }
        var reading = SwipeReading()
        reading.signal = samples
        reading.pulses = PulseFinder(turn: 0.3, reach: 200).pulses(in: samples)
        #expect(SwipeReader(sampleRate: 44_100, options: StripeOptions()).bandLimitedCell(reading) == nil)
    }
}
