import CardData
import ReaderKit
import ReaderPackets

/// Whether texts are of two cards, where a pause or an end between them was lost.
package enum TwoCards {
    /// Whether a line begins the next card: with the `%` of a first track where such a one is there already, but for a licence's third;
    /// or as a bank's second track where such a one is there. The number is looked at: a third track begins as a second one does, and
    /// has two digits in front of it, 00 among them, which leaves the check digit right (ISO/IEC 4909).
    package static func begins(_ line: [UInt8], behind lines: [UInt8]) -> Bool {
        guard let first = line.first, lines.contains(first) else { return false }
        if first == UInt8(ascii: "%"), !LicenceLines.isThirdTrack(line, of: lines) { return true }
        return isPayment(TrackTextCheck.outcome(line, track: first == UInt8(ascii: "%") ? 1 : 2))
    }

    /// Whether a swipe's tracks are: a bank's second track in the place of the third, or a track that begins within a track. All of the
    /// swipe is refused then: a track that is left out would take with it what the others must not show.
    static func are(in tracks: [TrackReading]) -> Bool {
        tracks.contains { $0.track == 3 && isPayment($0.outcome) || holdsTrack($0) }
    }

    private static func isPayment(_ outcome: TrackOutcome) -> Bool {
        let track = TrackReading(track: 1, outcome: outcome)
        let number = track.text?.withRevealedBytes { $0.first } == UInt8(ascii: "%") ? 1 : 2
        guard case .payment(let card)? = Card.recognise([TrackReading(track: number, outcome: outcome)])
        else { return false }
        return card.pan.passesLuhn == true && card.expiry != nil && !beginsAsThirdTrack(card.pan)
    }

    /// No number of a payment card begins with 0 or 1.
    private static func beginsAsThirdTrack(_ pan: AccountNumber) -> Bool {
        pan.masked.hasPrefix("0") || pan.masked.hasPrefix("1")
    }

    /// Tracks 2 and 3 have no `;` in their data; the first track's alphabet has both sentinels, but no account number behind them.
    private static func holdsTrack(_ track: TrackReading) -> Bool {
        track.text?.withRevealedBytes { text -> Bool in
            let inside = Array(text.dropFirst())
            return switch text.first {
            case UInt8(ascii: ";"): inside.contains(UInt8(ascii: ";"))
            case UInt8(ascii: "%"): inside.indices.contains { TrackScan.isNumbered(inside[$0...]) }
            case _: false
            }
        } ?? false
    }
}
