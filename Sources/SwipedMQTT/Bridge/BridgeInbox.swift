internal import Synchronization

/// What the bridge is told and has not looked at yet: of nothing more than a limit, whatever either side sends.
///
/// Messages from whoever may write to the broker are dropped where too many wait, and hold up nothing else. The daemon's events wait in
/// its socket meanwhile (``isFull``). Of the rest there is little by what makes it: 16 confirmations and a refusal a connection, an
/// answer a question. One tick waits, and one word to end.
final class BridgeInbox: Sendable {
    let inputs: AsyncStream<BridgeInput>
    private let continuation: AsyncStream<BridgeInput>.Continuation
    private let messages = Atomic<Int>(0)
    private let facts = Atomic<Int>(0)
    private let hasTick = Atomic<Bool>(false)
    private let hasStop = Atomic<Bool>(false)

    static let maximum = 1_024
    /// Where the daemon's events wait, there is room for the rest; no more than this, come what may.
    static let maximumFacts = 2 * maximum

    private enum Kind {
        case message, fact, turn, tick, stop
    }

    init() { (inputs, continuation) = AsyncStream<BridgeInput>.makeStream() }

    /// Whether the daemon's events have to wait.
    var isFull: Bool { facts.load(ordering: .relaxed) >= Self.maximum }

    func tell(_ input: BridgeInput) {
        if takesRoom(Self.kind(of: input)) { continuation.yield(input) }
    }

    /// One was looked at.
    func taken(_ input: BridgeInput) {
        switch Self.kind(of: input) {
        case .message: messages.subtract(1, ordering: .relaxed)
        case .fact: facts.subtract(1, ordering: .relaxed)
        case .turn: break
        case .tick: hasTick.store(false, ordering: .relaxed)
        case .stop: hasStop.store(false, ordering: .relaxed)
        }
    }

    private func takesRoom(_ kind: Kind) -> Bool {
        switch kind {
        case .message: Self.takesRoom(messages, Self.maximum)
        case .fact: Self.takesRoom(facts, Self.maximumFacts)
        case .turn: true
        case .tick: !hasTick.exchange(true, ordering: .relaxed)
        case .stop: !hasStop.exchange(true, ordering: .relaxed)
        }
    }

    private static func takesRoom(_ count: borrowing Atomic<Int>, _ maximum: Int) -> Bool {
        guard count.add(1, ordering: .relaxed).newValue > maximum else { return true }
        count.subtract(1, ordering: .relaxed)
        return false
    }

    /// A turn is a connection's beginning or end, with a pause before the next: each has to be known.
    private static func kind(of input: BridgeInput) -> Kind {
        switch input {
        case .broker(connection: _, .received): .message
        case .broker(connection: _, .connected), .broker(connection: _, .lost): .turn
        case .broker(connection: _, .settled), .broker(connection: _, .subscriptionRefused): .fact
        case .daemonConnected, .daemonLost, .daemonShowsTooLittle, .daemonUnsuited: .turn
        case .event, .readers, .statistics, .answered: .fact
        case .tick: .tick
        case .stop: .stop
        }
    }
}
