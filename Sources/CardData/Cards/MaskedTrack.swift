/// One track as a masked view shows it.
struct MaskedTrack {
    private let track: Int
    /// The text that it is made from: the card's own, or what the reader sent in its place.
    private let bytes: [UInt8]
    private var places: ShownPlaces
    /// With which character the reader masked it, so that what was there is not known; nil for a text in clear.
    private let filler: UInt8?
    /// The account number's, spaces among them left out.
    private let numberCharacters: [UInt8]

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
        numberCharacters = Self.numberCharacters(bytes, places)
    }

    /// A text in clear that a reader sent as a masked one.
    init(_ bytes: [UInt8], track: Int, _ places: ShownPlaces) {
        (self.bytes, self.track, self.places, filler) = (bytes, track, places, nil)
        numberCharacters = Self.numberCharacters(bytes, places)
    }

    private static func numberCharacters(_ bytes: [UInt8], _ places: ShownPlaces) -> [UInt8] {
        places.number.map { some(of: bytes[$0]) { $0 != 0x20 } } ?? []
    }

    /// One block of memory for all of them.
    private static func some(of bytes: ArraySlice<UInt8>, _ isWanted: (UInt8) -> Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes where isWanted(byte) { result.append(byte) }
        return result
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
    var numberStart: [UInt8] {
        places.number.map { Self.some(of: bytes[shownStart(of: $0)]) { $0.isDigit } } ?? []
    }

    /// The expiry date with the service code behind it, where both are shown and nothing stands between them.
    var expiryAndCode: [UInt8] {
        guard let expiry = places.expiry, let code = places.serviceCode, expiry.upperBound == code.lowerBound,
            places.isVisible[code.lowerBound]
        else { return [] }
        return Self.some(of: bytes[expiry.lowerBound..<code.upperBound]) { $0.isDigit }
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

    private func isFiller(_ byte: UInt8) -> Bool { byte == TrackMask.cover || byte == filler }

    /// Whether one of these runs of so many digits is in the text, signs among them left out, with at least one of them hidden;
    /// those of one account number left out as well. Zeros alone are padding.
    func hides(anyOf runs: [Int], of length: Int, besides other: MaskedTrack?) -> Bool {
        let number = other.flatMap { mayHaveNumber(of: $0) ? places.number : nil }
        return hides(anyOf: runs, of: length, in: bytes.indices, without: number ?? 0..<0)
    }

    /// Whether an end of another account number is in the middle of this one.
    func hidesEnd(of other: MaskedTrack) -> Bool {
        guard let number = places.number, let others = other.places.number, !mayHaveNumber(of: other) else {
            return false
        }
        let length = AccountNumber.Shown.most.trailing
        let end = Self.some(of: other.bytes[others].suffix(length)) { $0.isDigit }
        return hides(
            anyOf: Self.runs(other.numberStart, of: length) + Self.runs(end, of: length), of: length,
            in: number, without: 0..<0)
    }

    /// - Parameter left: places that are passed by, as if what is before them were next to what is behind.
    private func hides(
        anyOf runs: [Int], of length: Int, in all: Range<Int>, without left: Range<Int>
    ) -> Bool {
        var window = DigitWindow(length)
        // How many digits were shown since the last that is hidden.
        var shown = length
        for place in all where bytes[place].isDigit && !left.contains(place) {
            shown = places.isVisible[place] ? shown + 1 : 0
            guard let value = window.next(bytes[place]), shown < length, value != 0 else { continue }
            if runs.contains(value) { return true }
        }
        return false
    }

    /// The runs of so many of these digits.
    static func runs(_ digits: [UInt8], of length: Int) -> [Int] {
        guard digits.count >= length else { return [] }
        var window = DigitWindow(length)
        var runs: [Int] = []
        runs.reserveCapacity(digits.count - length + 1)
        for digit in digits { if let run = window.next(digit) { runs.append(run) } }
        return runs
    }
}

/// The last so many digits, as a number with four bits for each: no division for each digit of a card.
private struct DigitWindow {
    private let length: Int
    private let mask: Int
    private var (value, count) = (0, 0)

    /// - Parameter length: 15 at most.
    init(_ length: Int) {
        self.length = length
        mask = 1 << (4 * length) - 1
    }

    /// Nil until there are so many.
    mutating func next(_ digit: UInt8) -> Int? {
        value = (value << 4 | Int(digit - UInt8(ascii: "0"))) & mask
        count += 1
        return count >= length ? value : nil
    }
}
