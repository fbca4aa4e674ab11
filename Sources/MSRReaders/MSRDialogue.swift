import CardData
import ReaderKit
import StripeSignal

/// The dialogue with an encoder that is asked to read and nothing else: a value, the same for reports and for a line.
///
///     start      ESC a, ESC e → ESC y, ESC a            at most three times, then mute until asked again
///     questions  model, firmware, coercivity, leading zeros, bits a byte
///     cards      yellow, read → block → green or red, read → block → …
///
/// A read stays pending until a card comes; only a reset ends it. It is asked for again as soon as one was answered, so the
/// light of the last card stays on while the next one may come.
struct MSRDialogue: Sendable {
    enum Action: Sendable, Hashable {
        case send(MSRCommand)
        case startTimer(Duration)
        case stopTimer
        case signal(ReaderSignal)
    }

    /// ASSUMPTION: an encoder answers a question within this; clients wait for a tenth of a second.
    static let patience = Duration.milliseconds(500)
    /// A block that stops for so long has stopped: at 9600 baud a byte takes a millisecond.
    static let pause = Duration.milliseconds(250)
    static let attempts = 3
    /// How often a mute encoder is asked again: it may get its power later than its line.
    static let retry = Duration.seconds(10)
    /// Reads that are refused in a row before the encoder counts as mute.
    static let mostRefusals = 3

    private let name: String
    private let blocks: MSRBlockReading
    private let reading: MSRReading
    /// How often a line is asked whether somebody is still there; nil where an unplug tells.
    private let checkInterval: Duration?
    private(set) var state = MSRState.idle
    private var stream: MSRStream
    private var details: ReaderDetails
    private(set) var facts: [MSRQuestion: MSRQuestion.Fact] = [:]
    private var isActive = false
    /// What was told of its silence.
    private var complaint: String?
    private var refusals = 0
    private var toldVariants: Set<MSRVariant>
    /// A client waits to hear whether it answers.
    private var isTested = false

    init(
        model: String, serial: String?, reading: MSRReading, formats: [StripeFormat] = [],
        checkInterval: Duration?, variants: Set<MSRVariant> = []
    ) {
        name = model
        toldVariants = variants
        blocks = MSRBlockReading(formats: StripeFormat.standard + formats)
        self.reading = reading
        self.checkInterval = checkInterval
        stream = MSRStream(reading: reading)
        details = ReaderDetails(model: model, serial: serial, encryption: .clear)
    }

    mutating func start() -> [Action] { wake(MSRState.Waking(attempts: 1)) }

    /// For an encoder that takes no commands, as a virtual one: what it sends is taken for answers.
    mutating func overhear() -> [Action] {
        state = .overhearing
        isActive = true
        return [
            .signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil)),
        ]
    }

    /// - Parameter endsMessage: the encoder said that its answer ends here; a line cannot say so.
    mutating func receive(_ bytes: some Sequence<UInt8>, endsMessage: Bool = false) -> [Action] {
        if case .asking(let question, let earlier) = state {
            return answered(question, earlier + bytes, isOver: endsMessage && question == .firmware)
        }
        if case .mute = state {
            state = .mute(hasGarbage: true)
            return []
        }
        stream.add(bytes)
        return takeEvents() + keepTime()
    }

    /// Bytes were lost: what stands there cannot be completed.
    mutating func bytesLost() -> [Action] {
        let wasEmpty = stream.isEmpty
        stream.clear()
        guard case .reading = state, !wasEmpty else { return [] }
        return [.send(.reset)] + read()
    }

    mutating func timerFired() -> [Action] {
        switch state {
        case .idle: []
        case .overhearing: takeEvents(isOver: true)
        case .waking(let waking): nobodyAnswered(waking)
        case .asking(let question, let bytes): answered(question, bytes, isOver: true)
        case .mute(let hasGarbage): wake(MSRState.Waking(attempts: 1, hasGarbage: hasGarbage))
        case .reading: stream.isEmpty ? look() : takeEvents(isOver: true) + keepTime()
        }
    }

    /// The transport could not deliver a command. A device that is gone is the transport's to tell.
    mutating func commandFailed(_ error: DeviceError) -> [Action] {
        switch error {
        case .gone, .closed: []
        case _: fallSilent("\(name) takes no commands; unplug it and plug it in again", .failed)
        }
    }
}

