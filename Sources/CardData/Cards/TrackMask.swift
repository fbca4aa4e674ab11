extension TrackReading {
    /// The text as a masked view may show it where this is the only track; nil where there is none.
    ///
    /// Of a payment track it leaves the account number's ends (see ``AccountNumber``), the name, the expiry date and
    /// the service code; of a licence the issuer; of anything else nothing but the separators. What a reader covered
    /// itself stays as the reader sent it, unless that shows more. Tracks of one swipe are shown by ``MaskedSwipe``.
    public var masked: String? { MaskedSwipe([self], card: nil).texts.first ?? nil }
}

/// Where the fields of a track stand of which something may be shown, and what of them.
struct ShownPlaces {
    /// For each place whether it may be shown.
    var isVisible: [Bool]
    /// The account number; of a licence its issuer and its number.
    var number: Range<Int>?
    var name: Range<Int>?
    var expiry: Range<Int>?
    var serviceCode: Range<Int>?

    mutating func show(_ places: Range<Int>) { set(places, true) }
    mutating func hide(_ places: Range<Int>) { set(places, false) }

    /// A reader that covers a number covers the service code too. Where it did not, expiry date and service code may be a piece of that
    /// number, and nobody can say.
    mutating func hideServiceCode() {
        if let serviceCode { hide(serviceCode) }
    }

    private mutating func set(_ places: Range<Int>, _ value: Bool) {
        for place in places.clamped(to: isVisible.indices) { isVisible[place] = value }
    }

    /// Shows what of an account number may be shown.
    ///
    /// - Parameter bytes: the track's. Spaces in an old track 1's number are no digits of it: a short one shows less, however
    ///   many there are.
    mutating func showEnds(of number: Range<Int>, in bytes: [UInt8], _ most: AccountNumber.Shown = .most) {
        let length = bytes[number].count { $0 != UInt8(ascii: " ") }
        let shown = most.limited(toLength: length)
        show(number.prefix(shown.leading))
        show(number.suffix(shown.trailing))
    }
}

/// How a track is covered so that it may be shown.
enum TrackMask {
    static let cover = UInt8(ascii: "*")
    private static let endSentinel = UInt8(ascii: "?")

    /// - Parameter readerShows: how many digits of an account number are true where a reader's zeros cover the others.
    /// - Returns: the text, its name as it was sent.
    static func masked(_ bytes: [UInt8], track: Int, readerShows: AccountNumber.Shown) -> String {
        var places = places(bytes, track: track, namesAsSent: true)
        // A covered number in front of a text in clear (MagTek property 0x07 with `V`): its zeros would pass for digits.
        if LicenceTrack2.issuer(of: bytes) == nil, let number = places.number,
            isCoveredWithZeros(bytes[number])
        {
            places.hide(number)
            places.showEnds(of: number, in: bytes, readerShows)
        }
        places.hideServiceCode()
        // Of its digits nothing else is kept, so they are compared here.
        var shown = MaskedTrack(bytes, track: track, places)
        shown.show(by: TrackAgreement([shown]))
        return shown.text ?? ""
    }

    /// Whether all of a number that must not be shown are zeros, but for one digit that a reader may have bent.
    private static func isCoveredWithZeros(_ number: ArraySlice<UInt8>) -> Bool {
        let shown = AccountNumber.Shown.most
        return ReaderCover.isCovered(number.dropFirst(shown.leading).dropLast(shown.trailing))
    }

    /// The text with everything covered that is not visible.
    static func covered(_ bytes: [UInt8], _ isVisible: [Bool]) -> String {
        String(count: bytes.count) { isVisible[$0] ? bytes[$0] : cover }
    }

    /// What of a track may be shown.
    ///
    /// - Parameters:
    ///   - filler: with which a reader covered digits; nil for a track in clear.
    ///   - mayBeLicence: false where a reader's zeros pass for a licence's issuer.
    ///   - namesAsSent: whether the whole name counts as visible, whatever its characters are.
    static func places(
        _ bytes: [UInt8], track: Int, filler: UInt8? = nil, mayBeLicence: Bool = true,
        namesAsSent: Bool = false
    ) -> ShownPlaces {
        var places = ShownPlaces(isVisible: framePlaces(bytes))
        if mayBeLicence, LicenceTrack2.issuer(of: bytes) != nil {
            places.number =
                1..<(bytes.firstIndex { $0 == UInt8(ascii: "=") || $0 == endSentinel } ?? bytes.count)
            places.show(1..<(1 + LicenceTrack2.issuerDigits))
        } else if track != 3, let payment = PaymentTrack(bytes, filler: filler) {
            show(payment, in: &places, namesAsSent: namesAsSent)
        } else if track == 3, let number = thriftNumber(bytes, filler: filler) {
            places.number = number
            places.showEnds(of: number, in: bytes)
        }
        return places
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

    private static func show(_ payment: PaymentTrack, in places: inout ShownPlaces, namesAsSent: Bool) {
        // Track 1's format code.
        if payment.name != nil { places.show(1..<2) }
        places.number = payment.number
        places.showEnds(of: payment.number, in: payment.bytes)
        (places.expiry, places.serviceCode) = (payment.expiry, payment.serviceCode)
        if let expiry = payment.expiry { places.show(expiry) }
        if let serviceCode = payment.serviceCode { places.show(serviceCode) }
        if payment.mayEndInANumber { places.hideServiceCode() }
        guard let name = payment.name else { return }
        places.name = name
        guard !namesAsSent else { return places.show(name) }
        for (place, isVisible) in zip(name, NameMask.visible(payment.bytes[name])) where isVisible {
            places.isVisible[place] = true
        }
    }

    /// The account number at the start of a track 3, without a format code where there is one.
    private static func thriftNumber(_ bytes: [UInt8], filler: UInt8?) -> Range<Int>? {
        guard bytes.first == UInt8(ascii: ";"), let end = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            return nil
        }
        // UnionPay's cards have 99.
        let code = bytes.dropFirst().prefix(2)
        let hasFormatCode = code.first == UInt8(ascii: "0") || code.elementsEqual("99".utf8)
        let start = hasFormatCode ? 3 : 1
        guard end - start >= PaymentTrack.shortestNumber, end - start <= PaymentTrack.longestNumber,
            bytes[start..<end].allSatisfy({ $0.isDigit || $0 == filler })
        else { return nil }
        return start..<end
    }
}
