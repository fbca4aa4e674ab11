/// One track as a masked view shows it.
struct MaskedTrack {
    private let track: Int
    /// The text that it is made from: the card's own, or what the reader sent in its place.
    private let bytes: [UInt8]
    private var places: ShownPlaces
    /// With which character the reader masked it, so that what was there is not known; nil for a text in clear.
    private let filler: UInt8?

    /// Nil where a track gave no text.
    init?(_ reading: TrackReading) {
        track = reading.track
        switch reading.outcome {
        case .read(let text), .repaired(let text, _):
            bytes = text.revealBytes()
            places = TrackMask.places(bytes, track: reading.track)
            filler = nil
        case .encrypted(let masked):
            bytes = Array(ReaderCover.checked(masked.utf8, track: reading.track).utf8)
            places = ReaderCover.places(bytes, track: reading.track)
            filler = ReaderCover.filler(of: bytes)
        case .empty, .refused:
            return nil
        }
    }

    /// A text in clear that a reader sent as a masked one.
    init(_ bytes: [UInt8], track: Int, _ places: ShownPlaces) {
        (self.bytes, self.track, self.places, filler) = (bytes, track, places, nil)
    }

    /// The text as it may be shown; as long as the card's.
    var text: String { TrackMask.covered(bytes, places.isVisible) }

    /// Hides what all tracks together do not let be shown.
    mutating func show(by agreement: TrackAgreement) {
        if !agreement.showsServiceCode, let code = places.serviceCode { hide(code) }
        guard let number = places.number else { return }
        guard let own = agreement.own, agreement.showsOtherNumber || mayHaveNumber(of: own) else {
            return places.hide(number)
        }
        hide(shownStart(of: number).dropFirst(agreement.numberStart))
    }

    /// Hides digits; a reader's fillers are none.
    private mutating func hide(_ range: Range<Int>) {
        for place in range where !isFiller(bytes[place]) { places.hide(place..<(place + 1)) }
    }

    var isCoveredByReader: Bool { filler != nil }

    /// Whether nothing was sent of it.
    var isBlank: Bool { bytes.isEmpty }

    /// Whether it has an account number.
    var hasNumber: Bool { places.number != nil }

    /// Whether that number is the one of tracks 1 and 2, not one of track 3's own.
    var isOfCard: Bool { track != 3 }

    /// The account number's digits that are shown at its start.
    var numberStart: [UInt8] { places.number.map { bytes[shownStart(of: $0)].filter(\.isDigit) } ?? [] }

    /// The expiry date with the service code behind it, where both are shown and nothing stands between them.
    var expiryAndCode: [UInt8] {
        guard let expiry = places.expiry, let code = places.serviceCode, expiry.upperBound == code.lowerBound,
            places.isVisible[code.lowerBound]
        else { return [] }
        return bytes[expiry.lowerBound..<code.upperBound].filter(\.isDigit)
    }

    /// Whether it has a service code that is not shown.
    var hidesServiceCode: Bool { places.serviceCode.map { !places.isVisible[$0.lowerBound] } ?? false }

    /// The places at a number's start that are shown, no more than may be: fillers behind them are none.
    private func shownStart(of number: Range<Int>) -> Range<Int> {
        let most = number.prefix(AccountNumber.Shown.most.leading)
        let end = most.first { !places.isVisible[$0] || bytes[$0] == TrackMask.cover } ?? most.endIndex
        return number.lowerBound..<end
    }

    /// Whether both can have the same account number. Where a reader covered one, only the digits that every reader leaves are
    /// compared: the others are fillers, and one of them a bent digit.
    func mayHaveNumber(of other: MaskedTrack) -> Bool {
        let (number, others) = (numberCharacters, other.numberCharacters)
        guard isCoveredByReader || other.isCoveredByReader else { return number == others }
        let ends = AccountNumber.Shown.readerDefault
        return number.count == others.count
            && (Array(zip(number, others).prefix(ends.leading)) + zip(number, others).suffix(ends.trailing))
                .allSatisfy { $0 == $1 || isFiller($0) || other.isFiller($1) }
    }

    private var numberCharacters: [UInt8] { places.number.map { bytes[$0].filter { $0 != 0x20 } } ?? [] }

    private func isFiller(_ byte: UInt8) -> Bool { byte == TrackMask.cover || byte == filler }

    /// Runs of so many digits of the text, signs among them left out, of which at least one is hidden; those of one account number
    /// left out as well. Zeros alone are padding.
    func hiddenRuns(of length: Int, besides other: MaskedTrack?) -> Set<Int> {
        let number = other.flatMap { mayHaveNumber(of: $0) ? places.number : nil }
        return hiddenRuns(of: length, in: bytes.indices.filter { number?.contains($0) != true })
    }

    /// Whether an end of another account number is in the middle of this one.
    func hidesEnd(of other: MaskedTrack) -> Bool {
        guard let number = places.number, let others = other.places.number, !mayHaveNumber(of: other) else {
            return false
        }
        let length = AccountNumber.Shown.most.trailing
        let ends = [other.numberStart, other.bytes[others].suffix(length).filter(\.isDigit)]
        let hidden = hiddenRuns(of: length, in: Array(number))
        return ends.contains { !hidden.isDisjoint(with: Self.runs($0, of: length)) }
    }

    private func hiddenRuns(of length: Int, in places: [Int]) -> Set<Int> {
        let digits = Self.windows(places.filter { bytes[$0].isDigit }, length)
        let hidden = digits.filter { $0.contains { !self.places.isVisible[$0] } }
        return Set(hidden.map { Self.value($0.map { bytes[$0] }) }).subtracting([0])
    }

    /// The runs of so many of these digits.
    static func runs(_ digits: [UInt8], of length: Int) -> Set<Int> {
        Set(windows(digits, length).map(value))
    }

    private static func windows<Element>(_ elements: [Element], _ length: Int) -> [ArraySlice<Element>] {
        (0..<max(elements.count - length + 1, 0)).map { elements[$0..<($0 + length)] }
    }

    private static func value(_ digits: some Sequence<UInt8>) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
