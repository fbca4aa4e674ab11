import CardData
import StateMachine

/// One attachment of one reader: turns what the driver signals into what clients hear, in an order that never
/// skips a step.
///
/// Whatever happens, clients hear `connect`, then `activate`, then `ready`; and on the way out `unready`,
/// `deactivate`, `disconnect`, each only where its opposite was heard.
package struct ReaderLifecycle: Sendable {
    private var machine = ReaderState.machine()
    /// What is known of the reader now.
    package private(set) var details: ReaderDetails
    /// Signals that made no sense in the state they came in; each is a driver's defect or a device's.
    package private(set) var refusedSignals = 0
    /// Whether clients have heard `connect`.
    package private(set) var isIntroduced = false
    /// What clients hear right after `connect`.
    private var held: [ReaderStep] = []
    /// The prompt that people see.
    private var openPrompt: Int?
    /// Whether the reader's kind is being looked for.
    private var isDetecting = false
    /// Whether somebody waits for the result of a test.
    private var isTesting = false

    package init(_ details: ReaderDetails) {
        self.details = details
    }

    package var state: ReaderState { machine.state }

    /// Says `connect`, with what is known by now, and what was held back for it. Later calls say nothing.
    ///
    /// A reader is introduced as soon as it has told about itself, or when nobody wants to wait for that any longer:
    /// `connect` then carries its encryption, which a till must know before the first swipe.
    package mutating func introduce() -> [ReaderStep] {
        guard !isIntroduced else { return [] }
        isIntroduced = true
        defer { held = [] }
        return [ReaderStep(.connect(details), .attached)] + held
    }

    /// The driver found something out.
    package mutating func received(_ signal: ReaderSignal) -> [ReaderStep] {
        if case .autodetectStarted = signal { return detectionStarted() }
        let steps = heard(signal).filter { !isDetecting || Self.isHeardWhileDetecting($0.event) }
        guard !isIntroduced else { return steps }
        if case .identified(let details) = signal { return details.encryption == .unknown ? [] : introduce() }
        if Self.isAtWork(signal) { return introduce() + steps }
        held += steps
        return []
    }

    /// Whether the signal comes of a reader in use, which waits no longer to be introduced.
    private static func isAtWork(_ signal: ReaderSignal) -> Bool {
        if case .swiped = signal { return true }
        if case .notice = signal { return true }
        return signal == .swipeStarted
    }

    private mutating func heard(_ signal: ReaderSignal) -> [ReaderStep] {
        switch signal {
        case .identified(let details): identified(details)
        case .activated(let result): activated(result, why: nil)
        case .activationFailed(let result, let why): activated(result, why: why)
        case .deactivated: deactivated(.deactivated, .deactivated)
        case .lost: deactivated(.error, .error)
        case .ready(let expiry): change(from: .active, to: .ready, .ready(expiresIn: expiry))
        case .unready(let reason): unready(reason)
        case .swipeStarted: change(from: .ready, to: .swiping, .swipeStarted)
        case .swiped(let swipe): swiped(swipe)
        case .notice(let notice): [step(.notice(notice))]
        // An answer to one asker, which the session hands over; nothing in the reader's life.
        case .property: []
        case .promptShown(let prompt): shown(prompt)
        case .promptClosed(let id, let closure): closed(id, closure)
        case .testCompleted(let answered, let why): tested(answered, why: why)
        case .autodetectStarted: refuse()
        case .autodetectCompleted(let result): detectionCompleted(result)
        }
    }

    /// The transport could not be opened, and will be tried again.
    package mutating func openingFailed(why: String) -> [ReaderStep] {
        introduce() + [step(.activate(.unopened, why: why))]
    }

    /// The reader stopped answering but is still there: everything but its attachment ends.
    package mutating func failed() -> [ReaderStep] { stopped(.error, .error) }

    /// The reader slept with the machine: as with ``failed()``, and nothing is wrong with it.
    package mutating func suspended() -> [ReaderStep] { stopped(.suspended, .suspended) }

    private mutating func stopped(_ unready: UnreadyReason, _ reason: DetachReason) -> [ReaderStep] {
        introduce() + detectionEnded() + testGone(reason) + promptGone() + powerDown(unready, reason)
    }

    /// The reader is gone, or its life ends for another reason. Call once, last.
    package mutating func detached(_ reason: DetachReason) -> [ReaderStep] {
        introduce() + detectionEnded() + testGone(reason) + promptGone()
            + powerDown(unreadyReason(for: reason), reason)
            + change(from: .attached, to: .detached, .disconnect(reason))
    }

    private mutating func identified(_ new: ReaderDetails) -> [ReaderStep] {
        guard new != details else { return [] }
        details = new
        return [step(.identified(new))]
    }

    private mutating func activated(_ result: ActivationResult, why: String?) -> [ReaderStep] {
        guard result == .success else {
            return machine.state == .attached ? [step(.activate(result, why: why))] : refuse()
        }
        return change(from: .attached, to: .active, .activate(.success, why: nil))
    }

    private mutating func deactivated(_ unready: UnreadyReason, _ reason: DetachReason) -> [ReaderStep] {
        guard machine.state != .attached else { return refuse() }
        return powerDown(unready, reason)
    }

    /// A swipe counts where swipes are accepted. From a reader whose bus does not tell when a swipe starts, it
    /// comes without `swipeStarted`.
    private mutating func swiped(_ swipe: Swipe) -> [ReaderStep] {
        switch machine.state {
        case .ready: [step(.swipe(swipe))]
        case .swiping: change(from: .swiping, to: .ready, .swipe(swipe))
        case .attached, .active, .detached: refuse()
        }
    }

    /// Walks down to `attached`, saying each step.
    private mutating func powerDown(_ unready: UnreadyReason, _ reason: DetachReason) -> [ReaderStep] {
        var steps: [ReaderStep] = []
        if machine.state == .ready || machine.state == .swiping { steps += self.unready(unready) }
        if machine.state == .active { steps += change(from: .active, to: .attached, .deactivate(reason)) }
        return steps
    }

    /// Ends readiness. A card that was passing is unreadable, never a card.
    private mutating func unready(_ reason: UnreadyReason) -> [ReaderStep] {
        var steps: [ReaderStep] = []
        if machine.state == .swiping {
            let unreadable = Swipe(tracks: [], quality: SwipeQuality(hint: .partial))
            steps += change(from: .swiping, to: .ready, .swipe(unreadable))
        }
        return steps + change(from: .ready, to: .active, .unready(reason))
    }

    private func unreadyReason(for reason: DetachReason) -> UnreadyReason {
        switch reason {
        case .unplugged, .removed, .shutdown: .disconnected
        case .deactivated: .deactivated
        case .error: .error
        case .suspended: .suspended
        }
    }

    /// An event belongs to one transition, so both its ends must fit: `unready` is not what happens when an
    /// attached reader becomes active.
    private mutating func change(
        from old: ReaderState, to new: ReaderState, _ event: ReaderEvent
    ) -> [ReaderStep] {
        machine.state == old && machine.change(to: new) ? [step(event)] : refuse()
    }

    private func step(_ event: ReaderEvent) -> ReaderStep {
        ReaderStep(event, machine.state)
    }

    private mutating func refuse() -> [ReaderStep] {
        refusedSignals += 1
        return []
    }
}

