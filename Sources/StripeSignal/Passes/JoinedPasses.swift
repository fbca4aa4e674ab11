import CardData

/// Reads a record of which neither of two passes has all.
struct JoinedPasses: Sendable {
    private let passes: [RefusedPass]
    private let formats: [StripeFormat]

    /// log2 of the readings of the two that were looked at before.
    private static let searchedBits = 8.0

    init(_ first: RefusedPass, _ second: RefusedPass, formats: [StripeFormat]) {
        passes = [first, second]
        self.formats = formats
    }

    /// Nil where nothing is right. Reversed is what the second pass read backward.
    func track() -> FoundTrack? {
        for isTurned in [false, true] {
            guard let joined = TwoPasses(passes[0], passes[1], isTurned: isTurned) else { continue }
            guard var track = track(joined) else { continue }
            track.isReversed = track.isReversed != isTurned
            return track
        }
        return nil
    }

    private func track(_ joined: TwoPasses) -> FoundTrack? {
        let soft = SoftBits(bits: joined.bits, reliability: joined.reliability)
        let search = FrameSearch(formats: formats, searchedBits: Self.searchedBits)
        let verdict = search.search(soft, repairs: false) { doubt(of: $0, joined, soft.bits.count) }
        // Two cards of one series may differ where each pass has its gap alone. A payment card's number has a check digit.
        guard case .found(let track) = verdict,
            !(track.format.track < 3 && PaymentTrack.isContradicted(track.text))
        else { return nil }
        return track
    }

    /// Whether a stretch that one pass alone has is whole, and the record bounded.
    private func doubt(of track: FoundTrack, _ joined: TwoPasses, _ count: Int) -> TrackRefusal? {
        let record = track.place(among: count)
        var start = 0
        for part in joined.parts {
            let place = (start..<start + part.place.count)
            start = place.upperBound
            let shared = place.clamped(to: record)
            guard !shared.isEmpty else { continue }
            let bits = joined.runs[part.pass][part.run]
            let moved = part.place.lowerBound - place.lowerBound
            let frame = bits.inTime(shared.lowerBound + moved..<shared.upperBound + moved)
            let surroundings = passes[part.pass].surroundings
            var doubts = RecordDoubts(run: bits.run, surroundings: surroundings)
            if doubts.seam(in: frame, as: track.format) != nil {
                return .ambiguous(.seam, atBit: track.place.lowerBound)
            }
            let isFirst = shared.lowerBound == record.lowerBound
            let isLast = shared.upperBound == record.upperBound
            let open = surroundings.openEnd(
                of: frame, in: bits.run, looksBefore: bits.isTurned ? isLast : isFirst,
                looksAfter: bits.isTurned ? isFirst : isLast)
            if open != nil { return .ambiguous(.piece, atBit: track.place.lowerBound) }
        }
        return nil
    }
}
