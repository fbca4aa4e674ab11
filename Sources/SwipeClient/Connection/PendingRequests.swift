internal import SwipeProtocol

/// The requests that were sent and not answered yet.
struct PendingRequests {
    typealias Answer = @Sendable (Result<JSONValue, SwipeClientError>) -> Void

    private struct Request {
        var answer: Answer
        var deadline: UInt64
        var claims: String?
    }

    private var requests: [Int64: Request] = [:]
    /// By the request's number: readers whose claim nobody waits for any more. The daemon answers it all the same.
    private var lateClaims: [Int64: String] = [:]
    private var lastID: Int64 = 0
    /// No request's time is over before that; the one whose it was may have been answered. Kept, and not looked for: the
    /// connection's thread asks at each turn, whatever number of requests waits.
    private var earliest = UInt64.max

    var isEmpty: Bool { requests.isEmpty }
    var firstDeadline: UInt64? { requests.isEmpty ? nil : earliest }

    /// - Parameter claims: the reader that the request claims.
    mutating func add(_ deadline: UInt64, claims: String? = nil, _ answer: @escaping Answer) -> Int64 {
        lastID += 1
        requests[lastID] = Request(answer: answer, deadline: deadline, claims: claims)
        earliest = min(earliest, deadline)
        return lastID
    }

    mutating func take(_ id: Int64) -> Answer? { requests.removeValue(forKey: id)?.answer }

    /// The reader that this request claimed after its time was over.
    mutating func takeLateClaim(_ id: Int64) -> String? { lateClaims.removeValue(forKey: id) }

    /// Whether somebody waits for a claim on the reader.
    func isClaiming(_ reader: String) -> Bool { requests.values.contains { $0.claims == reader } }

    /// Those whose time is over.
    mutating func takeLate(at now: UInt64) -> [Answer] {
        guard earliest <= now else { return [] }
        let late = requests.filter { $0.value.deadline <= now }
        for (id, request) in late {
            requests[id] = nil
            lateClaims[id] = request.claims
        }
        earliest = requests.values.map(\.deadline).min() ?? UInt64.max
        return late.values.map(\.answer)
    }

    mutating func takeAll() -> [Answer] {
        defer {
            requests = [:]
            // What the daemon granted meanwhile went with the connection.
            lateClaims = [:]
        }
        return requests.values.map(\.answer)
    }
}
