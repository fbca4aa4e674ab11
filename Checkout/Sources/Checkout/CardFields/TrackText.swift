internal import CardData

/// A track that came as a text: a reader that is a keyboard types it, or somebody copied it (ISO/IEC 7813).
///
///     %B4111111111111111^DOE/JOHN^3012201…?     track 1: number ^ name ^ YYMM, service code and more
///     ;4111111111111111=3012201…?               track 2: number = YYMM, service code and more
///
/// The year comes first, where people write the month first. For a card that is good no date can be read both ways before 2101.
struct TrackText {
    let number: SensitiveText
    /// MMYY.
    let expiry: String

    /// Nil where a text has no such track with its date.
    init?(_ text: String) {
        let bytes = Array(text.utf8.prefix(DigitScan.mostScalars))
        for (place, byte) in bytes.enumerated() {
            guard let start = Self.dateStart(after: place, byte, in: bytes) else { continue }
            // ISO/IEC 7813 allows blanks in the number of track 1.
            let number = bytes[..<place].reversed().prefix { Self.isDigit($0) || $0 == UInt8(ascii: " ") }
            let digits = Array(number.reversed().filter(Self.isDigit))
            guard let expiry = Self.expiry(bytes[start...]), NumberRules.problem(digits) == nil else {
                continue
            }
            self.number = SensitiveText(String(decoding: digits, as: UTF8.self))
            self.expiry = expiry
            return
        }
        return nil
    }

    /// Where a date begins whose number ends before this byte.
    private static func dateStart(after place: Int, _ byte: UInt8, in bytes: [UInt8]) -> Int? {
        switch byte {
        case UInt8(ascii: "="): place + 1
        case UInt8(ascii: "^"): bytes[(place + 1)...].firstIndex(of: byte).map { $0 + 1 }
        default: nil
        }
    }

    /// MMYY of a text that begins with YYMM.
    static func expiry(_ bytes: some Sequence<UInt8>) -> String? {
        let date = Array(bytes.prefix(ExpiryRules.digits))
        guard date.count == ExpiryRules.digits, date.allSatisfy(isDigit) else { return nil }
        let turned = Array(date[2...] + date[..<2])
        return CardFieldEditor.mayNameMonth(turned) ? String(decoding: turned, as: UTF8.self) : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// The keys of a track that come one by one, as from a slow reader: what stands behind the number is of no field.
package struct TypedTrack: Sendable {
    /// What to do with a key's text.
    package enum Step: Sendable, Hashable {
        /// It is no track's.
        case pass
        /// It belongs to a track.
        case swallow
        /// A track begins.
        case begins
        /// The date of the track, MMYY.
        case expiry(String)
    }

    private enum State: Sendable {
        case outside
        /// In the name, which ends with a second `^`.
        case name
        /// At the date, of which so many digits are there.
        case date(String)
        /// Behind the date, up to `?`.
        case rest
        /// Behind the `?`: another track may follow.
        case between
    }

    private var state = State.outside

    package init() {}

    /// Another key: a track is over.
    package mutating func end() { state = .outside }

    /// Takes what a key types.
    ///
    /// - Parameter afterNumber: whether a whole number was typed before it.
    package mutating func take(_ text: String, afterNumber: Bool) -> Step {
        switch (state, text) {
        case (.outside, "^") where afterNumber: state = .name
        case (.outside, "=") where afterNumber: state = .date("")
        case (.outside, "%"), (.outside, ";"): return .begins
        case (.outside, _): return .pass
        case (.name, "^"): state = .date("")
        case (.rest, "?"), (.name, "?"), (.date, "?"): state = .between
        case (.name, _), (.rest, _): break
        case (.date(let digits), _):
            let digits = digits + text
            state = digits.utf8.count < ExpiryRules.digits ? .date(digits) : .rest
            // Who types an equals sign may be a person, who writes the month first.
            if case .rest = state { return .expiry(TrackText.expiry(digits.utf8) ?? digits) }
        case (.between, ";"), (.between, "%"), (.between, "+"): state = .rest
        case (.between, _):
            state = .outside
            return .pass
        }
        return .swallow
    }
}
