internal import SwipeProtocol

/// A line on its way, shared by all connections that get it.
final class Delivery {
    let line: EncodedLine
    /// The event's number; nil for replies and for what concerns one connection.
    let sequence: UInt64?
    /// What a later event of the same key replaces for a client that reads too slowly; nil for what must not get lost.
    let state: StateKey?
    /// For a swipe: under what it is in custody; nil for a line that need not be delivered.
    let receipt: SwipeCustody.Receipt?
    /// For a line with a receipt, which holds a card: since when it waits, in CLOCK_MONOTONIC nanoseconds.
    let madeAt: UInt64?

    init(
        _ line: EncodedLine, sequence: UInt64? = nil, state: StateKey? = nil,
        receipt: SwipeCustody.Receipt? = nil
    ) {
        self.line = line
        self.sequence = sequence
        self.state = state
        self.receipt = receipt
        madeAt = receipt == nil ? nil : EventInstant.monotonic()
    }
}

/// One thing about one reader of which only the latest news matters.
struct StateKey: Sendable, Hashable {
    var reader: String
    var aspect: ReaderAspect
    /// For a claim that ended: the connection that does not hold the reader any more, which has to know it whatever others
    /// do meanwhile. Else 0.
    var holder: UInt64 = 0

    /// Nil for what no later event replaces.
    init?(reader: String?, _ event: EventBody) {
        guard let reader, let aspect = event.kind?.aspect else { return nil }
        self.reader = reader
        self.aspect = aspect
        if case .claimReleased(_, let holder) = event { self.holder = holder.connection }
    }
}

/// Walks through a queue from its end, and says of each state whether it is the newest of its kind there.
struct NewestStates {
    private let connection: UInt64
    private var states: Set<StateKey> = []
    /// Readers that came or went later: what was true of the attachment before is not any more.
    private var arrivals: Set<String> = []

    /// - Parameter connection: whose queue it is.
    init(connection: UInt64) { self.connection = connection }

    /// Whether nothing that came later replaces it.
    mutating func insert(_ state: StateKey) -> Bool {
        var state = state
        switch state.aspect {
        case .presence: arrivals.insert(state.reader)
        case .details, .power, .readiness: if arrivals.contains(state.reader) { return false }
        // A client that connects anew for each claim must not fill the queues of all others.
        case .claim: if state.holder != connection { state.holder = 0 }
        case .type, .test, .prompt, .contention: break
        }
        return states.insert(state).inserted
    }
}
