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
/// light of the last card stays on while the next one may come. It is ready once a read has stood for a moment (``settling``).
struct MSRDialogue: Sendable {
    enum Action: Sendable, Hashable {
        case send(MSRCommand)
        case startTimer(Duration)
        case stopTimer
        case signal(ReaderSignal)
    }

    /// ASSUMPTION: an encoder answers a question within this; clients wait for a tenth of a second.
    static let patience = Duration.milliseconds(500)
    /// How much longer a late answer to a question is waited for: the next one would be taken for it.
    static let lateness = Duration.milliseconds(600)
    /// ASSUMPTION: a command that is refused is refused within this, and no card is read in it: two do not pass so fast.
    static let settling = Duration.milliseconds(100)
    /// A block that stops for so long has stopped: at 9600 baud a byte takes a millisecond.
    static let pause = Duration.milliseconds(250)
    /// How often a look waits for the rest of a block: the longest takes 0.8 s at 9600 baud.
    static let mostBlockWaits = 4
    static let attempts = 3
    /// How often a mute encoder is asked again: it may get its power later than its line.
    static let retry = Duration.seconds(10)
    /// Reads that end at once in a row before the encoder counts as mute.
    static let mostRefusals = 3
    /// Reads in a row that fail and give nothing of a card. People stop before that.
    static let mostFailures = 10
    /// Answers in a row that came within ``settling`` of their read. No ten cards pass so fast, one after the other.
    static let mostHasty = 10
    /// How often an encoder is asked whether it is still there and waits for a card: its own supply may have gone and come, or
    /// another program have ended its read. A card that passes in the second that it takes is not read.
    static let lookInterval = Duration.seconds(15 * 60)

    private static let somethingElse =
        "something else than an MSR605, 606 or 206 answers: is the type right, and the line's speed?"

    let name: String
    let blocks: MSRBlockReading
    let reading: MSRReading
    var state = MSRState.idle
    var stream: MSRStream
    private var details: ReaderDetails
    private(set) var facts: [MSRQuestion: MSRQuestion.Fact] = [:]
    var isActive = false
    /// What was told of its silence since it last answered.
    var complaints: Set<String> = []
    var refusals = 0
    var failures = 0
    var hasty = 0
    var lights = Lights.unknown
    var toldVariants: Set<MSRVariant>
    /// A client waits to hear whether it answers.
    private var isTested = false

    /// Whether it takes commands for lights.
    enum Lights: Sendable { case unknown, taken, doubtful, none }

