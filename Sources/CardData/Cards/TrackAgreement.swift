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
        let numbered = tracks.filter { $0.hasNumber }
        let first = numbered.first { $0.isOfCard } ?? numbered.first
        guard let first, numbered.allSatisfy({ !$0.isOfCard || $0.mayHaveNumber(of: first) }) else {
            (own, numberStart, showsServiceCode, showsOtherNumber) = (nil, 0, false, false)
            return
        }
        own = first
        // A reader may be set to show less of one track than of another.
        let twins = numbered.filter { $0.mayHaveNumber(of: first) }
        let least = twins.map { $0.numberStart.count }.min() ?? 0
        let numbers = [first] + numbered.filter { !$0.mayHaveNumber(of: first) }
        if Self.contradict(tracks, numbers) {
            (numberStart, showsServiceCode, showsOtherNumber) = (0, false, false)
        } else if Self.mayContradict(tracks, of: first) {
            numberStart = min(least, MaskedSwipe.secretRun - 1)
            (showsServiceCode, showsOtherNumber) = (false, true)
        } else {
            (numberStart, showsServiceCode, showsOtherNumber) = (least, true, true)
        }
    }

    /// Whether what is shown is a piece of what is hidden: a number's first digits, an expiry date with its service code, an end of
    /// one number in the middle of another.
    private static func contradict(_ tracks: [MaskedTrack], _ numbers: [MaskedTrack]) -> Bool {
        func hide(_ runs: [Int], besides number: MaskedTrack?) -> Bool {
            !runs.isEmpty
                && tracks.contains { $0.hides(anyOf: runs, of: MaskedSwipe.secretRun, besides: number) }
        }
        // What every honest card has on two tracks is looked for once.
        var codes: [Int] = []
        for track in tracks {
            for run in runs(track.expiryAndCode) where !codes.contains(run) { codes.append(run) }
        }
        // A number may repeat its own first digits, and hides nothing by that.
        return numbers.contains { hide(runs($0.numberStart), besides: $0) } || hide(codes, besides: nil)
            || numbers.contains { number in numbers.contains { $0.hidesEnd(of: number) } }
    }

    private static func runs(_ shown: [UInt8]) -> [Int] {
        MaskedTrack.runs(shown, of: MaskedSwipe.secretRun)
    }

    /// Whether a reader masked a text, and not all that there is has the one number: what it masked may contradict what is shown,
    /// and nobody here knows.
    private static func mayContradict(_ tracks: [MaskedTrack], of own: MaskedTrack) -> Bool {
        let sent = tracks.filter { !$0.isBlank }
        return sent.contains { $0.isCoveredByReader }
            && !sent.allSatisfy { $0.isCoveredByReader && $0.mayHaveNumber(of: own) }
    }
}
