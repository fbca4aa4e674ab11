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
    private static let separators: [UInt8] = [UInt8(ascii: "^"), UInt8(ascii: "=")]

    static func masked(_ bytes: [UInt8], track: Int) -> String {
        let visible = visiblePlaces(bytes, track: track)
        let shown = bytes.indices.map { visible.contains($0) ? bytes[$0] : cover }
        return String(decoding: shown, as: UTF8.self)
    }

    /// The places that may be shown.
    static func visiblePlaces(_ bytes: [UInt8], track: Int, filler: UInt8? = nil) -> Set<Int> {
        if LicenceTrack2.hasIssuer(bytes) {
            return framePlaces(bytes).union(1...LicenceTrack2.issuerDigits)
        }
        if track != 3, let payment = PaymentTrack(bytes, filler: filler) { return places(of: payment) }
        if track == 3, let number = thriftNumber(bytes, filler: filler) {
            return framePlaces(bytes).union(ends(of: number))
        }
        return framePlaces(bytes)
    }

    /// Sentinels and separators.
    static func framePlaces(_ bytes: [UInt8]) -> Set<Int> {
        var places = Set(bytes.indices.filter { separators.contains(bytes[$0]) })
        if let first = bytes.first, sentinels.contains(first) { places.insert(0) }
        // Readers that send the LRC's place put one character behind the end sentinel.
        if let end = bytes.lastIndex(of: UInt8(ascii: "?")), end > 0, bytes.count - end <= 2 {
            places.insert(end)
        }
        return places
    }

    private static let sentinels = [
        UInt8(ascii: "%"), UInt8(ascii: ";"), UInt8(ascii: "#"), UInt8(ascii: "+"),
    ]

    private static func places(of payment: PaymentTrack) -> Set<Int> {
        var places = framePlaces(payment.bytes).union(ends(of: payment.number))
        if payment.name != nil { places.insert(1) }
        for field in [payment.name, payment.expiry, payment.serviceCode] {
            if let field { places.formUnion(field) }
        }
        return places
    }

    private static func ends(of number: Range<Int>) -> [Int] {
        let shown = AccountNumber.Shown.most.limited(toLength: number.count)
        return Array(number.prefix(shown.leading)) + Array(number.suffix(shown.trailing))
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
