/// What the tracks of a swipe, looked at together, let be shown of their digits: one rule for all of them.
///
/// What one track shows may be what another hides: a second number that begins in the middle of the first, an expiry date and a
/// service code that are a piece of it. No honest card has that. So a swipe whose tracks contradict each other shows of its
/// digits the last four of the card's own number and the expiry date, and nobody has to say what could be computed from the rest.
struct TrackAgreement {
    /// The track that has the card's own number; nil where there is none, or where tracks 1 and 2 have different ones.
    let own: MaskedTrack?
    /// How many of a number's first digits are shown at most.
    let numberStart: Int
    let showsServiceCode: Bool
    /// Whether a number of track 3's own is shown as the card's is.
    let showsOtherNumber: Bool

    init(_ tracks: [MaskedTrack]) {
        let first = tracks.first { $0.hasNumber && $0.isOfCard } ?? tracks.first { $0.hasNumber }
        guard let first,
            tracks.allSatisfy({ !$0.hasNumber || !$0.isOfCard || $0.mayHaveNumber(of: first) })
        else {
            (own, numberStart, showsServiceCode, showsOtherNumber) = (nil, 0, false, false)
            return
        }
        own = first
        let others = tracks.filter { $0.hasNumber && !$0.mayHaveNumber(of: first) }
        if Self.contradict(tracks, first, others) {
            (numberStart, showsServiceCode, showsOtherNumber) = (0, false, false)
            return
        }
        // A reader may be set to show less of one track than of another.
        let least = tracks.reduce(AccountNumber.Shown.most.leading) { least, track in
            track.hasNumber && track.mayHaveNumber(of: first) ? min(least, track.numberStart.count) : least
        }
        let isUnsure = Self.mayContradict(tracks, of: first)
        numberStart = isUnsure ? min(least, MaskedSwipe.secretRun - 1) : least
        (showsServiceCode, showsOtherNumber) = (!isUnsure, true)
    }

    /// Whether what is shown is a piece of what is hidden: a number's first digits, an expiry date with its service code, an end of
    /// one number in the middle of another.
    ///
    /// - Parameters:
    ///   - own: the track that has the card's own number.
    ///   - others: the tracks that have another.
    private static func contradict(_ tracks: [MaskedTrack], _ own: MaskedTrack, _ others: [MaskedTrack])
        -> Bool
    {
        // A number may repeat its own first digits, and hides nothing by that.
        func isStartHidden(_ number: MaskedTrack) -> Bool {
            var runs = DigitRuns(of: MaskedSwipe.secretRun)
            runs.add(number.numberStart)
            return tracks.contains { $0.hides(anyOf: runs, besides: number) }
        }
        func isEndHidden(_ number: MaskedTrack) -> Bool {
            own.hidesEnd(of: number) || others.contains { $0.hidesEnd(of: number) }
        }
        var codes = DigitRuns(of: MaskedSwipe.secretRun)
        for track in tracks { codes.add(track.expiryAndCode) }
        return isStartHidden(own) || tracks.contains { $0.hides(anyOf: codes, besides: nil) }
            || !others.isEmpty && (others.contains(where: isStartHidden) || isEndHidden(own))
            || others.contains(where: isEndHidden)
    }

    /// Whether a reader masked a text, and not all that there is has the one number: what it masked may contradict what is shown,
    /// and nobody here knows.
    private static func mayContradict(_ tracks: [MaskedTrack], of own: MaskedTrack) -> Bool {
        tracks.contains { $0.isCoveredByReader && !$0.isBlank }
            && !tracks.allSatisfy { $0.isBlank || $0.isCoveredByReader && $0.mayHaveNumber(of: own) }
    }
}
