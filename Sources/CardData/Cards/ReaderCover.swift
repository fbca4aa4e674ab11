/// The track text that an encrypting reader sends beside the ciphertext, with the sensitive places covered.
///
/// Readers can be set to cover less than may be shown, and send tracks of no known format in clear. So the text is
/// looked at before it is passed on as masked.
public enum ReaderCover {
    /// The text as it may be kept: as the reader sent it where that shows no more than ``TrackReading/masked``
    /// would, else covered by us. Its name is as the reader sent it; ``MaskedSwipe`` looks at that.
    ///
    /// - Parameters:
    ///   - text: the reader's text, sentinels included, the LRC's place included where the reader sends it.
    ///   - track: which track it is of.
    ///   - readerShows: how many digits of the account number are true where zeros cover the others.
    public static func checked(
        _ text: some Collection<UInt8>, track: Int, readerShows: AccountNumber.Shown = .readerDefault
    ) -> String {
        let bytes = withUsualCover(text.map { $0 >= 0x20 && $0 < 0x7F ? $0 : TrackMask.cover })
        let isNoIssuer = isIssuerOfZeros(bytes)
        let filler = filler(of: bytes)
        var places = TrackMask.places(
            bytes, track: track, filler: filler, mayBeLicence: !isNoIssuer, namesAsSent: true)
        let hidden = bytes.indices.made { places.isVisible[$0] ? nil : bytes[$0] }
        if isCovered(hidden) {
            places.hideServiceCode()
            if filler == TrackMask.cover { return TrackMask.covered(bytes, places.isVisible) }
            if !areZerosDigits(hidden), hasNoStrayDigit(bytes, places) {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        return isNoIssuer ? opaque(bytes) : TrackMask.masked(bytes, track: track, readerShows: readerShows)
    }

    /// What of such a text a masked view may show: what stands in the places of which something may be shown, and the characters
    /// with which the reader covered the others.
    ///
    /// - Parameter bytes: what ``checked(_:track:readerShows:)`` made of the reader's text.
    static func places(_ bytes: [UInt8], track: Int) -> ShownPlaces {
        let filler = filler(of: bytes)
        var places = TrackMask.places(
            bytes, track: track, filler: filler, mayBeLicence: !isIssuerOfZeros(bytes))
        let bent = bentDigit(bytes, places)
        for place in bytes.indices where places.name?.contains(place) != true {
            if bytes[place] == TrackMask.cover || bytes[place] == UInt8(ascii: "0") {
                places.isVisible[place] = true
            }
        }
        if let bent { places.show(bent..<(bent + 1)) }
        return places
    }

    /// Whether all that must not be shown are fillers, but for the digit that a reader bends.
    private static func hasNoStrayDigit(_ bytes: [UInt8], _ places: ShownPlaces) -> Bool {
        let digits = bytes.indices.filter {
            !places.isVisible[$0] && bytes[$0].isDigit && bytes[$0] != UInt8(ascii: "0")
        }
        return digits.isEmpty || digits == bentDigit(bytes, places).map { [$0] }
    }

    /// The place of the digit that a reader bends so that the Luhn check still passes (MagTek property 0x07). It stands in the middle
    /// of the zeros; one beside the digits that the reader left is one digit more that it left.
    private static func bentDigit(_ bytes: [UInt8], _ places: ShownPlaces) -> Int? {
        guard let number = places.number else { return nil }
        let zero = UInt8(ascii: "0")
        let bent = number.dropFirst().dropLast().filter {
            !places.isVisible[$0] && bytes[$0].isDigit && bytes[$0] != zero
        }
        guard bent.count == 1, let place = bent.first, bytes[place - 1] == zero, bytes[place + 1] == zero,
            !places.isVisible[place - 1], !places.isVisible[place + 1]
        else { return nil }
        return place
    }

    /// Whether digits among what must not be shown are a number's own, since the reader covers with `*`. Few of these may be broken
    /// bytes, and one digit a bent one.
    private static func areZerosDigits(_ hidden: [UInt8]) -> Bool {
        let digits = hidden.count { $0.isDigit }
        let covers = hidden.count { $0 == TrackMask.cover }
        return min(digits, covers) >= AccountNumber.Shown.leastCovered
    }

    /// Whether the zeros with which a reader covered the number pass for a licence's issuer's, as they do behind 6360.
    private static func isIssuerOfZeros(_ bytes: [UInt8]) -> Bool {
        filler(of: bytes) == UInt8(ascii: "0") && LicenceTrack2.issuer(of: bytes) != nil
            && LicenceCover(track1: nil, track2: bytes, readerShows: .readerDefault) != .none
    }

    /// The text with nothing shown but its frame, for codings of which the reader may show too much: a licence's
    /// second track keeps the date of birth.
    public static func opaque(_ text: some Collection<UInt8>) -> String {
        let bytes = Array(text)
        return TrackMask.covered(bytes, TrackMask.framePlaces(bytes))
    }

    /// Whether the reader covered everything but the frame.
    public static func isOpaque(_ text: some Collection<UInt8>) -> Bool {
        let bytes = Array(text)
        return zip(bytes, TrackMask.framePlaces(bytes)).allSatisfy { byte, isVisible in
            isVisible || byte == TrackMask.cover || byte == UInt8(ascii: "0")
        }
    }

    /// Whether this text, which stands where one in clear is due, is one that a reader covered with `*`: of a payment track the
    /// account number, of any other everything but its frame.
    ///
    /// - Parameters:
    ///   - bytes: the track's text, sentinels included.
    ///   - track: which track it is of.
    public static func isCover(_ bytes: [UInt8], track: Int) -> Bool {
        guard bytes.contains(TrackMask.cover) else { return false }
        if track != 3, let payment = PaymentTrack(bytes, filler: TrackMask.cover) {
            return bytes[payment.number].contains(TrackMask.cover)
        }
        let places = TrackMask.places(bytes, track: track, filler: TrackMask.cover, namesAsSent: true)
        return isCovered(zip(bytes, places.isVisible).filter { !$0.1 }.map(\.0))
    }

    /// Whether a payment track is one that a reader covered with zeros, which pass for digits: the middle of its account
    /// number, but for one bent digit, its service code and all that follows. No issuer gives out a service code of zeros.
    ///
    /// - Parameter text: the track's text, sentinels included.
    public static func isZeroCover(_ text: some Collection<UInt8>) -> Bool {
        let bytes = Array(text)
        guard let payment = PaymentTrack(bytes, filler: UInt8(ascii: "0")),
            let serviceCode = payment.serviceCode
        else { return false }
        let shown = AccountNumber.Shown.most
        let middle = payment.number.dropFirst(shown.leading).dropLast(shown.trailing)
        let rest = bytes[serviceCode] + bytes[payment.discretionary]
        return isCovered(middle.map { bytes[$0] }) && rest.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    /// Whether these characters, which must not be shown, say nothing: all are fillers, but for one digit that a
    /// reader may bend so that the Luhn check still passes (MagTek property 0x07).
    static func isCovered(_ hidden: some Collection<UInt8>) -> Bool {
        var bent = 0
        for character in hidden where character != TrackMask.cover && character != UInt8(ascii: "0") {
            guard character.isDigit else { return false }
            bent += 1
        }
        return bent <= 1
    }

    /// Whether a track's text, in clear by its characters, is of a coding of which a reader covers the text: a payment track, or
    /// one with the number of an issuer of licences.
    public static func isOfCoveredKind(_ text: some Collection<UInt8>) -> Bool {
        let bytes = Array(text)
        return PaymentTrack(bytes) != nil || LicenceTrack2.issuer(of: bytes) != nil
    }

    /// The text with `*` where a reader covered it with some other character than that or `0` (MagTek property 07): of a payment
    /// track everything but the name may hold it.
    public static func withUsualCover(_ bytes: [UInt8]) -> [UInt8] {
        guard let filler = unusualFiller(of: bytes) else { return bytes }
        let marks = bytes.indices.filter { bytes[$0] == UInt8(ascii: "^") }
        var name = marks.count > 1 ? marks[0]..<marks[1] : 0..<0
        // A licence's is covered as well.
        if name.dropFirst().allSatisfy({ bytes[$0] == filler }) { name = 0..<0 }
        return bytes.indices.map { place in
            bytes[place] == filler && place > 0 && !name.contains(place) ? TrackMask.cover : bytes[place]
        }
    }

    /// What all of an account number's middle is; a few equal characters may be broken digits.
    private static func unusualFiller(of bytes: [UInt8]) -> UInt8? {
        let shown = AccountNumber.Shown.most
        let head = bytes.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "^") }.dropLast(
            shown.trailing)
        guard let filler = head.last, !filler.isDigit, filler != TrackMask.cover,
            head.suffix(AccountNumber.Shown.leastCovered).count(where: { $0 == filler })
                == AccountNumber.Shown.leastCovered
        else { return nil }
        return filler
    }

    /// The character that stands for what was covered: `*` where all of the account number's middle is that, else `0`.
    ///
    /// One `*` elsewhere says nothing: it may be of a name, or of a byte that was no character.
    static func filler(of bytes: [UInt8]) -> UInt8 {
        // Track 1's format code is none of the number's, and may be covered as well.
        let head = bytes.prefix { !isEnd($0) }.dropFirst(bytes.first == UInt8(ascii: "%") ? 2 : 1)
        let number = head.reversed().prefix { $0.isDigit || $0 == TrackMask.cover }
        let shown = AccountNumber.Shown.most
        let middle = number.dropFirst(shown.trailing).dropLast(shown.leading)
        let hidden = middle.isEmpty ? number[...] : middle
        return !hidden.isEmpty && hidden.allSatisfy { $0 == TrackMask.cover }
            ? TrackMask.cover : UInt8(ascii: "0")
    }

    private static func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "=") || byte == UInt8(ascii: "^") || byte == UInt8(ascii: "?")
    }
}
