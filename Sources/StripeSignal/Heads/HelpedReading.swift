import CardData

/// Reads a head again by the speed that another head on the same card has heard.
struct HelpedReading: Sendable {
    let reader: SwipeReader
    let way: CardWay

    /// - Parameters:
    ///   - helper: what the other head read.
    ///   - options: of the decoder.
    init?(by helper: StripeSwipe, sampleRate: Int, options: StripeOptions) {
        guard let way = CardWay(helper) else { return nil }
        self.way = way
        reader = SwipeReader(sampleRate: sampleRate, options: options, earlierAttempts: Self.attempts)
    }

    /// As many readings again are looked at as before, which makes a text by chance twice as likely: one bit, or two attempts.
    private static let attempts = 2

    /// The swipe with the text that is found now, its places those at which the card passed; nil where there is none.
    ///
    /// - Parameters:
    ///   - samples: the head's sound while the card passed the other head.
    ///   - first: the place of the first of them in the stream.
    func read(_ samples: [Float], first: UInt64) -> StripeSwipe? {
        guard !samples.isEmpty else { return nil }
        let signal = way.straightened(samples, first: first)
        var reader = reader
        reader.leastNoise = ActiveSpan.converterNoise(samples)
        guard let found = reader.read(signal.samples, firstSample: 0), found.swipe.hasText,
            !isRefused(found, signal, samples, first)
        else { return nil }
        var swipe = found.swipe
        let start = place(signal.moment(of: Double(swipe.startSample)), from: first, samples.count)
        let end = place(signal.moment(of: Double(swipe.endSample)), from: first, samples.count)
        (swipe.startSample, swipe.endSample) = (first + UInt64(start), first + UInt64(max(end, start)))
        for index in swipe.bitRuns.indices {
            swipe.bitRuns[index].cellEdges = swipe.bitRuns[index].cellEdges.map(signal.moment(of:))
        }
        let heard = Array(samples[start..<max(end, start)])
        swipe.quality.clippedPercent = Clipping.percent(of: heard)
        swipe.trace = swipe.trace.map { trace($0, signal, reader.withoutBaseline(heard)) }
        return swipe
    }

    /// Between samples, as a whole one of those that are there.
    private func place(_ moment: Double, from first: UInt64, _ count: Int) -> Int {
        Int(min(max(moment - Double(first), 0), Double(count)))
    }

    /// Whether the record, where it passed, was too fast for the sample rate, or its waveform has a seam: neither shows any more in what was
    /// straightened.
    private func isRefused(
        _ found: ReadSwipe, _ signal: CardWay.StraightSignal, _ samples: [Float], _ first: UInt64
    ) -> Bool {
        let reading = found.reading
        guard let track = reading.track, reading.runs.indices.contains(reading.trackRun) else { return true }
        var run = reading.runs[reading.trackRun]
        let start = Double(found.swipe.startSample)
        run.edges = run.edges.map { signal.moment(of: $0 + start) - Double(first) }
        let place = track.place(among: run.bits.count)
        let surroundings = FrameSurroundings(signal: samples, noise: reading.noise)
        guard !RecordDoubts(run: run, surroundings: surroundings).isTooFast(place) else { return true }
        return reader.waveformSeam(in: samples, reader.withoutBaseline(samples), run, place) != nil
    }

    /// As the head heard it, so that drawings and measures find everything in its place.
    private func trace(
        _ straight: StripeTrace, _ signal: CardWay.StraightSignal, _ heard: [Float]
    ) -> StripeTrace {
        var trace = straight
        trace.waveform = heard
        trace.heard = heard
        for index in trace.reversals.indices {
            trace.reversals[index].position = signal.moment(of: trace.reversals[index].position)
        }
        trace.characters = trace.characters.map {
            signal.moment(of: $0.lowerBound)...signal.moment(of: $0.upperBound)
        }
        return trace
    }
}
