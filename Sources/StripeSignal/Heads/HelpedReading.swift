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

    /// The swipe with the text that is found now; nil where there is none.
    ///
    /// - Parameters:
    ///   - refused: what the head gave by itself; nil: nothing.
    ///   - samples: its sound while the card passed the other head.
    ///   - first: the place of the first of them in the stream.
    func read(_ refused: StripeSwipe?, _ samples: [Float], first: UInt64) -> StripeSwipe? {
        guard !samples.isEmpty else { return nil }
        let signal = way.straightened(samples, first: first)
        guard let found = reader.read(signal.samples, firstSample: 0)?.swipe, found.hasText else {
            return nil
        }
        var swipe = found
        (swipe.startSample, swipe.endSample) = (first, first + UInt64(samples.count))
        for index in swipe.bitRuns.indices {
            swipe.bitRuns[index].cellEdges = swipe.bitRuns[index].cellEdges.map(signal.moment(of:))
        }
        guard !swipe.bitRuns.contains(where: \.isTooQuick) else { return nil }
        swipe.quality.clippedPercent = Clipping.percent(of: samples)
        swipe.trace = refused?.trace
        swipe.trace?.refusedAt = nil
        swipe.trace?.characters = (found.trace?.characters ?? []).map {
            signal.moment(of: $0.lowerBound)...signal.moment(of: $0.upperBound)
        }
        return swipe
    }
}

extension BitRun {
    /// Whether cells are shorter than a record's may be: more samples were made of them than there were.
    fileprivate var isTooQuick: Bool {
        let cells = zip(cellEdges.dropFirst(), cellEdges).map { $0 - $1 }.sorted()
        return cells.isEmpty || cells[cells.count / 2] < RecordDoubts.leastSamples
    }
}
