/// Track 3 of a payment card, as ISO/IEC 4909 lays it out.
///
///     ; FC PAN… = CCC|= UUU|= X AAAA RRRR BBBB LL T PPPPPP|= I TT 11 22 YYMM|= Q NNNNNNNNN|= SAN1… = SAN2… = M
///     CCCCCC|= DISCRETIONARY ?
///
/// FC: format · CCC: country · UUU: currency · X: currency exponent · A, R: amount authorised and remaining · B, L:
/// begin and length of the cycle · T: tries left · P: PIN control · I: interchange · TT, 11, 22: account type and
/// service restriction · Q: card sequence number · N: card security number · M: relay marker · C: check digits.
/// Field order from public summaries of the standard, see `docs/card-data.md`; no published card proves it.
public struct ThriftTrack: Sendable, Hashable {
    /// The format code: `00`, `01`, `02` are used.
    public let formatCode: String
    /// The account number on track 3, which may differ from that of tracks 1 and 2.
    public let pan: AccountNumber
    /// ISO 3166 numeric code.
    public private(set) var country: String?
    /// ISO 4217 numeric code.
    public private(set) var currency: String?
    /// The last month of validity.
    public private(set) var expiry: CardExpiry?
    /// The number of this card among the account's cards.
    public private(set) var sequenceNumber: String?

    init?(_ track: ReadTrack) {
        guard !track.isCovered, track.bytes.first == UInt8(ascii: ";"), track.bytes.last == UInt8(ascii: "?")
        else { return nil }
        var scan = ThriftScan(bytes: track.bytes.dropFirst().dropLast())
        // Codes in use begin with 0; anything else is some other layout.
        guard let format = scan.digits(2), format.hasPrefix("0"), let number = scan.field(),
            let pan = AccountNumber(digits: number), pan.length >= PaymentTrack.shortestNumber
        else { return nil }
        formatCode = format
        self.pan = pan
        readRest(&scan)
    }

    private mutating func readRest(_ scan: inout ThriftScan) {
        country = scan.digitsOrSeparator(3)
        currency = scan.digitsOrSeparator(3)
        // Exponent, amount authorised, amount remaining, cycle begin, cycle length, tries left.
        guard scan.digits(1 + 4 + 4 + 4 + 2 + 1) != nil else { return }
        _ = scan.digitsOrSeparator(6)
        // Interchange control, and type and restriction of three accounts.
        guard scan.digits(1 + 2 + 2 + 2) != nil else { return }
        expiry = scan.digitsOrSeparator(4).flatMap { CardExpiry(yearMonth: Array($0.utf8)) }
        sequenceNumber = scan.digits(1)
    }
}

private struct ThriftScan {
    var bytes: ArraySlice<UInt8>

    /// `count` digits, or nil with nothing taken.
    mutating func digits(_ count: Int) -> String? {
        guard bytes.count >= count, bytes.prefix(count).allSatisfy(\.isDigit) else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// `count` digits, or nil where a separator stands for them.
    mutating func digitsOrSeparator(_ count: Int) -> String? {
        if bytes.first == UInt8(ascii: "=") {
            bytes = bytes.dropFirst()
            return nil
        }
        return digits(count)
    }

    /// What stands before the next separator, which is skipped.
    mutating func field() -> ArraySlice<UInt8>? {
        guard let separator = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        defer { bytes = bytes[(separator + 1)...] }
        return bytes[..<separator]
    }
}
