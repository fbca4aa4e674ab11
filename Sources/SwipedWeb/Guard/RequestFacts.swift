internal import NIOHTTP1

/// What of a request decides whether it is answered.
struct RequestFacts: Sendable {
    var method: String
    var path: String
    var query: String
    var hosts: [String] = []
    var origins: [String] = []
    /// From `Authorization: Bearer`, or from the subprotocols that a page's WebSocket offers.
    var token: String?
    var subprotocols: [String] = []
    var contentType = ""
    var fetchSite = ""
    var fetchMode = ""
    /// Asks for a WebSocket of the version that there is (RFC 6455, 4.1).
    var asksForWebSocket = false
    var asksForPrivateNetwork = false
    /// The last event that the page saw: `Last-Event-ID`.
    var lastEvent = ""

    /// The subprotocol of the lines, and what a token's begins with: a page can set no other header of a WebSocket.
    static let subprotocol = "swipe.1"
    private static let tokenPrefix = "swipe.token."
    private static let bearer = "bearer "

    init(method: String, target: String) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map(String.init) ?? ""
        query = parts.count > 1 ? String(parts[1]) : ""
    }

    init(_ head: HTTPRequestHead) {
        self.init(method: head.method.rawValue, target: head.uri)
        hosts = head.headers["host"]
        origins = head.headers["origin"]
        subprotocols = head.headers[canonicalForm: "sec-websocket-protocol"].map(String.init)
        contentType = head.headers.first(name: "content-type") ?? ""
        fetchSite = head.headers.first(name: "sec-fetch-site") ?? ""
        fetchMode = head.headers.first(name: "sec-fetch-mode") ?? ""
        asksForWebSocket =
            head.headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
            && head.headers["sec-websocket-version"] == ["13"]
        asksForPrivateNetwork = head.headers.contains(name: "access-control-request-private-network")
        lastEvent = head.headers.first(name: "last-event-id") ?? ""
        token = Self.token(head.headers["authorization"], subprotocols)
    }

    private static func token(_ authorizations: [String], _ subprotocols: [String]) -> String? {
        if let first = authorizations.first {
            // Two are none: which of them counts, two programs may see in two ways.
            guard authorizations.count == 1 else { return "" }
            return first.lowercased().hasPrefix(bearer) ? String(first.dropFirst(bearer.count)) : first
        }
        return subprotocols.first { $0.hasPrefix(tokenPrefix) }.map {
            String($0.dropFirst(tokenPrefix.count))
        }
    }
}
