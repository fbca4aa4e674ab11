/// Why a text is not a JSON value that this protocol takes.
package struct JSONError: Error, Sendable, Hashable {
    package enum Reason: String, Sendable, Hashable {
        case unexpectedEnd = "the line ends in the middle of a value"
        case unexpectedByte = "unexpected byte"
        case trailingBytes = "something follows the value"
        case tooDeep = "nested too deep"
        case duplicateName = "a name occurs twice in an object"
        case invalidNumber = "not a number"
        case invalidEscape = "not a valid escape"
        case controlCharacter = "an unescaped control character in a string"
        case invalidUTF8 = "not UTF-8"
    }

    package var reason: Reason
    /// How many bytes came before it.
    package var offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String { "\(reason.rawValue), at byte \(offset)" }
}
