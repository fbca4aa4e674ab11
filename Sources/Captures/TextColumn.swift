/// The column of text beside a row of bytes: `42 35 34 35   B545`. Its digits are no bytes.
enum TextColumn {
    /// Whether a text is what a tool shows beside these bytes: the printable ones as they are, a mark that is neither letter nor
    /// digit for the others. Blanks at its end may be gone.
    static func shows(_ text: ArraySlice<UInt8>, _ bytes: [UInt8]) -> Bool {
        guard !text.isEmpty, text.count <= bytes.count else { return false }
        let blanks = bytes.dropFirst(text.count)
        return zip(text, bytes).allSatisfy(shows) && blanks.allSatisfy { shows(0x20, $0) }
    }

    private static func shows(_ character: UInt8, _ byte: UInt8) -> Bool {
        if character == byte || character == UInt8(ascii: ".") { return true }
        return !(0x21...0x7E).contains(byte) && !isLetterOrDigit(character)
    }

    private static func isLetterOrDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
