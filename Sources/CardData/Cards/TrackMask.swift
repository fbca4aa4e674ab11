extension TrackReading {
    /// The text as it may be shown; nil where there is none.
    ///
    /// Of a payment track it leaves the account number's ends (see ``AccountNumber``), the name, the expiry date and
    /// the service code; of a licence the issuer; of anything else nothing but the separators. What a reader covered
    /// itself stays as the reader sent it, unless that shows more.
    public var masked: String? {
        switch outcome {
        case .read(let text), .repaired(let text, _): TrackMask.masked(text.revealBytes(), track: track)
        case .encrypted(let masked): ReaderCover.checked(masked.utf8, track: track)
        case .empty, .refused: nil
        }
    }
}

/// How a track is covered so that it may be shown.
enum TrackMask {
    static let cover = UInt8(ascii: "*")
    private static let endSentinel = UInt8(ascii: "?")

    /// - Parameter readerShows: how many digits of an account number are true where a reader's zeros cover the others; nil where no
    ///   reader has covered any.
    static func masked(_ bytes: [UInt8], track: Int, readerShows: AccountNumber.Shown? = nil) -> String {
        var isVisible = visiblePlaces(bytes, track: track)
        // A covered number in front of a text in clear (MagTek property 0x07 with `V`): its zeros would pass for digits.
        if let readerShows, LicenceTrack2.issuer(of: bytes) == nil,
            let number = accountNumber(of: bytes, track: track), isCoveredWithZeros(bytes[number])
        {
            for place in number { isVisible[place] = false }
            showEnds(of: number, readerShows, in: &isVisible)
        }
        return covered(bytes, isVisible)
    }

    private static func accountNumber(of bytes: [UInt8], track: Int) -> Range<Int>? {
        track == 3 ? thriftNumber(bytes, filler: nil) : PaymentTrack(bytes)?.number
    }

    /// Whether all of a number that must not be shown are zeros, but for one digit that a reader may have bent.
    private static func isCoveredWithZeros(_ number: ArraySlice<UInt8>) -> Bool {
        let shown = AccountNumber.Shown.most
        return ReaderCover.isCovered(number.dropFirst(shown.leading).dropLast(shown.trailing))
    }

    /// The text with everything covered that is not visible.
    static func covered(_ bytes: [UInt8], _ isVisible: [Bool]) -> String {
        String(decoding: zip(bytes, isVisible).map { $1 ? $0 : cover }, as: UTF8.self)
    }

    /// For each place whether it may be shown.
    ///
    /// - Parameter mayBeLicence: false where a reader's zeros pass for a licence's issuer.
    static func visiblePlaces(
        _ bytes: [UInt8], track: Int, filler: UInt8? = nil, mayBeLicence: Bool = true
    ) -> [Bool] {
        var isVisible = framePlaces(bytes)
        if mayBeLicence, LicenceTrack2.issuer(of: bytes) != nil {
            show(1..<(1 + LicenceTrack2.issuerDigits), in: &isVisible)
        } else if track != 3, let payment = PaymentTrack(bytes, filler: filler) {
            show(payment, in: &isVisible)
        } else if track == 3, let number = thriftNumber(bytes, filler: filler) {
            showEnds(of: number, in: &isVisible)
        }
        return isVisible
    }

    /// Sentinels and separators.
    static func framePlaces(_ bytes: [UInt8]) -> [Bool] {
        var isVisible = bytes.map { $0 == UInt8(ascii: "^") || $0 == UInt8(ascii: "=") }
        switch bytes.first {
        case UInt8(ascii: "%"), UInt8(ascii: ";"), UInt8(ascii: "#"), UInt8(ascii: "+"): isVisible[0] = true
        default: break
        }
        // Readers that send the LRC's place put one character behind the end sentinel.
        if let end = bytes.suffix(2).lastIndex(of: endSentinel), end > 0 { isVisible[end] = true }
        return isVisible
    }

    private static func show(_ payment: PaymentTrack, in isVisible: inout [Bool]) {
        // Track 1's format code.
        if payment.name != nil { isVisible[1] = true }
        showEnds(of: payment.number, in: &isVisible)
        for field in [payment.name, payment.expiry, payment.serviceCode] {
            if let field { show(field, in: &isVisible) }
        }
    }

    private static func showEnds(
        of number: Range<Int>, _ most: AccountNumber.Shown = .most, in isVisible: inout [Bool]
    ) {
        let shown = most.limited(toLength: number.count)
        show(number.prefix(shown.leading), in: &isVisible)
        show(number.suffix(shown.trailing), in: &isVisible)
    }

    private static func show(_ places: Range<Int>, in isVisible: inout [Bool]) {
        for place in places.clamped(to: isVisible.indices) { isVisible[place] = true }
    }

    /// The account number at the start of a track 3, without a format code where there is one.
    private static func thriftNumber(_ bytes: [UInt8], filler: UInt8?) -> Range<Int>? {
        guard bytes.first == UInt8(ascii: ";"), let end = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            return nil
        }
        let hasFormatCode = bytes.count > 1 && bytes[1] == UInt8(ascii: "0")
        let start = hasFormatCode ? 3 : 1
        guard end - start >= PaymentTrack.shortestNumber, end - start <= PaymentTrack.longestNumber,
            bytes[start..<end].allSatisfy({ $0.isDigit || $0 == filler })
        else { return nil }
        return start..<end
    }
}
