/// What is to be published, until the broker has it: in memory alone, and never more than a limit.
///
/// States are kept for as long as they hold, one a topic, and sent anew to each connection. Swipes wait in order; of too many, the
/// oldest goes. What was on its way when a connection broke is sent again.
struct Outbox: Sendable {
    /// A swipe that waits.
    struct Swipe: Sendable, Hashable {
        var topic: String
        var payload: [UInt8]
        var instance: String
        var sequence: UInt64
        /// When nobody wants it any more, in CLOCK_MONOTONIC nanoseconds.
        var deadline: UInt64
    }

    /// What a command is answered: nothing that is counted where it is lost.
    struct Answer: Sendable, Hashable {
        var topic: String
        var payload: [UInt8]
        var deadline: UInt64
    }

    /// One message to hand to the connection.
    struct Outgoing: Sendable, Hashable {
        var topic: String
        var payload: [UInt8]
        var isRetained: Bool
        /// How long the broker may keep it, in seconds.
        var expiry: UInt32?
        fileprivate var content: Content
    }

    fileprivate enum Content: Sendable, Hashable {
        case retained(topic: String, version: UInt64)
        case swipe(Swipe)
        case loss(LossLedger.Entry)
        case answer(Answer)
    }

    private struct Retained: Sendable {
        var payload: [UInt8]
        var version: UInt64
        /// Whether the broker may have the topic: of any other there is nothing to take back.
        var isKnown: Bool
    }

    /// What a message is.
    enum What: String, Sendable, Hashable {
        case state, swipe, loss, answer
    }

    /// What came of a message that the broker has answered.
    enum Settled: Sendable, Hashable {
        case state, swipe, answer
        case loss(Loss)
        /// With the topic, where that is one of ours for long.
        case refused(What, topic: String?)
        /// It answers something that was not sent on this connection.
        case unknown
    }

    private let limit: Int
    private var swipes: [Swipe] = []
    private var answers: [Answer] = []
    private var retained: [String: Retained] = [:]
    /// Topics whose state is to be sent, in the order in which they changed.
    private var changed: [String] = []
    private var lastVersion: UInt64 = 0
    private var inFlight: [Int32: Content] = [:]
    /// When each was sent.
    private var sentAt: [Int32: UInt64] = [:]
    private(set) var losses = LossLedger()
    private(set) var isConnected = false

    /// Messages that are on their way at once: fewer than any broker refuses, and enough to keep a line busy.
    static let window = 16
    /// Answers that wait; of more, the oldest goes.
    static let maximumAnswers = 64

    init(limit: Int) { self.limit = limit }

    var waiting: Int { swipes.count + inFlight.values.count(where: \.isSwipe) }
    /// Whether the broker has everything.
    var isEmpty: Bool { swipes.isEmpty && changed.isEmpty && inFlight.isEmpty && losses.isEmpty }

    // MARK: What is to be told

    mutating func add(_ swipe: Swipe) {
        swipes.append(swipe)
        while swipes.count > limit { lose(swipes.removeFirst(), .queueFull) }
    }

    mutating func add(_ answer: Answer) {
        answers.append(answer)
        if answers.count > Self.maximumAnswers { answers.removeFirst() }
    }

    mutating func add(_ loss: Loss) { losses.add(loss) }

    /// A state that holds from now on. An empty one takes the topic's last state from the broker.
    mutating func retain(_ topic: String, _ payload: [UInt8]) {
        let before = retained[topic]
        guard before?.payload != payload else { return }
        if payload.isEmpty, before?.isKnown == false {
            retained[topic] = nil
            return changed.removeAll { $0 == topic }
        }
        lastVersion += 1
        retained[topic] = Retained(
            payload: payload, version: lastVersion, isKnown: before?.isKnown ?? payload.isEmpty)
        if !changed.contains(topic) { changed.append(topic) }
    }

    /// The broker has a state there, of a run before this one.
    mutating func isKnown(_ topic: String) { retained[topic]?.isKnown = true }

    /// States of these topics are sent once more.
    mutating func sendAgain(_ isWanted: (String) -> Bool) {
        for topic in retained.keys.sorted() where isWanted(topic) && !changed.contains(topic) {
            changed.append(topic)
        }
    }

    private mutating func lose(_ swipe: Swipe, _ reason: Loss.Reason) {
        losses.add(
            Loss(reason, instance: swipe.instance, from: swipe.sequence, to: swipe.sequence, count: 1))
    }

    // MARK: The connection

    /// The broker may be another, or have forgotten everything: all states are sent, those of `first` before the others.
    mutating func connected(first: String) {
        isConnected = true
        let rest = retained.keys.filter { $0 != first }.sorted()
        changed = (retained[first] == nil ? [] : [first]) + rest
    }

    mutating func disconnected() {
        isConnected = false
        let flights = inFlight.sorted { $0.key < $1.key }.map(\.value)
        (inFlight, sentAt) = ([:], [:])
        var back: [Swipe] = []
        // What was answered to an application of the connection before, nobody waits for any more.
        answers = []
        for flight in flights.reversed() {
            switch flight {
            case .swipe(let swipe): back.append(swipe)
            case .loss(let entry): losses.giveBack(entry)
            case .retained, .answer: break
            }
        }
        // The numbers of messages begin again after 65,535, those of swipes do not.
        swipes.insert(contentsOf: back.sorted { $0.order < $1.order }, at: 0)
        while swipes.count > limit { lose(swipes.removeFirst(), .queueFull) }
    }

    /// What waited too long is lost.
    mutating func expire(at now: UInt64) {
        answers.removeAll { $0.deadline <= now }
        while let first = swipes.first, first.deadline <= now { lose(swipes.removeFirst(), .expired) }
    }

