/// A card's account number (PAN), which shows itself masked only.
///
/// A reader that encrypts hands out a number of which it covered the middle itself: then only its ends are known,
/// and there is nothing to reveal.
public struct AccountNumber: Sendable, Hashable {
    /// How many digits of a number may be shown (PCI DSS 3.4.1, conservative reading).
    public struct Shown: Sendable, Hashable {
        /// Digits shown at the start.
        public var leading: Int
        /// Digits shown at the end.
        public var trailing: Int

        /// So many at the start and at the end.
        public init(leading: Int, trailing: Int) {
            self.leading = leading
            self.trailing = trailing
        }

        /// The most that is ever shown.
        public static let most = Shown(leading: 6, trailing: 4)
        /// What readers that encrypt show unless they are set otherwise (MagTek property 0x07, ID TECH 49 and 4A).
        public static let readerDefault = Shown(leading: 4, trailing: 4)

        /// Short numbers show less: at least this many digits stay covered.
        static let leastCovered = 4
        /// An account number has at most this many digits (ISO/IEC 7812-1).
        static let longestNumber = 19

        /// The same, with no more shown than a number of `length` digits allows.
        func limited(toLength length: Int) -> Shown {
            let end = min(max(trailing, 0), Shown.most.trailing, length)
            let start = min(max(leading, 0), Shown.most.leading, max(length - end - Shown.leastCovered, 0))
            return Shown(leading: start, trailing: length > end + Shown.leastCovered - 1 ? end : 0)
        }
    }

    /// Digits, `*` where the reader covered one.
    private let digits: SensitiveText
    /// Whether a reader covered the middle, so that this daemon does not have the number.
    public let isCoveredByReader: Bool
    /// The number as it may be shown: `601100******1117`.
    public let masked: String

    /// A number read in clear.
    ///
    /// - Parameter digits: ASCII digits; anything else makes it nil, and so do none or more than 19.
    public init?(digits: some Collection<UInt8>) {
        guard !digits.isEmpty, digits.count <= Shown.longestNumber, digits.allSatisfy(\.isDigit) else {
            return nil
        }
        self.init(characters: Array(digits), shown: .most, isCoveredByReader: false)
    }

    /// A number of which a reader covered the middle.
    ///
    /// - Parameters:
    ///   - characters: as the reader sent them: digits and fillers.
    ///   - shown: how many digits at each end are true. A filler may be a `0`, so the text does not tell.
    public init?(coveredByReader characters: some Collection<UInt8>, shown: Shown) {
        guard !characters.isEmpty, characters.count <= Shown.longestNumber else { return nil }
        self.init(characters: Array(characters), shown: shown, isCoveredByReader: true)
    }

    private init(characters: [UInt8], shown: Shown, isCoveredByReader: Bool) {
        let limited = shown.limited(toLength: characters.count)
        masked = String(count: characters.count) { place in
            let isShown = place < limited.leading || place >= characters.count - limited.trailing
            return isShown && characters[place].isDigit ? characters[place] : TrackMask.cover
        }
        digits = isCoveredByReader ? SensitiveText(masked) : SensitiveText(utf8: characters)
        self.isCoveredByReader = isCoveredByReader
    }

    /// How many digits the number has.
    public var length: Int { digits.count }

    /// Whether the check digit is right (ISO/IEC 7812-1 annex B); nil where a reader covered digits.
    public var passesLuhn: Bool? {
        isCoveredByReader ? nil : Luhn.isValid(digits.revealBytes())
    }

    /// The brand, where the digits that are known tell it.
    public var brand: CardBrand? {
        CardBrand.of(leadingDigits: digits.revealBytes().prefix(while: \.isDigit), length: length)
    }

    /// Whether both can be the same number: as long, and alike wherever both show a digit.
    func canBe(_ other: AccountNumber) -> Bool {
        let cover = UInt8(ascii: "*")
        return length == other.length
            && zip(masked.utf8, other.masked.utf8).allSatisfy { $0 == $1 || $0 == cover || $1 == cover }
    }

    /// The number in clear; nil where a reader covered it. The caller answers for where it goes.
    public func reveal() -> String? {
        isCoveredByReader ? nil : digits.reveal()
    }
}

extension AccountNumber: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The masked form.
    public var description: String { masked }
    /// The masked form.
    public var debugDescription: String { masked }
    /// No children: `dump` and test failure messages show no more.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The check digit of account numbers (ISO/IEC 7812-1 annex B, "mod 10").
public enum Luhn {
    /// Whether the last of these ASCII digits checks the others; false for anything but digits.
    public static func isValid(_ digits: some BidirectionalCollection<UInt8>) -> Bool {
        guard digits.count > 1 else { return false }
        var sum = 0
        for (place, digit) in digits.reversed().enumerated() {
            guard digit.isDigit else { return false }
            let value = Int(digit - UInt8(ascii: "0")) * (place.isMultiple(of: 2) ? 1 : 2)
            sum += value > 9 ? value - 9 : value
        }
        return sum.isMultiple(of: 10)
    }
}
