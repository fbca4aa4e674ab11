internal import SwipeProtocol

/// The requests that were sent and not answered yet.
struct PendingRequests {
    typealias Answer = @Sendable (Result<JSONValue, SwipeClientError>) -> Void

    private struct Request {
        var answer: Answer
        var deadline: UInt64
    }

    private var requests: [Int64: Request] = [:]
    private var lastID: Int64 = 0

    var isEmpty: Bool { requests.isEmpty }
    var firstDeadline: UInt64? { requests.values.map(\.deadline).min() }

    /// A number for a request that nobody waits for.
    mutating func newID() -> Int64 {
        lastID += 1
        return lastID
    }

    mutating func add(_ deadline: UInt64, _ answer: @escaping Answer) -> Int64 {
        let id = newID()
        requests[id] = Request(answer: answer, deadline: deadline)
        return id
    }

    mutating func take(_ id: Int64) -> Answer? { requests.removeValue(forKey: id)?.answer }

    /// Those whose time is over.
    mutating func takeLate(at now: UInt64) -> [Answer] {
        let late = requests.filter { $0.value.deadline <= now }
        for id in late.keys { requests[id] = nil }
        return late.values.map(\.answer)
    }

    mutating func takeAll() -> [Answer] {
        defer { requests = [:] }
        return requests.values.map(\.answer)
    }
}