    /// The next message, where there is one and it may be sent now. The caller says ``sent(_:as:)`` or ``giveBack(_:)``.
    ///
    /// - Parameter describe: makes a loss's message.
    mutating func next(
        at now: UInt64, lossTopic: String, describe: (LossLedger.Entry, [Loss.Reason: UInt64]) -> [UInt8]
    ) -> Outgoing? {
        guard isConnected, inFlight.count < Self.window else { return nil }
        expire(at: now)
        while !changed.isEmpty {
            let topic = changed.removeFirst()
            guard let state = retained[topic] else { continue }
            return Outgoing(
                topic: topic, payload: state.payload, isRetained: true,
                content: .retained(topic: topic, version: state.version))
        }
        if let entry = losses.takeFirst() {
            return Outgoing(
                topic: lossTopic, payload: describe(entry, losses.totals), isRetained: false,
                content: .loss(entry))
        }
        if !answers.isEmpty {
            let answer = answers.removeFirst()
            return Outgoing(
                topic: answer.topic, payload: answer.payload, isRetained: false,
                expiry: Self.seconds(from: now, to: answer.deadline), content: .answer(answer))
        }
        guard let swipe = swipes.first else { return nil }
        swipes.removeFirst()
        return Outgoing(
            topic: swipe.topic, payload: swipe.payload, isRetained: false,
            expiry: Self.seconds(from: now, to: swipe.deadline), content: .swipe(swipe))
    }

    /// What is left of the time, rounded up.
    private static func seconds(from now: UInt64, to deadline: UInt64) -> UInt32 {
        UInt32(clamping: (deadline - now + 999_999_999) / 1_000_000_000)
    }

    /// Since when the broker owes an answer.
    var unansweredSince: UInt64? { sentAt.values.min() }

    mutating func sent(_ outgoing: Outgoing, as message: Int32, at now: UInt64 = 0) {
        inFlight[message] = outgoing.content
        sentAt[message] = now
        if case .retained(let topic, _) = outgoing.content { isKnown(topic) }
    }

    /// The connection did not take it; it is about to end, or takes more after a while.
    mutating func giveBack(_ outgoing: Outgoing) {
        switch outgoing.content {
        case .swipe(let swipe): swipes.insert(swipe, at: 0)
        case .loss(let entry): losses.giveBack(entry)
        case .retained(let topic, _): changed.insert(topic, at: 0)
        case .answer(let answer): if answers.count < Self.maximumAnswers { answers.insert(answer, at: 0) }
        }
        isConnected = false
    }

    /// The connection is still there: what it did not take is handed to it again.
    mutating func tryAgain() { isConnected = true }

    /// The broker has it, or refuses it for good.
    mutating func settled(_ message: Int32, isRefused: Bool) -> Settled {
        guard let content = inFlight.removeValue(forKey: message) else { return .unknown }
        sentAt[message] = nil
        return settle(content, isRefused: isRefused)
    }

    /// It cannot even be sent.
    mutating func refused(_ outgoing: Outgoing) -> Settled { settle(outgoing.content, isRefused: true) }

    private mutating func settle(_ content: Content, isRefused: Bool) -> Settled {
        switch content {
        case .retained(let topic, let version):
            // What is taken back is done with.
            if retained[topic]?.version == version, retained[topic]?.payload.isEmpty == true {
                retained[topic] = nil
            }
        case .swipe(let swipe): if isRefused { lose(swipe, .refused) }
        // A broker that refuses to hear of losses cannot be told of more.
        case .loss, .answer: break
        }
        return switch content {
        case .retained(let topic, _): isRefused ? .refused(.state, topic: topic) : .state
        case .swipe(let swipe): isRefused ? .refused(.swipe, topic: swipe.topic) : .swipe
        case .loss(let entry): isRefused ? .refused(.loss, topic: nil) : .loss(entry.loss)
        case .answer: isRefused ? .refused(.answer, topic: nil) : .answer
        }
    }

    // MARK: How far it has come

    /// The last number of a run of the daemon up to which everything is with the broker, or told to be lost.
    func settledUpTo(_ last: UInt64, of instance: String) -> UInt64 {
        var first = UInt64.max
        for swipe in swipes + inFlight.values.compactMap(\.swipe) where swipe.instance == instance {
            first = min(first, swipe.sequence)
        }
        let told = losses.firsts + inFlight.values.compactMap(\.loss).map { ($0.instance, $0.from) }
        for (of, from) in told where of == instance { first = min(first, from ?? first) }
        return first == .max ? last : min(last, first == 0 ? 0 : first - 1)
    }

    /// Whether anything waits that is of another run of the daemon, or of none that is known: its number says nothing of that.
    func holdsOthers(than instance: String) -> Bool {
        swipes.contains { $0.instance != instance } || losses.firsts.contains { $0.instance != instance }
            || inFlight.values.contains { content in
                switch content {
                case .swipe(let swipe): swipe.instance != instance
                case .loss(let entry): entry.loss.instance != instance
                case .retained, .answer: false
                }
            }
    }
}

extension Outbox.Content {
    fileprivate var isSwipe: Bool { swipe != nil }
    fileprivate var swipe: Outbox.Swipe? { if case .swipe(let swipe) = self { swipe } else { nil } }
    fileprivate var loss: Loss? { if case .loss(let entry) = self { entry.loss } else { nil } }
}

extension Outbox.Swipe {
    /// Swipes of one configuration live equally long: the earlier one ends first.
    fileprivate var order: (UInt64, UInt64) { (deadline, sequence) }
}
