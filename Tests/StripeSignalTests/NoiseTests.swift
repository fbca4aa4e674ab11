import CardData
import StripeSignal
import Testing
import WaveformSynthesis

/// Sound without a card gives no text. Ten thousand stretches are run by the benchmark; here a few of each kind.
@Suite struct NoiseTests {
    @Test(arguments: 0..<2) func whiteNoiseIsNeverAccepted(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let samples = (0..<20_000).map { index in
            Int16((index > 5000 && index < 15_000 ? 4000 : 200) * min(max(random.gaussian(), -4), 4))
        }
        #expect(RoundTrip.texts(RoundTrip.swipes(samples, sampleRate: 44_100)).isEmpty)
    }

    @Test(arguments: 0..<1) func randomBitsAreNeverAccepted(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bits = (0..<300).map { _ in UInt8(random.next() & 1) }
        let recipe = StripeRecipe(bits: bits, bitsPerInch: 75)
        let swipes = RoundTrip.swipes(
            StripeSynthesizer.samples(recipe, seed: seed), sampleRate: recipe.sampleRate, searchesHard: false)
        #expect(RoundTrip.texts(swipes).isEmpty)
        // They are bits all the same, and every one of them is right.
        let expected = BitString.text(bits)
        #expect(swipes.contains { $0.bitRuns.contains { BitString.text($0.bits).contains(expected) } })
    }

    @Test(arguments: [440.0, 3000]) func aToneIsNeverAccepted(period: Double) {
        let samples = (0..<30_000).map { index -> Int16 in
            let phase = (Double(index) * period / 44_100).truncatingRemainder(dividingBy: 1)
            return index < 3000 ? 0 : phase < 0.5 ? 6000 : -6000
        }
        #expect(RoundTrip.texts(RoundTrip.swipes(samples, sampleRate: 44_100)).isEmpty)
    }

    /// The power of a stripe follows how many ones are on it: a finer figure would tell of the card.
    @Test(arguments: 1...4) func theRatioToNoiseIsAWholeNumber(seed: UInt64) throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.signalToNoise = 20
        let swipes = RoundTrip.swipes(
            StripeSynthesizer.samples(recipe, seed: seed), sampleRate: recipe.sampleRate)
        let ratio = try #require(swipes.first { $0.hasText }?.quality.signalToNoiseDecibels)
        #expect(ratio == ratio.rounded(), "\(ratio)")
    }

    /// Even noise round a card makes a longer run of zeros than the card does. The swipe's figures are the card's all the same.
    @Test(arguments: [2.0, 5.5, 6]) func evenNoiseRoundACardIsNotItsSpeed(period: Double) throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.speed = SpeedProfile(shape: .constant, centimetresPerSecond: 25)
        recipe.signalToNoise = nil
        let noise = (0..<2 * recipe.sampleRate).map { index -> Int16 in
            (Double(index) / period).truncatingRemainder(dividingBy: 1) < 0.5 ? 18 : -18
        }
        let samples = noise + StripeSynthesizer.samples(recipe, seed: 2) + noise
        let swipes = RoundTrip.swipes(samples, sampleRate: recipe.sampleRate)
        let swipe = try #require(swipes.first { $0.hasText })
        let speed = try #require(swipe.quality.speed)
        #expect(abs(speed / 25 - 1) < 0.02, "\(speed)")
        #expect(try #require(swipe.quality.jitterPercent) > 0.5)
    }

    @Test(arguments: 1...1) func aWrongLRCIsRefused(seed: UInt64) throws {
        var recipe = try RoundTrip.recipe(track: 2)
        // Two bits of one character, in two columns: parity stays right, the LRC does not.
        recipe.bits[41] ^= 1
        recipe.bits[42] ^= 1
        let outcomes = RoundTrip.swipes(recipe, seed: seed).flatMap(\.tracks).map(\.outcome)
        for case .read in outcomes { Issue.record("a track with a wrong LRC was accepted") }
    }

    /// Two-tone data read at half their clock: even parity always holds. The second text is a real one.
    @Test(arguments: [("0303<0?03303<0?0330300<0", false), ("0123456789ABCDEFGHIJKLMN", true)])
    func doubledBitsAreNoText(data: String, isText: Bool) throws {
        let text = "\u{7F}" + data + "\u{7F}"
        let recipe = try StripeRecipe(text: text, format: .jis2, bitsPerInch: 210)
        let samples = StripeSynthesizer.samples(recipe, seed: 3)
        let swipes = RoundTrip.swipes(samples, sampleRate: recipe.sampleRate, searchesHard: false)
        #expect(RoundTrip.texts(swipes) == (isText ? [text] : []))
    }

    /// A record's second half, with a start sentinel by chance and its own right LRC, right after other data.
    @Test func aPieceOfARecordIsNoRecord() throws {
        let piece = try RoundTrip.recipe(track: 2).bits
        let data: [UInt8] = [1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0]
        let whole = StripeRecipe(bits: data + data + data + piece, bitsPerInch: 75)
        let samples = StripeSynthesizer.samples(whole, seed: 1)
        let swipes = RoundTrip.swipes(samples, sampleRate: whole.sampleRate, searchesHard: false)
        #expect(RoundTrip.texts(swipes).isEmpty)
    }
}