/// The search for the kind of a reader.
extension ReaderLifecycle {
    private mutating func detectionStarted() -> [ReaderStep] {
        guard !isDetecting, machine.state == .attached else { return refuse() }
        isDetecting = true
        isIntroduced = true
        defer { held = [] }
        return [step(.autodetectStarted(details))] + held
    }

    private mutating func detectionCompleted(_ result: AutodetectResult) -> [ReaderStep] {
        guard isDetecting else { return refuse() }
        isDetecting = false
        return [step(.autodetectCompleted(result, details))]
    }

    /// The reader goes before it was known.
    private mutating func detectionEnded() -> [ReaderStep] {
        isDetecting ? detectionCompleted(.fail) : []
    }

    /// Clients that were told nothing of power and readiness find the state that came of them in the last event.
    private static func isHeardWhileDetecting(_ event: ReaderEvent) -> Bool {
        if case .notice = event { return true }
        if case .autodetectStarted = event { return true }
        if case .autodetectCompleted = event { return true }
        return false
    }
}

/// The one prompt that people see.
extension ReaderLifecycle {
    private mutating func shown(_ prompt: ReaderPrompt) -> [ReaderStep] {
        guard !isDetecting else { return [] }
        let closed = openPrompt.map { [step(.promptClosed(id: $0, .over))] } ?? []
        openPrompt = prompt.id
        return closed + [step(.promptShown(prompt))]
    }

    private mutating func closed(_ id: Int, _ closure: PromptClosure) -> [ReaderStep] {
        guard openPrompt == id else { return refuse() }
        openPrompt = nil
        return [step(.promptClosed(id: id, closure))]
    }

    private mutating func promptGone() -> [ReaderStep] {
        openPrompt.map { closed($0, .disconnected) } ?? []
    }
}

/// A test of whether the reader answers: whoever asked for it hears a result, whatever becomes of the reader.
extension ReaderLifecycle {
    /// Somebody asked for a test, and the driver makes one.
    package mutating func testBegan() { isTesting = true }

    private mutating func tested(_ answered: Bool, why: String?) -> [ReaderStep] {
        isTesting = false
        return [step(.testCompleted(answered, why: why))]
    }

    private mutating func testGone(_ reason: DetachReason) -> [ReaderStep] {
        guard isTesting else { return [] }
        let why =
            switch reason {
            case .unplugged: "the reader was pulled out"
            case .deactivated: "another kind of reader is expected now"
            case .error: "the sound card failed"
            case .suspended: "the sound card was suspended"
            case .removed: "the configuration no longer has the reader"
            case .shutdown: "the daemon ends"
            }
        return tested(false, why: why)
    }
}
