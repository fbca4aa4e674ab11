/// Tells whether a text repeats itself round a place where stretches were put together.
///
///     6 1 5 0 0 0 0 | 0 0 0 0 4 3 1       how many there are, nothing tells
///
/// One character more or less leaves the LRC as it is where the character has no data bits set, as a 0 of track 2, and two of any
/// other do; so do units of a few characters.
enum RepeatedCharacters {
    private static let longestUnit = 3
    private static let least = 3

    /// - Parameter place: of the character in which the stretches meet, or before which.
    static func surround(_ place: Int, in text: [UInt8]) -> Bool {
        (1...longestUnit).contains { unit in
            // Characters that are equal to the one so many before.
            func isRepeated(_ index: Int) -> Bool {
                text.indices.contains(index) && text.indices.contains(index - unit)
                    && text[index] == text[index - unit]
            }
            let near = (place - 1...place + unit).filter(isRepeated)
            return near.contains { start in
                let before = stride(from: start - 1, through: 0, by: -1).prefix(while: isRepeated).count
                let after = (start + 1..<max(text.count, start + 1)).prefix(while: isRepeated).count
                return before + 1 + after + unit >= max(least, 2 * unit + 1)
            }
        }
    }
}
