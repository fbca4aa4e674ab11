import CardData

/// Reads a record of which neither of two passes has all.
struct JoinedPasses: Sendable {
    private let passes: [RefusedPass]
    private let reader: SwipeReader

    /// log2 of the readings of the two that were looked at before.
    private static let searchedBits = 8.0

    init(_ first: RefusedPass, _ second: RefusedPass, _ reader: SwipeReader) {
        passes = [first, second]
        self.reader = reader
    }

    /// All that is right; its direction is the second pass's.
    func tracks() -> [FoundTrack] {
        [false, true].compactMap { isTurned in
            guard let joined = TwoPasses(passes[0], passes[1], isTurned: isTurned),
                var track = track(joined)
            else { return nil }
            track.isReversed = track.isReversed != isTurned
            return track
        }
    }

    private func track(_ joined: TwoPasses) -> FoundTrack? {
        let soft = SoftBits(bits: joined.bits, reliability: joined.reliability)
        let search = FrameSearch(formats: reader.options.formats, searchedBits: Self.searchedBits)
        let verdict = search.search(soft, repairs: false) { doubt(of: $0, joined) }
        // Two cards of one series may differ where each pass has its gap alone. A payment card's number has a check digit.
        guard case .found(let track) = verdict,
            !(track.format.track < 3 && PaymentTrack.isContradicted(track.text))
        else { return nil }
        return track
    }

    /// What would be asked of a record in one pass, asked of each pass for what it has of this one.
    private func doubt(of track: FoundTrack, _ joined: TwoPasses) -> TrackRefusal? {
        let record = track.place(among: joined.bits.count)
        // What bounds the record is seen best where one has most beyond its end.
        let first = joined.shares.filter { $0.joined.contains(record.lowerBound) }
            .map(\.joined.lowerBound).min()
        let last = joined.shares.filter { $0.joined.contains(record.upperBound - 1) }
            .map(\.joined.upperBound).max()
        for share in joined.shares {
            let shared = share.joined.clamped(to: record)
            guard !shared.isEmpty else { continue }
            let bits = joined.runs[share.pass][share.run]
            let moved = share.place.lowerBound - share.joined.lowerBound
            let frame = bits.inTime(shared.lowerBound + moved..<shared.upperBound + moved)
            let isFirst = share.joined.lowerBound == first
            let isLast = share.joined.upperBound == last
            let doubt = doubt(
                of: frame, in: bits.run, passes[share.pass], track.format,
                looksBefore: bits.isTurned ? isLast : isFirst, looksAfter: bits.isTurned ? isFirst : isLast)
            if let doubt { return .ambiguous(doubt, atBit: track.place.lowerBound) }
        }
        return nil
    }

    /// - Parameter frame: in the order of time.
    private func doubt(
        of frame: Range<Int>, in run: IntervalClock.Run, _ pass: RefusedPass, _ format: StripeFormat,
        looksBefore: Bool, looksAfter: Bool
    ) -> TrackRefusal.Doubt? {
        let surroundings = pass.surroundings
        let open = surroundings.openEnd(
            of: frame, in: run, looksBefore: looksBefore, looksAfter: looksAfter)
        guard open == nil else { return .piece }
        var doubts = RecordDoubts(run: run, surroundings: surroundings)
        guard !doubts.isTooFast(frame) else { return .unsureBits }
        guard doubts.seam(in: frame, as: format) == nil,
            reader.waveformSeam(in: pass.samples, reader.withoutBaseline(pass.samples), run, frame) == nil
        else { return .seam }
        return nil
    }
}