    init(
        model: String, serial: String?, reading: MSRReading, formats: [StripeFormat] = [],
        variants: Set<MSRVariant> = []
    ) {
        name = model
        toldVariants = variants
        blocks = MSRBlockReading(reading: reading, formats: StripeFormat.standard + formats)
        self.reading = reading
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

    /// - Parameters:
    ///   - beginsMessage: the encoder said that an answer begins here; a line cannot say so.
    ///   - endsMessage: the same of its end.
    mutating func receive(
        _ bytes: some Sequence<UInt8>, beginsMessage: Bool = false, endsMessage: Bool = false
    ) -> [Action] {
        switch state {
        case .asking(var asking):
            asking.heard = (asking.heard + bytes).suffix(MSRStream.maximumBytes)
            return answered(asking, isEnd: endsMessage)
        case .mute:
            state = .mute(hasGarbage: true)
            return []
        case .idle, .waking, .settling, .reading, .overhearing:
            let before = beginsMessage && MSRStream.beginsBlock(bytes) ? takeEvents(isOver: true) : []
            stream.add(bytes)
            return before + takeEvents() + keepTime()
        }
    }

    /// Bytes were lost: what stands there cannot be completed, and what was lost may have been all of an answer.
    mutating func bytesLost() -> [Action] {
        stream.clear()
        switch state {
        case .reading, .settling: return end(.lost) + keepTime()
        case .idle, .waking, .asking, .overhearing, .mute: return []
        }
    }

    /// The device is gone: cards that are whole are told, and nothing else.
    mutating func inputsEnded() -> [Action] {
        takeEvents(isOver: true).filter { if case .signal(.swiped) = $0 { true } else { false } }
    }

    mutating func timerFired() -> [Action] {
        switch state {
        case .idle: []
        case .overhearing: takeEvents(isOver: true)
        case .waking(let waking): answerIsDue(waking)
        case .asking(let asking): noAnswer(asking)
        case .mute(let hasGarbage): wake(MSRState.Waking(attempts: 1, hasGarbage: hasGarbage))
        case .settling where !stream.isEmpty, .reading where !stream.isEmpty:
            takeEvents(isOver: true) + keepTime()
        case .settling(let settling): settled(settling)
        case .reading: wake(MSRState.Waking(attempts: 1))
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
            return (.refused(RequestRefusal(.notApplicable, Self.takesNone)), [])
        case .reading where !stream.isEmpty, .settling where !stream.isEmpty:
            return (.refused(RequestRefusal(.busy, "a card is being read: it answers")), [])
        // It is being asked anyway.
        case .waking: return (accepted(), [])
        case .idle, .asking, .settling, .reading, .mute:
            return (accepted(), wake(MSRState.Waking(attempts: 1)))
        }
    }

    private mutating func accepted() -> RequestOutcome {
        isTested = true
        return .accepted()
    }

    // MARK: Is it there?

    mutating func wake(_ waking: MSRState.Waking) -> [Action] {
        state = .waking(waking)
        stream.clear()
        return [.send(.reset), .send(.communicationTest), .startTimer(Self.patience)]
    }

    /// The time for an answer is up. The block of a card that passed just before the look may still be on its way, and is waited for
    /// while it goes on: the next reset would find it cut.
    private mutating func answerIsDue(_ waking: MSRState.Waking) -> [Action] {
        var waking = waking
        let count = stream.buffer.count
        if count > 0, count != waking.seen, waking.waits < Self.mostBlockWaits {
            (waking.waits, waking.seen) = (waking.waits + 1, count)
            state = .waking(waking)
            return [.startTimer(Self.pause)]
        }
        let told = stream.hasBegunBlock ? takeEvents(isOver: true) : []
        guard case .waking(let waking) = state else { return told }
        return told + nobodyAnswered(waking)
    }

    private mutating func nobodyAnswered(_ waking: MSRState.Waking) -> [Action] {
        var waking = waking
        if !stream.isEmpty || stream.next(isOver: true) != nil { waking.hasGarbage = true }
        guard waking.attempts >= Self.attempts else {
            waking.attempts += 1
            return wake(waking)
        }
        // What was once heard says more than the silence since.
        let why =
            waking.hasGarbage || complaints.contains(Self.somethingElse)
            ? Self.somethingElse
            : "\(name) does not answer: has it power (some have a supply of their own), and is it the right line?"
        return fallSilent(why, .timeout)
    }

    /// Each reason is told once, until it answers again.
    mutating func fallSilent(_ why: String, _ result: ActivationResult) -> [Action] {
        var actions: [Action] = isActive ? [.signal(.lost)] : []
        isActive = false
        state = .mute(hasGarbage: false)
        stream.clear()
        if complaints.insert(why).inserted { actions += [.signal(.activationFailed(result, why: why))] }
        return actions + tested(false, why: why) + [.startTimer(Self.retry)]
    }

    mutating func tested(_ answered: Bool, why: String? = nil) -> [Action] {
        guard isTested else { return [] }
        isTested = false
        return [.signal(.testCompleted(answered, why: why))]
    }

    // MARK: What is it?

    mutating func ask(_ question: MSRQuestion) -> [Action] {
        state = .asking(MSRState.Asking(question: question))
        return [.send(question.command(reading)), .startTimer(Self.patience)]
    }

    private mutating func answered(_ asking: MSRState.Asking, isEnd: Bool) -> [Action] {
        let earlier = MSRQuestion.allCases.prefix { $0 != asking.question }
        let isDoubtful = earlier.contains { facts[$0] == nil }
        guard
            let fact = asking.question.answer(in: asking.heard, isEnd: isEnd, isDoubtful: isDoubtful)
        else {
            state = .asking(asking)
            return []
        }
        facts[asking.question] = fact
        if case .coercivity(_, inSmallLetters: true) = fact { toldVariants.insert(.smallLetters) }
        return goOn(after: asking.question)
    }

    /// The time for an answer is up. It is waited for a little longer, since the next question would get it; then a reset ends
    /// whatever the encoder is at.
    private mutating func noAnswer(_ asking: MSRState.Asking) -> [Action] {
        var asking = asking
        let actions = answered(asking, isEnd: true)
        guard actions.isEmpty else { return actions }
        guard asking.isLate else {
            asking.isLate = true
            state = .asking(asking)
            return [.startTimer(Self.lateness)]
        }
        facts[asking.question] = nil
        return [.send(.reset)] + goOn(after: asking.question)
    }

    /// One that says neither what it is nor its firmware is not asked for more than cards need.
    private mutating func goOn(after question: MSRQuestion) -> [Action] {
        if question == .firmware, facts[.model] == nil, facts[.firmware] == nil { return ask(.bits) }
        let next = MSRQuestion.allCases.drop { $0 != question }.dropFirst().first
        return next.map { ask($0) } ?? begin()
    }

    /// Everything was asked: it is what it said, and reads.
    private mutating func begin() -> [Action] {
        refusals = 0
        stream.clear()
        guard !isActive else { return read(.yellow) }
        learn()
        return [.signal(.identified(details))] + read(.yellow)
    }

    private mutating func learn() {
        if case .firmware(let text)? = facts[.firmware] { details.firmware = text }
        if case .model(let code)? = facts[.model] { details.model = "\(name) (model code \(code))" }
    }
}

extension MSRDialogue {
    private static let takesNone = "a virtual encoder takes no commands; write its answers to its source"

    var isOverhearing: Bool {
        if case .overhearing = state { true } else { false }
    }

    /// Why it has not said what it is asked for.
    var whyUnknown: PropertyError {
        if case .overhearing = state { .refused(reason: Self.takesNone) } else { .timedOut }
    }

    /// Ways of its own in which this encoder answers, as far as cards have shown.
    var variants: [String] { toldVariants.map(\.rawValue).sorted() }
}
