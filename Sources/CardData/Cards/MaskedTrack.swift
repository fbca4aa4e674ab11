/// One track as a masked view shows it.
struct MaskedTrack {
    private let track: Int
    /// The text that it is made from: the card's own, or what the reader sent in its place.
    private let bytes: [UInt8]
    private var places: ShownPlaces
    /// With which character the reader masked it, so that what was there is not known; nil for a text in clear.
    private let filler: UInt8?
    /// Whether the track gave a text: one that gave none is as a blank one to the others.
    private let hasText: Bool
    /// How many characters the account number has, spaces not counted.
    private let numberLength: Int

    init(_ reading: TrackReading) {
        track = reading.track
        switch reading.outcome {
        case .read(let text), .repaired(let text, _):
            bytes = text.revealBytes()
            places = TrackMask.places(bytes, track: reading.track)
            (filler, hasText) = (nil, true)
        case .encrypted(let masked):
            bytes = Array(ReaderCover.checked(masked.utf8, track: reading.track).utf8)
            places = ReaderCover.places(bytes, track: reading.track)
            (filler, hasText) = (ReaderCover.filler(of: bytes), true)
        case .empty, .refused:
            (bytes, places, filler, hasText) = ([], ShownPlaces(isVisible: []), nil, false)
        }
        numberLength = Self.numberCharacters(bytes, places).count
    }

    /// A text in clear that a reader sent as a masked one.
    init(_ bytes: [UInt8], track: Int, _ places: ShownPlaces) {
        (self.bytes, self.track, self.places, filler, hasText) = (bytes, track, places, nil, true)
        numberLength = Self.numberCharacters(bytes, places).count
    }

    /// The text as it may be shown, as long as the card's; nil where the track gave none.
    var text: String? { hasText ? TrackMask.covered(bytes, places.isVisible) : nil }

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

    /// The account number's, spaces among them left out.
    private var numberCharacters: LazyFilterSequence<ArraySlice<UInt8>> {
        Self.numberCharacters(bytes, places)
    }

    private static func numberCharacters(_ bytes: [UInt8], _ places: ShownPlaces)
        -> LazyFilterSequence<ArraySlice<UInt8>>
    {
        bytes[places.number ?? 0..<0].lazy.filter { $0 != UInt8(ascii: " ") }
    }

    /// Whether nothing was sent of it.
    var isBlank: Bool { bytes.isEmpty }

    /// Whether it has an account number.
    var hasNumber: Bool { places.number != nil }

    /// Whether that number is the one of tracks 1 and 2, not one of track 3's own.
    var isOfCard: Bool { track != 3 }

    /// The account number's digits that are shown at its start.
    var numberStart: DigitsOfTrack {
        DigitsOfTrack(bytes[places.number.map(shownStart) ?? 0..<0])
    }

    /// The last of the account number's digits that may be shown.
    private var numberEnd: DigitsOfTrack {
        DigitsOfTrack(bytes[places.number ?? 0..<0].suffix(AccountNumber.Shown.most.trailing))
    }

    /// The expiry date with the service code behind it, where both are shown and nothing stands between them.
    var expiryAndCode: DigitsOfTrack {
        guard let expiry = places.expiry, let code = places.serviceCode, expiry.upperBound == code.lowerBound,
            places.isVisible[code.lowerBound]
        else { return DigitsOfTrack([]) }
        return DigitsOfTrack(bytes[expiry.lowerBound..<code.upperBound])
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
        guard numberLength == other.numberLength else { return false }
        let (number, others) = (numberCharacters, other.numberCharacters)
        guard isCoveredByReader || other.isCoveredByReader else { return number.elementsEqual(others) }
        let (ends, length) = (AccountNumber.Shown.readerDefault, numberLength)
        return zip(number, others).enumerated().allSatisfy { place, pair in
            let isInMiddle = place >= ends.leading && place < length - ends.trailing
            return isInMiddle || pair.0 == pair.1 || isFiller(pair.0) || other.isFiller(pair.1)
        }
    }

    private func isFiller(_ byte: UInt8) -> Bool { byte == TrackMask.cover || byte == filler }

    /// Whether one of these runs is in the text, signs among its digits left out, with at least one of them hidden; those of one
    /// account number left out as well. Zeros alone are padding.
    func hides(anyOf runs: DigitRuns, besides other: MaskedTrack?) -> Bool {
        let number = other.flatMap { mayHaveNumber(of: $0) ? places.number : nil }
        return hides(anyOf: runs, in: bytes.indices, without: number ?? 0..<0)
    }

    /// Whether an end of another account number is in the middle of this one.
    func hidesEnd(of other: MaskedTrack) -> Bool {
        guard let number = places.number, other.hasNumber, !mayHaveNumber(of: other) else { return false }
        var runs = DigitRuns(of: AccountNumber.Shown.most.trailing)
        runs.add(other.numberStart)
        runs.add(other.numberEnd)
        return hides(anyOf: runs, in: number, without: 0..<0)
    }

    /// - Parameter left: places that are passed by, as if what is before them were next to what is behind.
    private func hides(anyOf runs: DigitRuns, in all: Range<Int>, without left: Range<Int>) -> Bool {
        guard !runs.isEmpty else { return false }
        let (bytes, isVisible) = (bytes.span, places.isVisible.span)
        var window = DigitWindow(runs.length)
        // How many digits were shown since the last that is hidden.
        var shown = runs.length
        for place in all where bytes[place].isDigit && !left.contains(place) {
            shown = isVisible[place] ? shown + 1 : 0
            let value = window.next(bytes[place])
            if shown < runs.length, window.isFull, value != 0, runs.contains(value) { return true }
        }
        return false
    }
}
