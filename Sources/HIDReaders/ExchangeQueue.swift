/// Commands that wait for a reader which answers one at a time.
///
/// A transport answers every command once, with a report or with an error, but maybe long after the driver gave up on
/// it: answers that come too late are counted out here, so that they are not taken for the next command's.
struct ExchangeQueue<Exchange: Sendable>: Sendable {
    /// More may not wait: a client that asks faster than the reader answers is told so.
    static var maximumWaiting: Int { 16 }

    private var waiting: [Exchange] = []
    private(set) var inFlight: Exchange?
    private var overdueAnswers = 0

    /// False when too many wait already.
    mutating func add(_ exchange: Exchange) -> Bool {
        guard waiting.count < Self.maximumWaiting else { return false }
        waiting.append(exchange)
        return true
    }

    /// The exchange to begin now; nil while one is under way or none waits.
    mutating func begin() -> Exchange? {
        guard inFlight == nil, !waiting.isEmpty else { return nil }
        inFlight = waiting.removeFirst()
        return inFlight
    }

    /// Keeps what an exchange of several steps has come to.
    mutating func update(_ exchange: Exchange) {
        if inFlight != nil { inFlight = exchange }
    }

    /// An exchange that was given up has an answer to come still: whatever fails until then is a part of it.
    var isOverdue: Bool { overdueAnswers > 0 }

    /// An answer came, or the error in its place: the exchange it belongs to, or nil for one that was given up.
    mutating func answered() -> Exchange? {
        if overdueAnswers > 0 {
            overdueAnswers -= 1
            return nil
        }
        return inFlight
    }

    /// The exchange under way is over.
    mutating func finish() { inFlight = nil }

    /// The exchange under way is given up; its answer may still come.
    mutating func giveUp() -> Exchange? {
        guard let exchange = inFlight else { return nil }
        inFlight = nil
        overdueAnswers += 1
        return exchange
    }

    /// Forgets what waits, and returns it.
    mutating func abandonWaiting() -> [Exchange] {
        defer { waiting.removeAll() }
        return waiting
    }
}
