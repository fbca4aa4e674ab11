/// Where the fields of a payment track stand (ISO/IEC 7813), as ranges of its bytes. Parser and mask share it, so
/// that nothing is shown of which the parser does not know what it is.
///
///     track 1   % F PAN… ^ NAME… ^ YYMM|^ SSS|^ DISCRETIONARY… ?
///     track 2   ; PAN… = YYMM|= SSS|= DISCRETIONARY… ?
///
/// F: format code, B for banks, A proprietary · YYMM: expiry · SSS: service code; a separator stands for either
/// where it is missing.
package struct PaymentTrack: Sendable {
    /// An account number shorter than this is no payment card's: the shortest in the IIN list has 12.
    static let shortestNumber = 12
    static let longestNumber = 19
    static let longestName = 26

    /// `A` or `B`; nil on track 2, and where a reader covered it.
    private(set) var formatCode: UInt8?
    private(set) var number: Range<Int>
    private(set) var name: Range<Int>?
    private(set) var expiry: Range<Int>?
    private(set) var serviceCode: Range<Int>?
    /// What the issuer keeps for himself, the card verification value among it. Never shown where anything is masked.
    private(set) var discretionary: Range<Int>

    let bytes: [UInt8]

    /// Reads a track's bytes, sentinels included.
    ///
    /// - Parameter filler: the character with which a reader covered digits; nil for a track in clear.
    init?(_ bytes: [UInt8], filler: UInt8? = nil) {
        self.bytes = bytes
        guard let end = bytes.firstIndex(of: UInt8(ascii: "?")), bytes.count - end <= (filler == nil ? 1 : 2)
        else { return nil }
        var scan = Scan(bytes: bytes, position: 1, end: end, filler: filler)
        switch bytes.first {
        case UInt8(ascii: "%"):
            scan.separator = UInt8(ascii: "^")
            guard let code = scan.take(),
                code == UInt8(ascii: "A") || code == UInt8(ascii: "B") || code == filler
            else { return nil }
            formatCode = code == filler ? nil : code
        case UInt8(ascii: ";"):
            scan.separator = UInt8(ascii: "=")
        default:
            return nil
        }
        guard let number = scan.takeField() else { return nil }
        self.number = number
        if scan.separator == UInt8(ascii: "^") {
            guard let name = scan.takeField(), name.count <= Self.longestName else { return nil }
            self.name = name
        }
        expiry = scan.takeFixed(4)
        serviceCode = scan.takeFixed(3)
        discretionary = scan.position..<end
        guard isPlausible(filler: filler) else { return nil }
    }

    /// The account number's characters without the spaces that some old track 1 numbers have.
    var numberCharacters: [UInt8] { bytes[number].picked { $0 != UInt8(ascii: " ") } }

    /// Whether a second number may stand in the place of expiry date, service code and data, of which these two would show seven
    /// digits: where the year would be 2040 or later; from 2020 on, where the service code has no meaning, or where all of it is a
    /// number with a known brand and the right check digit. No number of a payment card begins with 0 or 1.
    var mayEndInANumber: Bool {
        guard let expiry, let serviceCode, expiry.upperBound == serviceCode.lowerBound else { return false }
        let digits = bytes[expiry.lowerBound...].picked(\.isDigit)
        guard digits.count >= Self.shortestNumber, digits[0] >= UInt8(ascii: "2") else { return false }
        return digits[0] >= UInt8(ascii: "4") || ServiceCode(digits: bytes[serviceCode])?.hasMeaning != true
            || digits.count <= Self.longestNumber && Luhn.isValid(digits)
                && CardBrand.of(leadingDigits: digits, length: digits.count) != nil
    }

    private func isPlausible(filler: UInt8?) -> Bool {
        let characters = bytes[number].lazy.filter { $0 != UInt8(ascii: " ") }
        guard (Self.shortestNumber...Self.longestNumber).contains(characters.count),
            characters.allSatisfy({ $0.isDigit || $0 == filler })
        else { return false }
        guard let expiry else { return true }
        // A month that does not exist means that these digits are no date, and this is no payment card.
        return CardExpiry(yearMonth: bytes[expiry]) != nil
            || bytes[expiry].allSatisfy { $0 == filler || (filler != nil && $0 == UInt8(ascii: "0")) }
    }
}

extension PaymentTrack {
    /// Whether everything in a text speaks for a payment card, brand, date and service code, but the check digit of its number is
    /// wrong: of a text that was guessed from what is left of a record, the guess is likelier to be wrong than the card.
    package static func isContradicted(_ text: [UInt8]) -> Bool {
        guard let fields = PaymentTrack(text), fields.expiry != nil, let service = fields.serviceCode,
            ServiceCode(digits: text[service])?.hasMeaning == true
        else { return false }
        let number = fields.numberCharacters
        return CardBrand.of(leadingDigits: number, length: number.count) != nil && !Luhn.isValid(number)
    }
}

/// Walks over the fields of a track.
private struct Scan {
    let bytes: [UInt8]
    var position: Int
    /// Where the end sentinel stands.
    let end: Int
    var separator: UInt8 = 0
    let filler: UInt8?
    /// Whether a field was missing without the separator that stands for it.
    var isLost = false

    mutating func take() -> UInt8? {
        guard position < end else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// What stands before the next separator; the separator is skipped. Nil where none follows.
    mutating func takeField() -> Range<Int>? {
        guard position < end, let next = bytes[position..<end].firstIndex(of: separator) else { return nil }
        defer { position = next + 1 }
        return position..<next
    }

    /// `count` digits. Nil where a separator stands for them (it is skipped).
    ///
    /// Where neither stands, nothing after it is at a known place: it is all discretionary, and no field is taken
    /// from it any more. Digits of a card verification value would be shown as a service code otherwise.
    mutating func takeFixed(_ count: Int) -> Range<Int>? {
        guard !isLost, position < end else { return nil }
        if bytes[position] == separator {
            position += 1
            return nil
        }
        guard end - position >= count,
            bytes[position..<(position + count)].allSatisfy({ $0.isDigit || $0 == filler })
        else {
            isLost = true
            return nil
        }
        defer { position += count }
        return position..<(position + count)
    }
}

extension TrackReading {
    /// What the issuer keeps on a payment card's track 1 or 2: all that follows the service code (ISO/IEC 7813, UnifiedPOS's
    /// `Track1DiscretionaryData` and `Track2DiscretionaryData`). Nil where there is nothing, or a reader masked it.
    package func discretionaryData(of card: Card?) -> SensitiveText? {
        guard case .payment = card, track < 3, let bytes = text?.revealBytes(),
            let fields = PaymentTrack(bytes), !fields.discretionary.isEmpty
        else { return nil }
        return SensitiveText(utf8: bytes[fields.discretionary])
    }
}
