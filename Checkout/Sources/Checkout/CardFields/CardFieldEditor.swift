public import CardData

/// The text of one card field while it is edited: digits, the gaps between them, and the caret.
///
/// Why the caret is kept as a number of digits and not as a place in the text: gaps come and go with the brand, digits
/// do not. So no edit can lose the caret or leave it inside something that is not there any more.
///
/// Places and ranges are counted in characters of ``text``. Whatever is handed in is cut to what there is; no edit traps.
public struct CardFieldEditor: Sendable {
    /// What the field is for.
    public let component: CardComponent
    /// The digits alone.
    public private(set) var digits = SensitiveText("")
    /// How many digits stand before the caret.
    private var digitsBeforeCaret = 0
    /// The brand that the number has, or for a code the number beside it.
    public private(set) var brand: CardBrand?
    private let today: CalendarMonth
    /// Whether ``fill(_:)`` met digits that do not fit.
    private var hasExcess = false

    /// What an edit did.
    public enum Outcome: Sendable, Hashable {
        /// The text is another one now.
        case changed
        /// The caret may have moved, the text is as it was.
        case unchanged
        /// What was typed does not belong in this field: nothing happened.
        case rejected
    }

    /// An empty field.
    ///
    /// - Parameters:
    ///   - component: what it is for.
    ///   - today: the present month, against which an expiry date is judged.
    public init(_ component: CardComponent, today: CalendarMonth = .current) {
        self.component = component
        self.today = today
    }

    /// What is wrong with the text as it is; nil when it is good.
    public var problem: FieldProblem? {
        if hasExcess { return excess }
        return digits.withRevealedBytes { bytes in
            switch component {
            case .cardNumber: NumberRules.problem(bytes)
            case .expiry: ExpiryRules.problem(bytes, today: today)
            case .cvv: CodeRules.problem(count: bytes.count, brand: brand)
            case .swipe: bytes.isEmpty ? .missing : nil
            }
        }
    }

    private var excess: FieldProblem {
        switch component {
        case .cardNumber, .swipe: .wrongLength
        case .expiry: .unknownMonth
        case .cvv: .wrongCodeLength(expected: longest(of: brand))
        }
    }

    /// Whether the text is good as it is.
    public var isValid: Bool { problem == nil }

    /// Whether no more digits fit.
    public var isFull: Bool { digits.count >= longest(of: brand) }

    /// Whether no more digits are to be expected, so that the next field may have the focus: the text is good, and no more
    /// digits fit or the number has as many as those of its brand have (``CardBrand/usualLength``).
    public var isWhole: Bool {
        guard isValid else { return false }
        return isFull || component == .cardNumber && digits.count == brand?.usualLength
    }

    /// The month that the field names, whether over or not.
    var month: CalendarMonth? { digits.withRevealedBytes { ExpiryRules.month($0, today: today) } }

    /// The code's field follows the number's brand.
    mutating func follow(_ brand: CardBrand?) { self.brand = brand }

    // MARK: Edits

    /// Types or pastes at the caret.
    public mutating func type(_ text: String) -> Outcome {
        replace(digitsBeforeCaret..<digitsBeforeCaret, typing: text)
    }

    /// Replaces a range of the text, as text fields report their edits. Deleting only a gap deletes the digit before it.
    public mutating func replace(_ range: Range<Int>, with text: String) -> Outcome {
        let lower = layout.digits(before: range.lowerBound)
        let upper = layout.digits(before: range.upperBound)
        if text.isEmpty, !range.isEmpty, lower == upper {
            return remove(max(lower - 1, 0)..<lower)
        }
        return text.isEmpty ? remove(lower..<upper) : replace(lower..<upper, typing: text)
    }

    /// Replaces everything, as where only the new text is known. The caret is at the end then.
    public mutating func setText(_ text: String) -> Outcome {
        text.isEmpty ? remove(0..<digits.count) : replace(0..<digits.count, typing: text)
    }

    /// Backspace.
    public mutating func deleteBackward() -> Outcome {
        remove(max(digitsBeforeCaret - 1, 0)..<digitsBeforeCaret)
    }

    /// Delete.
    public mutating func deleteForward() -> Outcome {
        remove(digitsBeforeCaret..<min(digitsBeforeCaret + 1, digits.count))
    }

    /// Puts the caret at a place of the text.
    public mutating func moveCaret(to place: Int) { digitsBeforeCaret = layout.digits(before: place) }

    /// Moves the caret over so many digits, to the left where negative.
    public mutating func moveCaret(by count: Int) {
        let (place, isTooFar) = digitsBeforeCaret.addingReportingOverflow(count)
        let end = count < 0 ? 0 : digits.count
        digitsBeforeCaret = isTooFar ? end : min(max(place, 0), digits.count)
    }

