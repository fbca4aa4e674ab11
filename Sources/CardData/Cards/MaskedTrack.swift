/// One track as a masked view shows it.
struct MaskedTrack {
    private let track: Int
    /// The text that it is made from: the card's own, or what the reader sent in its place.
    private let bytes: [UInt8]
    private var places: ShownPlaces
    /// Whether the reader sent it masked: what was in the masked places is not known.
    let isCoveredByReader: Bool

    /// A run of a card's digits this long is never shown beyond the places that may be shown.
    static let secretRun = 5

    /// Nil where a track gave no text.
    init?(_ reading: TrackReading) {
        track = reading.track
        switch reading.outcome {
        case .read(let text), .repaired(let text, _):
            bytes = text.revealBytes()
            places = TrackMask.places(bytes, track: reading.track)
            isCoveredByReader = false
        case .encrypted(let masked):
            bytes = Array(ReaderCover.checked(masked.utf8, track: reading.track).utf8)
            places = ReaderCover.places(bytes, track: reading.track)
            isCoveredByReader = true
        case .empty, .refused:
            return nil
        }
    }

    /// A text in clear that a reader sent as a masked one: of its digits nothing is kept, so it is looked at by itself first.
    init(_ bytes: [UInt8], track: Int, _ places: ShownPlaces) {
        (self.bytes, self.track, self.places, isCoveredByReader) = (bytes, track, places, false)
        let secrets = secretsOfName(without: ownNumber).union(secretsOfData)
        if Self.shows(numberStart, secrets) { hideNumberStart(butFor: 0) }
    }

    /// The text as it may be shown; as long as the card's.
    var text: String { TrackMask.covered(bytes, places.isVisible) }

    /// Whether the account number is that of tracks 1 and 2, not one of track 3's own.
    var isOfCard: Bool { track != 3 }

    // MARK: - What is shown, and what is not

    /// The account number's digits that are shown at its start.
    var numberStart: [UInt8] { places.number.map { digits(shownStart(of: $0)) } ?? [] }

    /// The expiry date with the service code behind it, where both are shown and nothing stands between them.
    var expiryAndCode: [UInt8] {
        guard let expiry = places.expiry, let code = places.serviceCode, expiry.upperBound == code.lowerBound,
            places.isVisible[code.lowerBound]
        else { return [] }
        return digits(expiry.lowerBound..<code.upperBound)
    }

    mutating func hideNumberStart(butFor digits: Int) {
        guard let number = places.number else { return }
        let start = shownStart(of: number)
        places.hide(min(start.lowerBound + digits, start.upperBound)..<start.upperBound)
    }

    mutating func hideServiceCode() { places.hideServiceCode() }

    /// Whether it has a service code that is not shown.
    var hidesServiceCode: Bool { places.serviceCode.map { !places.isVisible[$0.lowerBound] } ?? false }

    /// The places at a number's start that are shown, no more than may be: fillers behind them are none.
    private func shownStart(of number: Range<Int>) -> Range<Int> {
        let most = number.prefix(AccountNumber.Shown.most.leading)
        let end = most.first { !places.isVisible[$0] || bytes[$0] == TrackMask.cover } ?? most.endIndex
        return number.lowerBound..<end
    }

    private func digits(_ range: Range<Int>) -> [UInt8] { bytes[range].filter(\.isDigit) }

    /// Whether both have the same account number; one that a reader covered is the same where both show the same.
    func hasNumber(of other: MaskedTrack) -> Bool {
        guard let number = places.number, let others = other.places.number else { return false }
        let pairs = Array(
            zip(bytes[number].filter { $0 != 0x20 }, other.bytes[others].filter { $0 != 0x20 }))
        let known = pairs.filter { $0 != TrackMask.cover && $1 != TrackMask.cover }
        return number.count == others.count && known.count >= AccountNumber.Shown.leastCovered
            && known.allSatisfy { $0 == $1 }
    }

    /// The hidden digits of the name.
    func secretsOfName(without own: [UInt8]) -> Set<Int> {
        places.name.map { secrets($0, without: own) } ?? []
    }

    /// The hidden digits of what stands behind the account number and the name, where these are enough for a second number. The
    /// expiry date and the service code count with them: it may begin there. Zeros alone are padding.
    var secretsOfData: Set<Int> {
        guard let number = places.number else { return [] }
        let start = places.name?.upperBound ?? number.upperBound
        let data = bytes[start...].count(where: \.isDigit)
        guard data >= PaymentTrack.shortestNumber else { return [] }
        return secrets(start..<bytes.endIndex, without: ownNumber).subtracting([0])
    }

    /// The hidden digits of the account number.
    var secretsOfNumber: Set<Int> { places.number.map { secrets($0, without: []) } ?? [] }

    /// All hidden digits of a track with another number or of no known kind. In the latter the own number may stand behind others;
    /// where it is a piece of another number, that one's digits are no less hidden.
    func secrets(without own: [UInt8]) -> Set<Int> {
        secrets(bytes.indices, without: places.number == nil ? own : [])
    }

    /// The hidden digits of a track in which nothing is recognised.
    var secretsOfUnknownKind: Set<Int> { places.number == nil ? secrets(bytes.indices, without: []) : [] }

    /// Whether digits of the account number, or of a text of no known kind, are covered in what the reader sent, or in what was kept of
    /// it: nobody can say which they are.
    var hidesUnknownDigits: Bool {
        guard isCoveredByReader else { return false }
        return bytes[places.number ?? bytes.startIndex..<bytes.endIndex].count { $0 == TrackMask.cover }
            >= AccountNumber.Shown.leastCovered
    }

    var ownNumber: [UInt8] { places.number.map(digits) ?? [] }

    /// Runs of ``secretRun`` digits, signs among them left out, of which at least one is hidden. Where an account number is
    /// repeated, its start says no more than the number's own.
    private func secrets(_ range: Range<Int>, without own: [UInt8]) -> Set<Int> {
        let places = range.filter { bytes[$0].isDigit }
        var runs: Set<Int> = []
        var index = 0
        while index + Self.secretRun <= places.count {
            if isWhole(own, places[index...].prefix(own.count)) {
                index += own.count
                continue
            }
            let run = places[index..<(index + Self.secretRun)]
            if run.contains(where: { !self.places.isVisible[$0] }) {
                runs.insert(Self.value(run.map { bytes[$0] }))
            }
            index += 1
        }
        return runs
    }

    /// Whether an account number stands at these places, and is no piece of a longer one. On track 3 a format code may stand in front.
    private func isWhole(_ number: [UInt8], _ places: ArraySlice<Int>) -> Bool {
        guard number.count >= PaymentTrack.shortestNumber, let first = places.first, let last = places.last,
            places.elementsEqual(number, by: { bytes[$0] == $1 })
        else { return false }
        let isFirst = first == 0 || !bytes[first - 1].isDigit || track == 3 && first == 3
        return isFirst && (last + 1 == bytes.count || !bytes[last + 1].isDigit)
    }

    /// Whether digits that are shown hold a run that is hidden elsewhere.
    static func shows(_ digits: [UInt8], _ secrets: Set<Int>) -> Bool {
        guard !secrets.isEmpty, digits.count >= secretRun else { return false }
        return (0...(digits.count - secretRun)).contains {
            secrets.contains(value(Array(digits[$0..<($0 + secretRun)])))
        }
    }

    private static func value(_ digits: [UInt8]) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
