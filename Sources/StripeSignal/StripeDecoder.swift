import CardData

/// Samples of one channel in, swipes out: streaming, in bounded memory.
///
/// The front end keeps the last seconds of sound and watches the level; it does no more per sample than a copy and
/// two sums. Once a swipe has *ended* - the level has stayed down for ``ActivityGate/hangBlocks``, 120 ms - the search
/// for the best reading runs over the kept samples, and its result is returned by the very call that delivered the
/// last of them.
package struct StripeDecoder: Sendable {
    private let sampleRate: Int
    private let options: StripeOptions
    private let blockLength: Int
    private var history: SampleHistory
    private var gate: ActivityGate
    private var sums = BlockSums.none
    /// Where the swipe in progress began, lead-in included.
    private(set) var openedAt: UInt64?
    private var hasToldActivity = false
    /// Up to here the stream has been read already.
    private var consumed: UInt64 = 0
    private var hasFoundSwipe = false
    private var hasReadText = false
    /// Swipes that were refused one after another: a card that stands for more than a moment makes several of its own.
    private var refused: [Range<UInt64>] = []

    private var passes: RefusedPasses

    /// Sample rates that sound cards have; others are clamped.
    package static let sampleRates = 4000...768_000
    /// Kept before the gate opened: the level needs some milliseconds to rise.
    private static let leadInSeconds = 0.03
    /// A swipe that the gate noticed so soon after the stream's begin may have begun with it.
    private static let beginSeconds = 1.0
    private static let historySeconds = 4.5
    /// A card that stands for longer is taken for pulled away.
    private static let longestStopSeconds = 2.5
    /// A card that is pulled back and stands at both ends has three.
    private static let mostPieces = 3

    package init(sampleRate: Int, options: StripeOptions = .init()) {
        let rate = min(max(sampleRate, Self.sampleRates.lowerBound), Self.sampleRates.upperBound)
        self.sampleRate = rate
        self.options = options
        blockLength = ActivityGate.blockLength(sampleRate: rate)
        history = SampleHistory(capacity: Int(Double(rate) * Self.historySeconds))
        gate = ActivityGate(blocksPerSecond: Double(rate) / Double(blockLength))
        passes = RefusedPasses(SwipeReader(sampleRate: rate, options: options))
    }

    /// Whether a card may be passing the head right now.
    package var isInSwipe: Bool { openedAt != nil }

    /// Whether something was found that the next samples will tell.
    var hasPending: Bool { !pending.isEmpty }

    /// How many samples came so far.
    var position: UInt64 { history.count }

    /// Where what is still kept begins.
    var oldest: UInt64 { history.oldest }

    /// What is still kept of a part of the stream.
    func samples(_ range: Range<UInt64>) -> [Float] { history.samples(range) }

    /// Takes the next samples of the stream, full scale ±32768.
    package mutating func process(_ samples: Span<Int16>) -> [StripeEvent] {
        var events: [StripeEvent] = []
        var position = 0
        while position < samples.count {
            let length = chunk(remaining: samples.count - position)
            sums.add(history.append(samples.extracting(position..<position + length)))
            position += length
            if sums.count >= blockLength { endBlock(&events) }
        }
        return events
    }

    /// Takes the next samples of the stream, full scale ±1.
    package mutating func process(_ samples: Span<Float>) -> [StripeEvent] {
        var events: [StripeEvent] = []
        var position = 0
        while position < samples.count {
            let length = chunk(remaining: samples.count - position)
            sums.add(history.append(samples.extracting(position..<position + length)))
            position += length
            if sums.count >= blockLength { endBlock(&events) }
        }
        return events
    }

    /// The end of the input: reads what is left.
    package mutating func finish() -> [StripeEvent] {
        var events: [StripeEvent] = []
        if let openedAt {
            read(openedAt..<history.count, isPartial: false, &events)
        } else if history.oldest == 0, !hasReadText, !hasFoundSwipe || gate.mayHaveBegunInASwipe {
            // A short recording may be all swipe, with no silence to compare it with. In a longer one the gate has
            // had its chance, and seconds of noise are not worth a search.
            let isRefused = hasFoundSwipe
            // What is read once more is no second pass.
            if isRefused { forgetPasses() }
            var found: [StripeEvent] = []
            read((isRefused ? 0 : consumed)..<history.count, isPartial: false, &found)
            if !isRefused || hasReadText { events += found }
        }
        forgetPasses()
        endSwipe()
        return events
    }

    /// Samples were lost here: a swipe in progress is no longer whole. Its result comes with the next call.
    package mutating func interrupt() {
        if let openedAt {
            var events: [StripeEvent] = []
            read(openedAt..<history.count, isPartial: true, &events)
            pending += events
        }
        forgetPasses()
        endSwipe()
        sums = .none
    }

    /// What was refused before is no pass of the next card: this one was read.
    mutating func forgetPasses() {
        refused = []
        passes.forgetAll()
    }

    /// Found by ``interrupt()``, told by the next ``process(_:)``.
    private var pending: [StripeEvent] = []

    private func chunk(remaining: Int) -> Int {
        min(remaining, blockLength - sums.count, history.contiguousSpace)
    }

    private mutating func endBlock(_ events: inout [StripeEvent]) {
        if !pending.isEmpty {
            events += pending
            pending = []
        }
        let change = gate.block(sums)
        sums = .none
        // A swipe that has begun may be the next pass.
        passes.forget(at: openedAt ?? history.count)
        switch change {
        case .none: break
        case .opened:
            let leadIn = UInt64(Double(sampleRate) * Self.leadInSeconds)
            openedAt = max(history.count - min(history.count, leadIn), max(consumed, history.oldest))
        case .loud:
            if !hasToldActivity { events.append(.activity(atSample: history.count)) }
            hasToldActivity = true
        case .closed:
            if let openedAt { read(openedAt..<history.count, isPartial: false, &events) }
            endSwipe()
        }
    }

    private mutating func endSwipe() {
        gate.close()
        openedAt = nil
        hasToldActivity = false
        consumed = history.count
    }

    private mutating func read(_ range: Range<UInt64>, isPartial: Bool, _ events: inout [StripeEvent]) {
        let range = range.clamped(to: history.oldest..<history.count)
        let found = swipe(in: range)
        guard var swipe = isPartial ? found?.swipe : joined(found, range) else {
            // Whoever was told of activity is told how it ended.
            if hasToldActivity { events.append(.swipe(.unreadable(range))) }
            return
        }
        if swipe.hasText { hasReadText = true } else if isPartial { swipe.quality.hint = .partial }
        hasFoundSwipe = true
        events.append(.swipe(swipe))
    }

    /// The swipe, or what it and the refused ones before it give as one: a card that stopped. After its stop it may be no
    /// more like a card than so many pulses are.
    private mutating func joined(
        _ found: ReadSwipe?, _ range: Range<UInt64>
    ) -> StripeSwipe? {
        let swipe = found?.swipe
        guard swipe?.hasText != true, options.searchesHard else {
            forgetPasses()
            return swipe
        }
        let longest = UInt64(Double(sampleRate) * Self.longestStopSeconds)
        if let last = refused.last, range.lowerBound > last.upperBound + longest { refused = [] }
        refused.removeAll { $0.lowerBound < history.oldest }
        let earlier = refused
        // A burst that looks like no card is no piece of one for the next.
        if swipe != nil { refused = refused.suffix(Self.mostPieces - 1) + [range] }
        let reader = SwipeReader(sampleRate: sampleRate, options: options)
        for first in earlier {
            let samples = history.samples(first.lowerBound..<range.upperBound)
            switch reader.readStopped(samples, from: first, to: range) {
            case .nothing: continue
            case .rivals:
                passes.forgetAll()
                return swipe
            case .read(let whole):
                forgetPasses()
                return whole
            }
        }
        return found.map { together($0, range) }
    }

    /// The swipe, with the record that it and a pass before it give together.
    private mutating func together(_ read: ReadSwipe, _ range: Range<UInt64>) -> StripeSwipe {
        guard let pass = RefusedPass(read, range: range), let track = passes.joined(with: pass) else {
            return read.swipe
        }
        refused = []
        return read.swipe.joined(with: track, sampleRate: sampleRate, cell: pass.cell)
    }

    /// The swipe, or what the intervals show of it from the stream's begin where it was too loud to tell. A search of both
    /// would cost twice as much, and finds in the second what it did not in the first in one swipe of two hundred.
    private func swipe(in range: Range<UInt64>) -> ReadSwipe? {
        let reader = SwipeReader(sampleRate: sampleRate, options: options)
        let swipe = reader.read(history.samples(range), firstSample: range.lowerBound)
        guard swipe?.swipe.hasText != true, consumed == 0, history.oldest == 0, range.lowerBound > 0,
            Double(range.lowerBound) < Double(sampleRate) * Self.beginSeconds, gate.mayHaveBegunInASwipe
        else { return swipe }
        let whole = history.samples(0..<range.upperBound)
        guard let fromBegin = reader.read(whole, firstSample: 0, maySearch: false),
            fromBegin.swipe.hasText
        else {
            return swipe
        }
        return fromBegin
    }
}
