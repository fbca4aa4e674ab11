import CardData
import WaveformSynthesis

/// Random texts of the lengths that cards have. The digits are drawn anew for every swipe: no card's number.
enum Texts {
    /// - Parameter zeros: how many of the digits are 0 beyond those by chance.
    static func recipe(
        _ density: Condition.Density, _ number: Int, _ random: inout SeededRandom,
        zeros: Double
    ) -> (recipe: StripeRecipe, text: String)? {
        let format: TrackFormat
        let text: String
        switch density {
        case .track2:
            format = .iso2
            text =
                ";" + digits(16, &random, zeros) + "=" + digits(Int(random.uniform(11...20)), &random, zeros)
                + "?"
        case .tracks1And3 where number.isMultiple(of: 2):
            format = .iso1
            text =
                "%B" + digits(16, &random, zeros) + "^" + letters(Int(random.uniform(10...26)), &random) + "^"
                + digits(Int(random.uniform(15...28)), &random, zeros) + "?"
        case .tracks1And3:
            format = .iso3
            text =
                ";" + digits(2, &random, zeros) + digits(16, &random, zeros) + "="
                + digits(Int(random.uniform(50...82)), &random, zeros)
                + "?"
        }
        let bitsPerInch = StripeRecipe.bitsPerInch(track: density == .track2 ? 2 : 1)
        guard let recipe = try? StripeRecipe(text: text, format: format, bitsPerInch: bitsPerInch) else {
            return nil
        }
        return (recipe, text)
    }

    /// A payment card's (ISO/IEC 7813): a number with its check digit, a date, a service code. Track 2 or track 1.
    static func paymentRecipe(
        _ density: Condition.Density, _ random: inout SeededRandom
    ) -> (recipe: StripeRecipe, text: String)? {
        let number = checked((random.uniform() < 0.5 ? "4" : "5") + digits(14, &random))
        let month = Int(random.uniform(1...12.99))
        let date = digits(2, &random) + (month < 10 ? "0" : "") + "\(month)"
        let fields = date + (random.uniform() < 0.5 ? "101" : "201")
        let isTrack2 = density == .track2
        let text =
            isTrack2
            ? ";" + number + "=" + fields + digits(Int(random.uniform(5...13)), &random) + "?"
            : "%B" + number + "^" + letters(Int(random.uniform(10...26)), &random) + "^" + fields
                + digits(Int(random.uniform(8...21)), &random) + "?"
        let bitsPerInch = StripeRecipe.bitsPerInch(track: isTrack2 ? 2 : 1)
        guard
            let recipe = try? StripeRecipe(
                text: text, format: isTrack2 ? .iso2 : .iso1, bitsPerInch: bitsPerInch)
        else { return nil }
        return (recipe, text)
    }

    /// A card of which two to four digits are others, and the LRC is the same.
    static func nextInSeries(
        _ text: String, _ recipe: StripeRecipe, _ random: inout SeededRandom
    ) -> (recipe: StripeRecipe, text: String)? {
        var characters = Array(text.utf8)
        let digits = characters.indices.filter { (48...57).contains(characters[$0]) }
        var changed = 0
        let wanted = random.uniform() < 0.5 ? 2 : 4
        while changed < wanted {
            let pair = (0..<2).map { _ in digits[Int(random.uniform() * Double(digits.count))] }
            let mask = UInt8(random.uniform(1...15.99))
            let values = pair.map { (characters[$0] - 48) ^ mask }
            guard pair[0] != pair[1], values.allSatisfy({ $0 < 10 }) else { continue }
            for (place, value) in zip(pair, values) { characters[place] = value + 48 }
            changed += 2
        }
        let other = String(decoding: characters, as: UTF8.self)
        let format: TrackFormat = text.hasPrefix("%") ? .iso1 : recipe.bitsPerInch < 100 ? .iso2 : .iso3
        return (try? StripeRecipe(text: other, format: format, bitsPerInch: recipe.bitsPerInch)).map {
            ($0, other)
        }
    }

    /// With the digit that makes it right by ISO/IEC 7812-1.
    private static func checked(_ digits: String) -> String {
        for last in 0...9 where Luhn.isValid(Array((digits + "\(last)").utf8)) { return digits + "\(last)" }
        return digits
    }

    private static func digits(_ count: Int, _ random: inout SeededRandom, _ zeros: Double = 0) -> String {
        String(
            (0..<count).map { _ in
                let digit = Int(random.uniform() * 10)
                return Character(zeros > 0 && random.uniform() < zeros ? "0" : "\(digit)")
            })
    }

    private static func letters(_ count: Int, _ random: inout SeededRandom) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ /.")
        return String((0..<count).map { _ in alphabet[Int(random.uniform() * Double(alphabet.count))] })
    }
}
