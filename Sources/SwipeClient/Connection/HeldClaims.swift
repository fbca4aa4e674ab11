internal import SwipeProtocol

/// The claims that a client holds or wants back, to claim them again after an interruption.
struct HeldClaims {
    /// A claim that is over: for whom, and why.
    struct Loss {
        var scopes: [ClaimScope]
        var error: SwipeClientError
    }

    private struct Claim {
        var token: String?
        /// The reader is not there: it is claimed again when it comes.
        var waitsForReader = false
        /// Who holds it: the daemon grants a reader to the same connection as often as it asks.
        var scopes: [ClaimScope] = []
    }

    private var claims: [String: Claim] = [:]

    var isEmpty: Bool { claims.isEmpty }
    var readers: [String] { Array(claims.keys) }
    var scopes: [ClaimScope] { claims.values.flatMap(\.scopes) }
    /// The readers that are to be claimed again when they come.
    var missed: Set<String> { Set(claims.filter { $0.value.waitsForReader }.keys) }

    func isKnown(_ reader: String) -> Bool { claims[reader] != nil }

    func token(of reader: String) -> String? { claims[reader]?.token }

    /// Whether the reader, which is there now, is to be claimed again.
    func isMissed(_ reader: String) -> Bool { claims[reader]?.waitsForReader == true }

    mutating func granted(_ scope: ClaimScope, token: String?) {
        let others = claims[scope.reader]?.scopes ?? []
        claims[scope.reader] = Claim(token: token, scopes: others + [scope])
    }

    /// The scope has ended; whether the claim has with it.
    mutating func forget(_ scope: ClaimScope) -> Bool {
        guard let claim = claims[scope.reader] else { return false }
        let others = claim.scopes.filter { $0 !== scope }
        if others.isEmpty { claims[scope.reader] = nil } else { claims[scope.reader]?.scopes = others }
        return others.isEmpty
    }

    mutating func isAsked(_ reader: String) { claims[reader]?.waitsForReader = false }

    /// What the daemon said when the reader was claimed again.
    ///
    /// - Returns: what is lost, where it said no.
    mutating func answered(_ reader: String, _ result: Result<JSONValue, SwipeClientError>) -> Loss? {
        guard claims[reader] != nil else { return nil }
        switch result {
        case .success(let grant): claims[reader]?.token = grant.object?["token"]?.string
        case .failure(let error):
            // A connection that broke asks again when it is back.
            guard let reply = error.reply else { return nil }
            // A daemon that was restarted has not found its readers yet.
            if error.code == .noSuchReader { return wait(for: reader) }
            guard reply.code == .claimHeld else { return lose(reader, error) }
            var lost = SwipeClientError(
                .claimLost, "another client has claimed '\(reader)' while it was not this one's")
            lost.reply = reply
            return lose(reader, lost)
        }
        return nil
    }

    /// The daemon says that it has ended the claim.
    ///
    /// - Returns: what is lost, where the reader is not to be claimed again.
    mutating func ended(_ reader: String, _ why: ClaimEnd) -> Loss? {
        guard claims[reader] != nil else { return nil }
        switch why {
        case .readerGone: return wait(for: reader)
        case .taken: return lose(reader, SwipeClientError(.claimLost, "another client has got '\(reader)'"))
        // What this client gives back it has forgotten before.
        case .released, .disconnected, .unrecognized:
            return lose(reader, SwipeClientError(.claimLost, "the daemon ended the claim on '\(reader)'"))
        }
    }

    private mutating func wait(for reader: String) -> Loss? {
        claims[reader]?.waitsForReader = true
        return nil
    }

    private mutating func lose(_ reader: String, _ error: SwipeClientError) -> Loss? {
        claims.removeValue(forKey: reader).map { Loss(scopes: $0.scopes, error: error) }
    }
}
