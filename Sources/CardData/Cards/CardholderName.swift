/// A name as on track 1: `SURNAME/GIVEN NAMES.TITLE`, padded with spaces.
public struct CardholderName: Sendable, Hashable {
    /// The whole field without its padding: `DOE/JOHN Q.MR`.
    public let text: SensitiveText

    /// A name field; nil where it holds nothing but padding.
    public init?(field: some BidirectionalCollection<UInt8>) {
        let isPadding = { (character: UInt8) in character == UInt8(ascii: " ") }
        guard let first = field.firstIndex(where: { !isPadding($0) }),
            let last = field.lastIndex(where: { !isPadding($0) })
        else { return nil }
        let name = field[first...last]
        guard name.contains(where: { $0 != UInt8(ascii: "/") }) else { return nil }
        text = SensitiveText(utf8: name)
    }

    /// What stands before the slash.
    public var surname: SensitiveText { part(of: halves.surname) }

    /// What stands between the slash and the point; nil where there is nothing.
    public var givenNames: SensitiveText? {
        let name = halves.rest.prefix { $0 != UInt8(ascii: ".") }
        return name.isEmpty ? nil : part(of: name)
    }

    /// What stands after the point; nil where there is nothing.
    public var title: SensitiveText? {
        guard let point = halves.rest.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        let title = halves.rest[(point + 1)...]
        return title.isEmpty ? nil : part(of: title)
    }

    private var halves: (surname: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
        let bytes = text.revealBytes()
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else { return (bytes[...], []) }
        return (bytes[..<slash], bytes[(slash + 1)...])
    }

    /// A part without the spaces around it.
    private func part(of bytes: ArraySlice<UInt8>) -> SensitiveText {
        let start = bytes.drop { $0 == UInt8(ascii: " ") }
        let end = start.lastIndex { $0 != UInt8(ascii: " ") }
        return SensitiveText(utf8: end.map { start[...$0] } ?? [])
    }
}
