internal import SwipeProtocol

/// Who waits for the daemon's greeting, and until when.
struct GreetingWaiters {
    typealias Continuation = CheckedContinuation<Result<Hello, SwipeClientError>, Never>

    private struct Waiter {
        var continuation: Continuation
        var deadline: UInt64
    }

    private var waiters: [UInt64: Waiter] = [:]
    private var lastTicket: UInt64 = 0

    var firstDeadline: UInt64? { waiters.values.map(\.deadline).min() }

    /// Names one who may wait.
    mutating func newTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    mutating func add(_ ticket: UInt64, _ continuation: Continuation, until deadline: UInt64) {
        waiters[ticket] = Waiter(continuation: continuation, deadline: deadline)
    }

    mutating func take(_ ticket: UInt64) -> Continuation? {
        waiters.removeValue(forKey: ticket)?.continuation
    }

    /// Those whose time is over.
    mutating func takeLate(at now: UInt64) -> [Continuation] {
        let late = waiters.filter { $0.value.deadline <= now }
        for ticket in late.keys { waiters[ticket] = nil }
        return late.values.map(\.continuation)
    }

    mutating func takeAll() -> [Continuation] {
        defer { waiters = [:] }
        return waiters.values.map(\.continuation)
    }
}
