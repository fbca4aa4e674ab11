import CardData
import StripeSignal
import WaveformSynthesis

/// One swipe of a text, made and read.
enum RoundTrip {
    static let track1 = "%B4266841088889999^BUSH JR/GEORGE W.MR^0809101100001100000000046000000?"
    static let track2 = ";4266841088889999=080910110000046?"
    static let track3 = ";010000000000000000=9784266841088889999==0100000000000000000000?"

    static func text(_ track: Int) -> String { track == 1 ? track1 : track == 2 ? track2 : track3 }

    static func recipe(track: Int, change: (String) -> String = { $0 }) throws -> StripeRecipe {
        let format: TrackFormat = track == 1 ? .iso1 : track == 2 ? .iso2 : .iso3
        return try StripeRecipe(
            text: change(text(track)), format: format, bitsPerInch: StripeRecipe.bitsPerInch(track: track))
    }

    static func swipes(_ samples: [Int16], sampleRate: Int, searchesHard: Bool = true) -> [StripeSwipe] {
        var decoder = StripeDecoder(
            sampleRate: sampleRate, options: StripeOptions(searchesHard: searchesHard))
        var events = decoder.process(samples.span)
        events += decoder.finish()
        return events.compactMap { if case .swipe(let swipe) = $0 { swipe } else { nil } }
    }

    static func swipes(_ recipe: StripeRecipe, seed: UInt64) -> [StripeSwipe] {
        swipes(StripeSynthesizer.samples(recipe, seed: seed), sampleRate: recipe.sampleRate)
    }

    static func texts(_ swipes: [StripeSwipe]) -> [String] {
        swipes.flatMap(\.tracks).compactMap { $0.text?.reveal() }
    }
}
