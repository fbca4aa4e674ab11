import CardData
import WaveformSynthesis

/// Random texts of the lengths that cards have. The digits are drawn anew for every swipe: no card's number.
enum Texts {
    static func recipe(
        _ density: Condition.Density, _ number: Int, _ random: inout SeededRandom
    ) -> (recipe: StripeRecipe, text: String)? {
        let format: TrackFormat
        let text: String
        switch density {
        case .track2:
            format = .iso2
            text = ";" + digits(16, &random) + "=" + digits(Int(random.uniform(11...20)), &random) + "?"
        case .tracks1And3 where number.isMultiple(of: 2):
            format = .iso1
            text =
                "%B" + digits(16, &random) + "^" + letters(Int(random.uniform(10...26)), &random) + "^"
                + digits(Int(random.uniform(15...28)), &random) + "?"
        case .tracks1And3:
            format = .iso3
            text =
                ";" + digits(2, &random) + digits(16, &random) + "="
                + digits(Int(random.uniform(50...82)), &random)
                + "?"
        }
        let bitsPerInch = StripeRecipe.bitsPerInch(track: density == .track2 ? 2 : 1)
        guard let recipe = try? StripeRecipe(text: text, format: format, bitsPerInch: bitsPerInch) else {
            return nil
        }
        return (recipe, text)
    }

    private static func digits(_ count: Int, _ random: inout SeededRandom) -> String {
        String((0..<count).map { _ in Character("\(Int(random.uniform() * 10))") })
    }

    private static func letters(_ count: Int, _ random: inout SeededRandom) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ /.")
        return String((0..<count).map { _ in alphabet[Int(random.uniform() * Double(alphabet.count))] })
    }
}
