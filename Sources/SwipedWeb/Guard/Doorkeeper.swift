internal import SwipeProtocol

/// Who asks, and what it may.
struct Visitor: Sendable, Hashable {
    /// The page's origin; of a program without one, that of its token.
    var origin: WebOrigin
    var role: Role
    var isOperator: Bool
    /// The id of its token; nil where the configuration asks for none.
    var token: String?
}

/// Decides whether a request is answered: by its `Host`, its `Origin` and its token, in that order.
struct Doorkeeper: Sendable {
    /// What the configuration says of an origin.
    struct Rule: Sendable, Hashable {
        var role = Role.masked
        var needsPairing = true
    }

    let rules: [WebOrigin: Rule]
    /// For the pages that the gateway serves itself.
    let live: Rule

    /// The origin of a request that may have one, and is from here or from a page that the configuration names; nil where it
    /// says none.
    func origin(_ request: RequestFacts, at own: OwnHosts) throws(Refusal) -> WebOrigin? {
        guard request.hosts.count == 1, let host = request.hosts.first else { throw .hostMissing }
        guard own.hosts.contains(host) else { throw .hostForeign }
        guard let text = request.origins.first else {
            // A browser leaves it out where a page asks its own origin by GET, and says that in a header which no page can set.
            return request.fetchSite == "same-origin" ? own.origin(of: host) : nil
        }
        if text == "null" { throw .originNull }
        guard request.origins.count == 1, let origin = WebOrigin(text), rule(for: origin, at: own) != nil
        else {
            throw .originForeign
        }
        return origin
    }

    func rule(for origin: WebOrigin, at own: OwnHosts) -> Rule? {
        own.origins.contains(origin) ? live : rules[origin]
    }

    /// The live page may be come to from anywhere; what belongs to it is asked for by it alone.
    func admitToFiles(_ request: RequestFacts) throws(Refusal) {
        let isForeign = !["", "same-origin", "none"].contains(request.fetchSite)
        if isForeign, request.fetchMode != "navigate" { throw .crossSite }
    }

    /// What needs a token, unless the configuration says otherwise for the page's origin.
    ///
    /// - Parameter token: checks the request's token.
    func admit(
        _ request: RequestFacts, at own: OwnHosts, token: (String) throws(Refusal) -> TokenStore.Entry
    ) throws(Refusal) -> Visitor {
        let origin = try origin(request, at: own)
        guard let secret = request.token else {
            guard let origin else { throw .originMissing }
            guard let rule = rule(for: origin, at: own), !rule.needsPairing else { throw .tokenMissing }
            return Visitor(origin: origin, role: rule.role, isOperator: false, token: nil)
        }
        let entry = try token(secret)
        guard origin == nil || origin == entry.origin else { throw .tokenOfAnotherOrigin }
        guard let rule = rule(for: entry.origin, at: own) else { throw .originForeign }
        let isOperator = entry.isOperator && own.origins.contains(entry.origin)
        return Visitor(origin: entry.origin, role: rule.role, isOperator: isOperator, token: entry.id)
    }
}
