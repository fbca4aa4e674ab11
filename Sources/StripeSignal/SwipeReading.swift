import CardData

/// What has been read of a swipe so far.
struct SwipeReading: Sendable {
    var runs: [IntervalClock.Run] = []
    var pulses: [FluxReversal] = []
    /// Those of them that were put back where a pair was lost.
    var putBack: [LostPairs.Found] = []
    var signal: [Float] = []
    /// The signal in which the pulses were found.
    var smoothed: [Float] = []
    /// Whether what the way to the head made of its pulses was undone.
    var isEqualized = false
    var score = 0.0
    /// Power of the noise round the swipe, and of what is left of it in the smoothed signal.
    var noise: Float = 0
    var smoothedNoise: Float = 0
    /// The samples as they came, but for their baseline, and the power of the noise round them; for the trace alone.
    var heard: [Float] = []
    var heardNoise: Float = 0
    var track: FoundTrack?
    /// Which run the track was found in.
    var trackRun = 0
    var refusal = TrackRefusal.noStartSentinel
    /// Where in the samples the refusal's bit is.
    var refusedAt: Double?
    /// Whether a text of it was refused for a seam in its clock.
    var isSeamed = false
    /// Where stretches between a card's stops were put together, in samples.
    var join: ClosedRange<Double>?

    /// What the runs that may be records are worth. In the silence round a card hum makes runs of one bit, and noise short ones: these
    /// speak for neither reading.
    var worthOfRecords: Double {
        runs.filter { $0.bits.count >= SwipeReader.shortestRun && !$0.isTone }
            .reduce(0) { $0 + IntervalClock.worth(of: $1.bits) }
    }

    /// The one that the text was found in, else the longest: even noise round a card, as of a power supply, may make a longer one than
    /// the record does.
    var cardRun: IntervalClock.Run? {
        if track != nil, runs.indices.contains(trackRun) { return runs[trackRun] }
        return runs.max { $0.bits.count < $1.bits.count }
    }

    /// Where the text that was found passed the head, in samples of the swipe.
    var record: ClosedRange<Double>? {
        guard let track, runs.indices.contains(trackRun) else { return nil }
        let run = runs[trackRun]
        let place = track.place(among: run.bits.count)
        guard place.lowerBound >= 0, place.upperBound < run.edges.count,
            run.edges[place.lowerBound] < run.edges[place.upperBound]
        else { return nil }
        return run.edges[place.lowerBound]...run.edges[place.upperBound]
    }

    /// Of the card's run.
    var medianCell: Double? {
        guard let run = cardRun, run.edges.count > 2 else { return nil }
        let cells = (1..<run.edges.count).map { run.edges[$0] - run.edges[$0 - 1] }.sorted()
        return cells[cells.count / 2]
    }

    /// Whether it is worth a search, and worth telling when the search fails. In noise and speech hardly two
    /// intervals agree; a tone is one bit for ever.
    var looksLikeStripe: Bool {
        guard let longest = runs.max(by: { $0.bits.count < $1.bits.count }), !pulses.isEmpty else {
            return false
        }
        let length = longest.bits.count
        var counts = [0, 0]
        for run in runs { for bit in run.bits { counts[Int(bit)] += 1 } }
        let rarer = min(counts[0], counts[1])
        guard rarer >= (counts[0] + counts[1]) / 50 + 2 else { return false }
        // Behind a band limit ones are too faint to be pulses: then the clocking zeros are all that is to be seen.
        if !LeadIn.evenPulses(pulses.map(\.position)).isEmpty { return true }
        guard length >= Self.shortestEvidence else { return false }
        return score / Double(pulses.count) >= Self.leastScore || length >= Self.longEvidence
    }

    /// Whether the sequence search may find a record in it. Speech over hum and music have stretches of even pulses too,
    /// but a record fills its swipe, and a modem's data have no end.
    var mayHoldRecord: Bool {
        let kept = runs.filter { $0.bits.count >= SwipeReader.shortestRun }.reduce(0) { $0 + $1.bits.count }
        let longest = runs.reduce(0) { max($0, $1.bits.count) }
        let reversals = min(pulses.count, Self.mostReversals)
        return Double(kept) >= Self.leastPart * Double(reversals) && longest <= SequenceDetector.mostCells
    }

