internal import CardData

/// The text of a card field: `4111 1111 1111 1111`, `12/27`, `123`.
///
/// It prints itself covered, is wiped when the last copy goes, and gives its content only to ``reveal()``, which is
/// easy to find in a review.
public struct FieldText: Sendable, Hashable {
    let content: SensitiveText

    init(_ content: SensitiveText) { self.content = content }

    /// Wraps a text from elsewhere, as a field of one's own has it. The caller's string stays as it is.
    public init(_ text: String) { content = SensitiveText(text) }

    /// No text.
    public static let empty = FieldText("")

    /// Whether there is nothing in it.
    public var isEmpty: Bool { content.count == 0 }

    /// The content. The caller answers for where it goes: onto a customer's own screen, for one.
    public func reveal() -> String { content.reveal() }

    /// The text as it may be shown to anybody.
    ///
    /// - Parameters:
    ///   - component: a number shows its first six digits, an expiry date everything, a code nothing.
    ///   - isComplete: whether all digits are there; then a number's last four are shown, too.
    public func covered(as component: CardComponent, isComplete: Bool = false) -> String {
        switch component {
        case .expiry: reveal()
        case .cvv: String(repeating: Self.cover, count: content.count)
        case .cardNumber, .swipe: coveredNumber(isComplete)
        }
    }

    private static let cover = "•"

    private func coveredNumber(_ isComplete: Bool) -> String {
        content.withRevealedBytes { bytes in
            let digits = bytes.count { $0.isDigit }
            let leading = AccountNumber.Shown.most.leading
            let trailing = isComplete ? AccountNumber.Shown.most.trailing : 0
            // A short number shows less: its last four, and six at the start only where four stay covered.
            let start = isComplete ? max(min(leading, digits - trailing - trailing), 0) : leading
            var place = 0
            var text = ""
            for byte in bytes {
                guard byte.isDigit else {
                    text += String(decoding: [byte], as: UTF8.self)
                    continue
                }
                let isShown = place < start || place >= digits - trailing
                text += isShown ? String(decoding: [byte], as: UTF8.self) : Self.cover
                place += 1
            }
            return text
        }
    }
}

extension FieldText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length alone.
    public var description: String { "<\(content.count) characters withheld>" }
    /// The length alone.
    public var debugDescription: String { description }
    /// No children: `dump` and test failure messages show nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UInt8 {
    /// An ASCII digit.
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
