internal import SwipeProtocol

/// The claims that a client holds or wants back, to claim them again after an interruption.
struct HeldClaims {
    private struct Claim {
        var token: String?
        /// The reader was not there when it was claimed again: once more when it comes.
        var waitsForReader = false
    }

    private var claims: [String: Claim] = [:]

    var isEmpty: Bool { claims.isEmpty }
    var readers: [String] { Array(claims.keys) }
    /// The readers that are to be claimed again when they come.
    var missed: Set<String> { Set(claims.filter { $0.value.waitsForReader }.keys) }

    func isKnown(_ reader: String) -> Bool { claims[reader] != nil }

    func token(of reader: String) -> String? { claims[reader]?.token }

    /// Whether the reader, which is there now, is to be claimed again.
    func isMissed(_ reader: String) -> Bool { claims[reader]?.waitsForReader == true }

    mutating func granted(_ reader: String, token: String?) { claims[reader] = Claim(token: token) }

    mutating func forget(_ reader: String) { claims[reader] = nil }

    mutating func isAsked(_ reader: String) { claims[reader]?.waitsForReader = false }

    /// What the daemon said when the reader was claimed again.
    mutating func answered(_ reader: String, _ result: Result<JSONValue, SwipeClientError>) {
        guard claims[reader] != nil else { return }
        switch result {
        case .success(let grant): claims[reader] = Claim(token: grant.object?["token"]?.string)
        case .failure(let error):
            // A connection that broke asks again when it is back.
            guard error.reply != nil else { return }
            // A daemon that was restarted has not found its readers yet. Otherwise another has it by now: the next
            // control is refused and says so.
            if error.code == .noSuchReader {
                claims[reader]?.waitsForReader = true
            } else {
                claims[reader] = nil
            }
        }
    }
}