    /// Cells in runs for each pulse. Of the swipes that the search reads, the least had 0.23; speech over hum, speech and
    /// music mostly stay under 0.15.
    private static let leastPart = 1.0 / 6
    /// Two for each of a card's 710 cells. Where there are more pulses, somebody talks beside the reader.
    private static let mostReversals = 1420

    /// Agreeing cells in a row that noise does not make by chance.
    private static let shortestEvidence = 40
    private static let longEvidence = 100
    /// Of 1.6 that a pulse can score; noise and speech stay under 0.22, swipes at 2 dB are above 1.
    private static let leastScore = 0.25

    func swipe(firstSample: UInt64, count: Int, _ rating: ReadingQuality, _ options: StripeOptions)
        -> StripeSwipe?
    {
        guard track != nil || looksLikeStripe else { return nil }
        var outcome = TrackOutcome.refused(refusal)
        if let track {
            let text = SensitiveText(utf8: track.text)
            outcome = track.repairedBits == 0 ? .read(text) : .repaired(text, bits: track.repairedBits)
        }
        let reading = TrackReading(
            track: track?.format.track ?? Self.unknownTrack, outcome: outcome,
            format: track?.format.coding.name)
        var trace: StripeTrace?
        if options.keepsTrace {
            let reversals = pulses.map { pulse in
                FluxReversal(
                    position: pulse.position + Double(firstSample), amplitude: pulse.amplitude,
                    confidence: pulse.confidence)
            }
            trace = StripeTrace(
                waveform: signal, reversals: reversals, characters: characters(firstSample: firstSample),
                refusedAt: track == nil ? refusedAt.map { $0 + Double(firstSample) } : nil, heard: heard,
                noisePower: heardNoise)
        }
        return StripeSwipe(
            startSample: firstSample, endSample: firstSample + UInt64(count), tracks: [reading],
            bitRuns: bitRuns(firstSample: firstSample, formats: options.formats),
            quality: rating.quality(of: self),
            trace: trace, isDoubted: track == nil && (isSeamed || refusal.isOfAText))
    }

    /// Where each character of the text lies in the stream, in the order of reading.
    private func characters(firstSample: UInt64) -> [ClosedRange<Double>] {
        guard let track, runs.indices.contains(trackRun) else { return [] }
        let run = runs[trackRun]
        return track.text.indices.compactMap { index in
            let width = track.format.coding.bitsPerCharacter
            let first = track.place.lowerBound + index * width
            guard let start = run.position(ofBit: first, isReversed: track.isReversed),
                let end = run.position(ofBit: first + width, isReversed: track.isReversed)
            else { return nil }
            return min(start, end) + Double(firstSample)...max(start, end) + Double(firstSample)
        }
    }

    /// A head hears one track and cannot tell which: without a text, the commonest is named.
    private static let unknownTrack = 2

    /// In the order of time; each run's bits in the order of reading.
    private func bitRuns(firstSample: UInt64, formats: [StripeFormat]) -> [BitRun] {
        let kept = runs.filter { $0.bits.count >= SwipeReader.shortestRun }
        let known: SwipeDirection? = track.map { $0.isReversed ? .backward : .forward }
        let direction = known ?? RunDirection(formats: formats).direction(of: kept.map(\.bits))
        return kept.map { run in
            BitRun(
                bits: direction == .backward ? run.bits.reversed() : run.bits, direction: direction,
                cellEdges: run.edges.map { $0 + Double(firstSample) })
        }
    }
}

extension TrackRefusal {
    /// Whether a text was there that must not be relied on.
    fileprivate var isOfAText: Bool {
        guard case .ambiguous(let doubt, _) = self else { return false }
        return doubt != .unsureBits
    }
}
