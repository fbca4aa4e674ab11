import CardData

/// Sound of several heads on one card in, one event a card out: a decoder for each head, and what one of them reads helps the others.
///
///     head 1   ……|~~~~~~~~|……      a text
///     head 2   ……|~~~~~~~~~~|…     refused: read again by the speed of the card that head 1 has heard
///                            ^     both are silent: one swipe with both tracks
package struct HeadsDecoder: Sendable {
    private let sampleRate: Int
    private let options: StripeOptions
    private var decoders: [StripeDecoder]
    /// Heads at which a card was told of that has not ended.
    private var active: Set<Int> = []
    /// Whether somebody was told of the card that is waited for.
    private var isAnnounced = false
    /// What has ended on each head while the same card is still moving at another.
    private var waiting: [Stroke.Part] = []
    /// For how long it has, in samples.
    private var waited = 0
    /// Where samples were lost last.
    private var gap: UInt64?

    /// One pass of a card lasts 4 s at most: a head that is loud for longer has none, and holds back no other's.
    private static let longestWait = 5.0
    /// Silence round a swipe, in which noise is measured.
    private static let marginSeconds = 0.1

    package init(sampleRate: Int, heads: Int, options: StripeOptions = .init()) {
        let rates = StripeDecoder.sampleRates
        self.sampleRate = min(max(sampleRate, rates.lowerBound), rates.upperBound)
        self.options = options
        decoders = (0..<max(heads, 1)).map { _ in StripeDecoder(sampleRate: sampleRate, options: options) }
    }

    package var heads: Int { decoders.count }

    /// Takes the next samples of one head, full scale ±32768. All heads get equally many before ``strokes()`` is asked for.
    package mutating func take(_ samples: Span<Int16>, of head: Int) {
        guard decoders.indices.contains(head) else { return }
        if head == 0, !waiting.isEmpty { waited += samples.count }
        note(decoders[head].process(samples), head)
    }

    /// The same, full scale ±1.
    package mutating func take(_ samples: Span<Float>, of head: Int) {
        guard decoders.indices.contains(head) else { return }
        if head == 0, !waiting.isEmpty { waited += samples.count }
        note(decoders[head].process(samples), head)
    }

    private mutating func note(_ events: [StripeEvent], _ head: Int) {
        for event in events {
            switch event {
            case .activity: active.insert(head)
            case .swipe(let swipe):
                active.remove(head)
                waiting.append(Stroke.Part(head: head, swipe: swipe))
            }
        }
    }

    /// Whether a card has come of which nobody was told; asked once, it is told.
    private mutating func announce() -> Bool {
        guard !isAnnounced, !active.isEmpty || !waiting.isEmpty else { return false }
        isAnnounced = true
        return true
    }

    /// The cards that have passed every head, or have waited 5 s for another's end, in the order of time.
    package mutating func strokes() -> [Stroke] {
        guard !waiting.isEmpty, !decoders.contains(where: \.hasPending) else { return [] }
        let isLate = Double(waited) >= Self.longestWait * Double(sampleRate)
        return isLate || !isUnderWay ? taken() : []
    }

    /// Whether a card that waits may be moving at another head still. What came after it is another card, or noise.
    private var isUnderWay: Bool {
        let end = waiting.map(\.swipe.endSample).max() ?? 0
        return decoders.contains { $0.openedAt.map { $0 < end } ?? false }
    }

    /// The end of the sound: what is left.
    package mutating func finish() -> [Stroke] {
        for head in decoders.indices { note(decoders[head].finish(), head) }
        return taken()
    }

    /// Samples were lost here: no head has its swipe whole.
    package mutating func interrupt() {
        gap = decoders[0].position
        for head in decoders.indices { decoders[head].interrupt() }
    }

    private mutating func taken() -> [Stroke] {
        let groups = Stroke.groups(waiting)
        (waiting, waited, isAnnounced) = ([], 0, false)
        return groups.map { Stroke(helped($0)) }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The swipes. Where a head read its track, those that did not are read again by the speed that it has heard.
    private mutating func helped(_ parts: [Stroke.Part]) -> [Stroke.Part] {
        guard options.searchesHard, parts.count > 1, let (helper, reading) = helper(among: parts) else {
            return parts
        }
        let margin = UInt64(Double(sampleRate) * Self.marginSeconds)
        let wide = helper.startSample - min(helper.startSample, margin)..<helper.endSample + margin
        guard gap.map({ $0 < wide.lowerBound }) ?? true else { return parts }
        let reads = Set(parts.filter(\.swipe.hasText).map(\.head))
        var helped = parts
        for head in decoders.indices where !reads.contains(head) {
            let own = parts.filter { $0.head == head }
            guard !own.isEmpty, !own.contains(where: \.swipe.isDoubted) else { continue }
            let kept = wide.clamped(to: decoders[head].oldest..<decoders[head].position)
            guard var found = reading.read(decoders[head].samples(kept), first: kept.lowerBound) else {
                continue
            }
            found.quality.speed = helper.quality.speed
            decoders[head].forgetPasses()
            helped.removeAll { $0.head == head }
            helped.append(Stroke.Part(head: head, swipe: found))
        }
        return helped
    }

    private func helper(among parts: [Stroke.Part]) -> (swipe: StripeSwipe, reading: HelpedReading)? {
        for part in parts where part.swipe.hasText {
            let reading = HelpedReading(by: part.swipe, sampleRate: sampleRate, options: options)
            if let reading { return (part.swipe, reading) }
        }
        return nil
    }
}

extension HeadsDecoder {
    /// Takes a block of every head at once.
    ///
    /// - Parameter others: of the second head and further ones, as many samples each as of the first.
    package mutating func process(_ first: Span<Int16>, others: [[Int16]]) -> [StripeEvent] {
        // One head waits for none.
        guard heads > 1 else { return decoders[0].process(first) }
        let begin = decoders[0].position
        var events: [StripeEvent] = []
        take(first, of: 0)
        for (index, samples) in others.enumerated() { take(samples.span, of: index + 1) }
        if announce() { events.append(.activity(atSample: begin)) }
        for stroke in strokes() {
            // Of two cards that ended in one block each has its activity.
            if case .swipe? = events.last { events.append(.activity(atSample: begin)) }
            if let swipe = stroke.swipe { events.append(.swipe(swipe)) }
        }
        // The next card may be there already.
        if announce() { events.append(.activity(atSample: begin)) }
        return events
    }
}