extension MSRDialogue {
    /// A client asks whether it answers: the read that is pending ends for that, and is asked for again.
    mutating func test() -> (RequestOutcome, [Action]) {
        guard !isTested else { return (.refused(RequestRefusal(.busy, "a test is going on already")), []) }
        switch state {
        case .overhearing:
            let why = "a virtual encoder takes no commands; write its answers to its source"
            return (.refused(RequestRefusal(.notApplicable, why)), [])
        case .reading where !stream.isEmpty:
            return (.refused(RequestRefusal(.busy, "a card is being read: it answers")), [])
        // It is being asked anyway.
        case .waking: return (accepted(), [])
        case .idle, .asking, .reading, .mute: return (accepted(), wake(MSRState.Waking(attempts: 1)))
        }
    }

    private mutating func accepted() -> RequestOutcome {
        isTested = true
        return .accepted()
    }

    // MARK: Is it there?

    private mutating func wake(_ waking: MSRState.Waking) -> [Action] {
        state = .waking(waking)
        stream.clear()
        return [.send(.reset), .send(.communicationTest), .startTimer(Self.patience)]
    }

    /// Asks a line whether somebody is still there.
    private mutating func look() -> [Action] {
        checkInterval == nil ? [] : wake(MSRState.Waking(attempts: 1))
    }

    private mutating func nobodyAnswered(_ waking: MSRState.Waking) -> [Action] {
        var waking = waking
        if !stream.isEmpty || stream.next(isOver: true) != nil { waking.hasGarbage = true }
        guard waking.attempts >= Self.attempts else {
            waking.attempts += 1
            return wake(waking)
        }
        let why =
            waking.hasGarbage
            ? "something else than an MSR605, 606 or 206 answers: is the type right, and the line's speed?"
            : "\(name) does not answer: has it power (some have a supply of their own), and is it the right line?"
        return fallSilent(why, .timeout)
    }

    /// Each reason is told once, until it answers again.
    private mutating func fallSilent(_ why: String, _ result: ActivationResult) -> [Action] {
        var actions: [Action] = isActive ? [.signal(.lost)] : []
        isActive = false
        state = .mute(hasGarbage: false)
        stream.clear()
        if complaint != why { actions += [.signal(.activationFailed(result, why: why))] }
        complaint = why
        return actions + tested(false, why: why) + [.startTimer(Self.retry)]
    }

    private mutating func tested(_ answered: Bool, why: String? = nil) -> [Action] {
        guard isTested else { return [] }
        isTested = false
        return [.signal(.testCompleted(answered, why: why))]
    }

    // MARK: What is it?

    private mutating func ask(_ question: MSRQuestion) -> [Action] {
        state = .asking(question, since: [])
        return [.send(question.command(reading)), .startTimer(Self.patience)]
    }

    /// The time for an answer is up, or bytes came: on to the next question, or on with waiting.
    private mutating func answered(_ question: MSRQuestion, _ bytes: [UInt8], isOver: Bool) -> [Action] {
        let heard = Array(bytes.suffix(MSRStream.maximumBytes))
        switch question.answer(in: heard, isOver: isOver) {
        case .waiting:
            state = .asking(question, since: heard)
            return []
        case .none: facts[question] = nil
        case .fact(let fact):
            facts[question] = fact
            if case .coercivity(_, inSmallLetters: true) = fact { toldVariants.insert(.smallLetters) }
        }
        let next = MSRQuestion.allCases.drop { $0 != question }.dropFirst().first
        return next.map { ask($0) } ?? begin()
    }

    /// Everything was asked: it is what it said, and reads.
    private mutating func begin() -> [Action] {
        defer { (isActive, complaint, refusals) = (true, nil, 0) }
        stream.clear()
        guard !isActive else { return [.send(.yellow)] + read() }
        learn()
        var actions: [Action] = [.signal(.identified(details))]
        if reading == .raw, facts[.bits] != .bits([8, 8, 8]) {
            actions.append(
                .signal(
                    .malformed("\(name) did not say that it gives eight bits a byte; raw tracks may be cut")))
        }
        actions += [.signal(.activated(.success)), .signal(.ready(expiresIn: nil))]
        return actions + [.send(.yellow)] + read()
    }

