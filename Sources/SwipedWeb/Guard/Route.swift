/// What the gateway answers, by path and method.
enum Route: Sendable, Hashable {
    /// A file of the live page.
    case file(String)
    case socket
    case events
    /// Says what is wrong with the readers.
    case problems
    /// Says what a token is good for.
    case session
    case askForPairing
    case collectToken
    /// What an operator's session may do: what `swipectl web` does.
    case operate(String)
    /// A browser asks whether a page of another origin may ask.
    case preflight

    static let operations = ["pairings", "pair", "tokens", "revoke"]

    /// What there is at a path; nil where there is nothing.
    ///
    /// - Parameter files: the paths of the live page's files.
    static func named(_ path: String, files: Set<String>) -> Route? {
        switch path {
        case "/v1/socket": .socket
        case "/v1/events": .events
        case "/v1/problems": .problems
        case "/v1/session": .session
        case "/v1/pairings": .askForPairing
        case "/v1/pairings/token": .collectToken
        case _ where files.contains(path): .file(path)
        case _ where path.hasPrefix("/v1/operator/"):
            operations.first { path == "/v1/operator/" + $0 }.map(Route.operate)
        case _: nil
        }
    }

    static func of(_ request: RequestFacts, files: Set<String>) throws(Refusal) -> Route {
        guard let route = named(request.path, files: files) else { throw .pathUnknown }
        if request.method == "OPTIONS", request.path.hasPrefix("/v1/") { return .preflight }
        guard request.method == route.method else { throw .methodWrong }
        return route
    }

    var method: String { changesSomething ? "POST" : "GET" }

    /// Such a one is asked for by POST with a body of JSON, which a browser sends to another origin after a preflight only.
    var changesSomething: Bool {
        switch self {
        case .askForPairing, .collectToken, .operate: true
        case .file, .socket, .events, .problems, .session, .preflight: false
        }
    }
}