    /// Reads the text of a field that somebody else keeps. A text with more digits than any card has stays wrong: it is
    /// not cut to one that is right.
    mutating func fill(_ text: FieldText) {
        let content = text.reveal()
        _ = setText(content)
        let isWholeDate = component == .expiry && ExpiryRules.digits(ofWhole: content) != nil
        hasExcess = !isWholeDate && DigitScan.digits(in: content, limit: .max).count > digits.count
    }

    // MARK: Text

    /// The text with its gaps.
    public var text: FieldText {
        let layout = layout
        return FieldText(
            SensitiveText(count: layout.length) { bytes in
                digits.withRevealedBytes { digits in
                    for place in bytes.indices {
                        bytes[place] = layout.digit(at: place).map { digits[$0] } ?? layout.gap
                    }
                }
            })
    }

    /// Where the caret is in ``text``.
    public var caret: Int { layout.place(ofDigit: digitsBeforeCaret) }

    private var layout: FieldLayout { FieldLayout(component, brand: brand, count: digits.count) }

    // MARK: How edits work

    private func longest(of brand: CardBrand?) -> Int {
        switch component {
        case .cardNumber, .swipe: NumberRules.longest(of: brand)
        case .expiry: ExpiryRules.digits
        case .cvv: CodeRules.longest(of: brand)
        }
    }

    private mutating func remove(_ range: Range<Int>) -> Outcome {
        guard !range.isEmpty else { return .unchanged }
        take(digits.replacing(range, with: SensitiveText("")), caret: range.lowerBound)
        return .changed
    }

    private mutating func replace(_ range: Range<Int>, typing text: String) -> Outcome {
        let typed = component == .expiry ? expiryDigits(typing: text, at: range) : plainDigits(in: text)
        guard typed.count > 0 else { return typeSlash(text) }
        let kept = digits.count - range.count
        // As many as fit, for the brand that the number then has.
        let wished = digits.replacing(range, with: typed).prefix(NumberRules.lengths.upperBound)
        let room = longest(of: brand(of: wished)) - kept
        guard room > 0 else { return .rejected }
        let fitting = typed.prefix(room)
        let new = digits.replacing(range, with: fitting)
        guard component != .expiry || new.withRevealedBytes(Self.mayNameMonth) else { return .rejected }
        let isSame = new == digits
        take(new, caret: range.lowerBound + fitting.count)
        return isSame ? .unchanged : .changed
    }

    /// A slash ends the month: `1/` is January. Where the month has ended already, it does no harm.
    private mutating func typeSlash(_ text: String) -> Outcome {
        guard component == .expiry, text == "/", digits.count > 0 else { return .rejected }
        guard digits.count == 1 else { return .unchanged }
        let month = digits.replacing(0..<0, with: SensitiveText("0"))
        guard month.withRevealedBytes(Self.mayNameMonth) else { return .rejected }
        take(month, caret: month.count)
        return .changed
    }

    private mutating func take(_ new: SensitiveText, caret: Int) {
        digits = new
        brand = brand(of: new)
        digitsBeforeCaret = min(max(caret, 0), new.count)
    }

    private func brand(of digits: SensitiveText) -> CardBrand? {
        guard component == .cardNumber else { return brand }
        return digits.withRevealedBytes { CardBrand.of(beginning: $0) }
    }

    private func plainDigits(in text: String) -> SensitiveText {
        DigitScan.digits(in: text, limit: NumberRules.lengths.upperBound)
    }

    /// What is typed into an expiry date: a whole date in any of its forms, a `2` for `02`, a `/` after a single `1`.
    private func expiryDigits(typing text: String, at range: Range<Int>) -> SensitiveText {
        let isAlone = range.count == digits.count
        if isAlone, let whole = ExpiryRules.digits(ofWhole: text) { return SensitiveText(utf8: whole) }
        let typed = plainDigits(in: text)
        if isAlone, typed.count == 1, typed.withRevealedBytes({ $0[0] > UInt8(ascii: "1") }) {
            return SensitiveText("0").replacing(1..<1, with: typed)
        }
        return typed
    }

    /// Whether the first two digits are, or can become, a month.
    static func mayNameMonth(_ digits: some Collection<UInt8>) -> Bool {
        let first = digits.prefix(2).map { Int($0) - Int(UInt8(ascii: "0")) }
        guard first.count > 1 else { return first.allSatisfy { $0 <= 1 } }
        return (1...12).contains(first[0] * 10 + first[1])
    }
}
