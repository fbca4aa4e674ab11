import CardData

/// Whether bits hold characters at all, however many are wrong: whether the long search is worth its price.
///
/// Data that are no record keep to parity at every other place. A record read badly still has stretches in which
/// nearly every character keeps to it.
struct CharacterTraces: Sendable {
    var formats: [StripeFormat]

    /// Characters in a row that are looked at, and how many of them may be wrong.
    private static let window = 20
    private static let mostWrong = 2
    /// A tone is nothing but ones or zeros: so many bits of the rarer kind are data.
    private static let fewestOfEach = 12
    /// In a modem's octave every bit comes twice, and even parity always holds. In data every fourth bit begins a pair
    /// of two different ones.
    private static let doubledPart = 16

    func areIn(_ bits: [UInt8]) -> Bool {
        formats.contains { format in
            let coding = format.coding
            guard coding.parity != .none, coding.bitsPerCharacter > 0 else { return true }
            return (0..<coding.bitsPerCharacter).contains { offset in
                // Parity is the same whichever way a character is read.
                Self.hasStretch(bits, coding, from: offset)
            }
        }
    }

    private static func hasStretch(_ bits: [UInt8], _ coding: TrackFormat, from offset: Int) -> Bool {
        let width = coding.bitsPerCharacter
        let wanted = coding.parity == .odd ? 1 : 0
        var ones: [Int] = []
        var wrong = 0
        var sum = 0
        for start in stride(from: offset, through: bits.count - width, by: width) {
            let count = bits[start..<start + width].reduce(0) { $0 + Int($1) }
            ones.append(count)
            sum += count
            wrong += count & 1 == wanted ? 0 : 1
            if ones.count > window {
                let left = ones[ones.count - 1 - window]
                sum -= left
                wrong -= left & 1 == wanted ? 0 : 1
            }
            guard ones.count >= window, wrong <= mostWrong else { continue }
            let stretch = bits[start + width - window * width..<start + width]
            if min(sum, stretch.count - sum) >= fewestOfEach,
                FrameSearch.unequalPairs(stretch) > stretch.count / doubledPart
            {
                return true
            }
        }
        return false
    }
}
