/// What a masked view shows of a name: letters and the signs that names are made of, and no number.
///
/// A card's writer may put anything where the name is due, and where a name is missing, what follows it stands there: another
/// number, the expiry date with the card verification value behind it. So a name is shown by what its characters are, not
/// because of where it stands.
enum NameMask {
    /// Names have a digit or two: `2ND`, `CARD 01`. More are a number.
    static let mostDigits = 2
    /// They frame other fields, or stand for the digits above nine in track 2's alphabet.
    private static let signsOfOtherFields = Set("%;=?^:<>".utf8)

    /// For each character of a name whether it may be shown.
    static func visible(_ name: some Collection<UInt8>) -> [Bool] {
        let digits = name.count(where: \.isDigit)
        // A field of digits with few letters among them is no name: nothing of it is shown.
        guard digits == 0 || name.count(where: isLetter) > digits else { return name.map { _ in false } }
        return name.map { character in
            character.isDigit
                ? digits <= mostDigits
                : (0x20..<0x7F).contains(character) && !signsOfOtherFields.contains(character)
        }
    }

    static func isLetter(_ character: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character & ~0x20)
    }
}

extension CardholderName {
    /// The name as a masked view shows it: `*` in the place of digits and of signs that are no name's. Nil where no letter is left.
    public var masked: SensitiveText? {
        let bytes = text.revealBytes()
        let shown = zip(bytes, NameMask.visible(bytes)).map { $1 ? $0 : TrackMask.cover }
        return shown.contains(where: NameMask.isLetter) ? SensitiveText(utf8: shown) : nil
    }
}
