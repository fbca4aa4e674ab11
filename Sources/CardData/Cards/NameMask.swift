/// What a masked view shows of a name: letters and the signs that names are made of, and no number.
///
/// A card's writer may put anything where the name is due, and where a name is missing, what follows it stands there: another
/// number, the expiry date with the card verification value behind it. So a name is shown by what its characters are, not
/// because of where it stands.
enum NameMask {
    /// Names have a digit or two: `2ND`, `CARD 01`. More are a number.
    static let mostDigits = 2
    /// They frame other fields, or stand for the digits above nine in track 2's alphabet.
    private static func isOfOtherFields(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "%"), UInt8(ascii: ":")...UInt8(ascii: "?"), UInt8(ascii: "^"): true
        default: false
        }
    }

    /// For each character of a name whether it may be shown.
    static func visible(_ name: some Collection<UInt8>) -> [Bool] {
        let digits = name.count(where: \.isDigit)
        // A field of digits with few letters among them is no name: nothing of it is shown.
        guard digits == 0 || name.count(where: isLetter) > digits else { return name.map { _ in false } }
        return name.map { character in
            character.isDigit
                ? digits <= mostDigits
                : (0x20..<0x7F).contains(character) && !isOfOtherFields(character)
        }
    }

    static func isLetter(_ character: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character & ~0x20)
    }
}

extension CardholderName {
    /// The name as a masked view shows it: `*` in the place of digits and of signs that are no name's. Nil where no letter is left.
    public var masked: SensitiveText? {
        text.withRevealedBytes { bytes in
            let isVisible = NameMask.visible(bytes)
            guard bytes.indices.contains(where: { isVisible[$0] && NameMask.isLetter(bytes[$0]) }) else {
                return nil
            }
            return SensitiveText(count: bytes.count) { shown in
                for place in bytes.indices {
                    shown[place] = isVisible[place] ? bytes[place] : TrackMask.cover
                }
            }
        }
    }
}
