internal import CardData

/// Card numbers that somebody typed where they do not belong: as what is sold, as the order.
enum CardDigits {
    /// How long card numbers are (ISO/IEC 7812-1; the shortest of any brand is shorter, and as common as a telephone number).
    private static let lengths = 13...19
    private static let shown = 4

    /// The text with all but the last four digits of each card number starred: of every run of so many digits, with blanks
    /// or hyphens between them or not, in which a number can be found whose check digit is right.
    static func hidden(in text: String) -> String {
        var letters = Array(text)
        var run: [Int] = []
        for (place, letter) in letters.enumerated() {
            if letter.wholeNumberValue != nil {
                run.append(place)
            } else if !separators.contains(letter) {
                hide(run, in: &letters)
                run = []
            }
        }
        hide(run, in: &letters)
        return String(letters)
    }

    private static let separators: Set<Character> = [" ", "-", ".", "\u{A0}", "\u{202F}", "\t", "\n"]

    private static func hide(_ run: [Int], in letters: inout [Character]) {
        let digits = run.map { UInt8(ascii: "0") + UInt8(clamping: letters[$0].wholeNumberValue ?? 0) % 10 }
        var start = 0
        while start + lengths.lowerBound <= run.count {
            let longest = lengths.reversed().first { length in
                start + length <= run.count && isCardNumber(digits[start..<start + length])
            }
            guard let longest else {
                start += 1
                continue
            }
            for place in run[start..<start + longest - shown] { letters[place] = "*" }
            // What follows may be another one, which begins in what is shown of this one.
            start += 1
        }
    }

    private static func isCardNumber(_ digits: ArraySlice<UInt8>) -> Bool {
        CardBrand.of(beginning: digits) != nil && Luhn.isValid(digits)
    }
}