    private mutating func learn() {
        if case .firmware(let text)? = facts[.firmware] { details.firmware = text }
        if case .model(let code)? = facts[.model] { details.model = "\(name) (model code \(code))" }
    }

    // MARK: Cards

    private mutating func read() -> [Action] {
        state = .reading
        return [.send(reading == .raw ? .readRaw : .readISO)] + keepTime()
    }

    /// How long the silence may last: as long as a block pauses, or until the next look at the line.
    private func keepTime() -> [Action] {
        switch state {
        case .reading, .overhearing:
            if !stream.isEmpty { return [.startTimer(Self.pause)] }
            return checkInterval.map { [.startTimer($0)] } ?? [.stopTimer]
        case .idle, .waking, .asking, .mute: return []
        }
    }

    private mutating func takeEvents(isOver: Bool = false) -> [Action] {
        var actions: [Action] = []
        while let event = stream.next(isOver: isOver) { actions += take(event, isOver) }
        return actions
    }

    private mutating func take(_ event: MSRStream.Event, _ isOver: Bool) -> [Action] {
        switch event {
        case .present: present()
        case .block(let block): swiped(block)
        case .status(let status): ended(status)
        // What stopped may have been the beginning of an answer, and the read is over with it.
        case .garbage(let count): isOver ? broken(count) : garbage(count)
        case .broken(let count): broken(count)
        }
    }

    private mutating func present() -> [Action] {
        guard case .waking = state else { return [] }
        let result = tested(true)
        // A line that was only looked at goes on where it was; its power may have gone and come, and the bits with it.
        if isActive { return result + ask(.bits) }
        return result + [.send(.reset)] + ask(.model)
    }

    /// A card that passed while the line was looked at counts as well.
    private mutating func swiped(_ block: MSRBlock) -> [Action] {
        guard isActive else { return [] }
        refusals = 0
        let (swipe, variants) = blocks.swipe(of: block)
        var actions: [Action] = [.signal(.swiped(swipe))]
        if block.status == nil {
            actions.append(.signal(.malformed("status \(block.statusByte), which no document names")))
        }
        toldVariants.formUnion(variants)
        return actions + again(isGood: swipe.tracks.contains { $0.text != nil })
    }

    /// The light of this card, and the read for the next one.
    private mutating func again(isGood: Bool) -> [Action] {
        guard case .reading = state else { return [] }
        return [.send(isGood ? .green : .red)] + read()
    }

    /// A read that ended without a block.
    private mutating func ended(_ status: MSRStatus) -> [Action] {
        guard isActive else { return [] }
        switch status {
        case .fine: return []
        case .readError, .formatError, .movedWrongly, .failed:
            return [.signal(.swiped(MSRBlockReading.unread(status)))] + again(isGood: false)
        case .commandError:
            // One that was asked for nothing, as a virtual one, has refused nothing.
            guard case .reading = state else { return [] }
            refusals += 1
            guard refusals < Self.mostRefusals else {
                return fallSilent("\(name) refuses to read; try the other way of reading (raw, iso)", .failed)
            }
            return again(isGood: false)
        }
    }

    private mutating func garbage(_ count: Int) -> [Action] {
        if case .waking(var waking) = state {
            waking.hasGarbage = true
            state = .waking(waking)
            return []
        }
        guard isActive else { return [] }
        return [.signal(.malformed("\(count) bytes that are no answer of an encoder; is the type right?"))]
    }

    private mutating func broken(_ count: Int) -> [Action] {
        guard isActive else { return [] }
        let complaint = Action.signal(.malformed("answer of \(count) bytes that breaks off, or is none"))
        guard case .reading = state else { return [complaint] }
        return [complaint, .send(.reset), .send(.red)] + read()
    }
}

extension MSRDialogue {
    /// Ways of its own in which this encoder answers, as far as cards have shown.
    var variants: [String] { toldVariants.map(\.rawValue).sorted() }
}
