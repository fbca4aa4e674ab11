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
    /// What has ended on each head while another's card is still moving.
    private var waiting: [Stroke.Part] = []
    /// For how long it has, in samples.
    private var waited = 0
    private var hasToldActivity = false
    /// Samples were lost within the cards that are waiting.
    private var isBroken = false

    /// One pass of a card lasts 4 s at most: a head that is loud for longer has none, and holds back no other's.
    private static let longestWait = 5.0
    /// Swipes of two heads are one card's where they have this part of the shorter one in common.
    private static let commonPart = 0.5

    package init(sampleRate: Int, heads: Int, options: StripeOptions = .init()) {
        self.sampleRate = sampleRate
        self.options = options
        decoders = (0..<max(heads, 1)).map { _ in StripeDecoder(sampleRate: sampleRate, options: options) }
    }

    package var heads: Int { decoders.count }

    /// Takes the next samples of one head, full scale ±32768. All heads get equally many before ``strokes()`` is asked for.
    ///
    /// - Returns: whether a card may have come to it just now.
    @discardableResult
    package mutating func take(_ samples: Span<Int16>, of head: Int) -> Bool {
        guard decoders.indices.contains(head) else { return false }
        if head == 0, !waiting.isEmpty { waited += samples.count }
        return note(decoders[head].process(samples), head)
    }

    /// The same, full scale ±1.
    @discardableResult
    package mutating func take(_ samples: Span<Float>, of head: Int) -> Bool {
        guard decoders.indices.contains(head) else { return false }
        if head == 0, !waiting.isEmpty { waited += samples.count }
        return note(decoders[head].process(samples), head)
    }

    private mutating func note(_ events: [StripeEvent], _ head: Int) -> Bool {
        var isNew = false
        for event in events {
            switch event {
            case .activity:
                isNew = isNew || !hasToldActivity
                hasToldActivity = true
            case .swipe(let swipe): waiting.append(Stroke.Part(head: head, swipe: swipe))
            }
        }
        return isNew
    }

    /// The cards that have passed every head, or have waited 5 s for another's end, in the order of time.
    package mutating func strokes() -> [Stroke] {
        guard !waiting.isEmpty else { return [] }
        let isLate = Double(waited) >= Self.longestWait * Double(sampleRate)
        return !isLate && decoders.contains(where: \.isInSwipe) ? [] : taken()
    }

    /// The end of the sound: what is left.
    package mutating func finish() -> [Stroke] {
        for head in decoders.indices { _ = note(decoders[head].finish(), head) }
        return taken()
    }

    /// Samples were lost here: no head has its swipe whole.
    package mutating func interrupt() {
        isBroken = !waiting.isEmpty || decoders.contains(where: \.isInSwipe)
        for head in decoders.indices { decoders[head].interrupt() }
    }

    private mutating func taken() -> [Stroke] {
        var groups: [[Stroke.Part]] = []
        for part in waiting {
            let group = groups.firstIndex { $0.contains { Self.areOfOneCard($0.swipe, part.swipe) } }
            if let group { groups[group].append(part) } else { groups.append([part]) }
        }
        let strokes = groups.map { Stroke(helped($0)) }
        (waiting, waited, hasToldActivity, isBroken) = ([], 0, false, false)
        return strokes.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private static func areOfOneCard(_ one: StripeSwipe, _ other: StripeSwipe) -> Bool {
        let (first, second) = (one.startSample..<one.endSample, other.startSample..<other.endSample)
        return Double(first.clamped(to: second).count) > commonPart * Double(min(first.count, second.count))
    }

    /// Silence round a swipe, in which noise is measured.
    private static let marginSeconds = 0.1

    /// The swipes. Where a head read its track, those that did not are read again by the speed that it has heard.
    private func helped(_ parts: [Stroke.Part]) -> [Stroke.Part] {
        guard options.searchesHard, !isBroken, let helper = parts.map(\.swipe).first(where: \.hasText),
            let reading = HelpedReading(by: helper, sampleRate: sampleRate, options: options)
        else { return parts }
        let margin = UInt64(Double(sampleRate) * Self.marginSeconds)
        let range = Stroke(parts).range
        let wide = range.lowerBound - min(range.lowerBound, margin)..<range.upperBound + margin
        return decoders.indices.flatMap { head in
            let own = parts.filter { $0.head == head }
            guard !own.contains(where: \.swipe.hasText) else { return own }
            let decoder = decoders[head]
            let kept = wide.clamped(to: decoder.oldest..<decoder.position)
            guard var found = reading.read(own.first?.swipe, decoder.samples(kept), first: kept.lowerBound)
            else {
                return own
            }
            found.quality.speed = helper.quality.speed
            return [Stroke.Part(head: head, swipe: found)]
        }
    }
}

extension HeadsDecoder {
    /// Takes a block of every head at once.
    ///
    /// - Parameter others: of the second head and further ones, as many samples each as of the first.
    package mutating func process(_ first: Span<Int16>, others: [[Int16]]) -> [StripeEvent] {
        // One head waits for none.
        guard heads > 1 else { return decoders[0].process(first) }
        let begin = startOfBlock
        var isActive = take(first, of: 0)
        for (index, samples) in others.enumerated() where take(samples.span, of: index + 1) {
            isActive = true
        }
        let activity: [StripeEvent] = isActive ? [.activity(atSample: begin)] : []
        return activity + strokes().compactMap { stroke in stroke.swipe.map { .swipe($0) } }
    }

    private var startOfBlock: UInt64 { decoders[0].position }
}
