/// Pages that ask to be known, until a person has read their code and an operator has confirmed it.
///
/// The page shows the code to people and keeps a ticket for itself; only the ticket gets the token, once.
struct PairingDesk: Sendable {
    struct Pairing: Sendable {
        var origin: WebOrigin
        var code: String
        var ticket: String
        var askedAt: UInt64
        var state: State
    }

    enum State: Sendable, Hashable {
        /// Nobody has confirmed it yet.
        case waiting
        /// The next question of the page gets a token.
        case confirmed(isOperator: Bool)
        /// The page has its token.
        case collected
    }

    /// What a page gets that asks how it stands.
    enum Answer: Sendable, Hashable {
        case wait
        case give(isOperator: Bool)
    }

    /// Why a code is not confirmed.
    enum Fault: Error, Sendable, Hashable {
        case unknownCode
        case tooOften
        /// Only pages of the gateway's own have an operator's session.
        case notOfOurs(WebOrigin)
    }

    /// How long a code can be confirmed, and a token be collected: in nanoseconds.
    static let lifetime: UInt64 = 120_000_000_000
    static let maximum = 16
    static let maximumOfAnOrigin = 4
    static let asksPerMinute = 12
    static let wrongPerMinute = 12

    private(set) var pairings: [Pairing] = []
    private var asks: [WebOrigin: RateLimit] = [:]
    private var wrongTickets = RateLimit(perMinute: wrongPerMinute)
    private var wrongCodes = RateLimit(perMinute: wrongPerMinute)

    mutating func ask(_ origin: WebOrigin, at now: UInt64) throws(Refusal) -> Pairing {
        guard asks[origin, default: RateLimit(perMinute: Self.asksPerMinute)].take(at: now) else {
            throw .pairingTooOften
        }
        pairings.removeAll { Self.isOver($0, at: now) }
        makeRoom(for: origin)
        guard pairings.filter({ $0.state == .waiting }).count < Self.maximum else { throw .pairingTooMany }
        let pairing = Pairing(
            origin: origin, code: freshCode(), ticket: Secret.make(), askedAt: now, state: .waiting)
        pairings.append(pairing)
        return pairing
    }

    /// A page that is loaded anew asks anew, and nobody confirms what it showed before.
    private mutating func makeRoom(for origin: WebOrigin) {
        let isWaiting = { (pairing: Pairing) in pairing.origin == origin && pairing.state == .waiting }
        guard pairings.filter(isWaiting).count >= Self.maximumOfAnOrigin,
            let oldest = pairings.firstIndex(where: isWaiting)
        else { return }
        pairings.remove(at: oldest)
    }

    /// Six digits that no other pairing has now.
    private func freshCode() -> String {
        var generator = SystemRandomNumberGenerator()
        while true {
            let digits = String(Int.random(in: 0..<1_000_000, using: &generator) + 1_000_000).dropFirst()
            let code = "\(digits.prefix(3))-\(digits.suffix(3))"
            if !pairings.contains(where: { $0.code == code }) { return code }
        }
    }

    /// The pairings that can be confirmed.
    func waiting(at now: UInt64) -> [Pairing] {
        pairings.filter { $0.state == .waiting && !Self.isOver($0, at: now) }
    }

    /// - Parameters:
    ///   - code: as it was read, with or without its dash.
    ///   - own: whether a page is the gateway's own.
    mutating func confirm(
        _ code: String, isOperator: Bool, at now: UInt64, own: (WebOrigin) -> Bool
    ) throws(Fault) -> WebOrigin {
        guard wrongCodes.hasOne(at: now) else { throw .tooOften }
        let digits = code.filter { $0 != "-" && $0 != " " }
        let found = pairings.firstIndex {
            $0.state == .waiting && !Self.isOver($0, at: now) && $0.code.replacing("-", with: "") == digits
        }
        guard let found else {
            _ = wrongCodes.take(at: now)
            throw .unknownCode
        }
        let origin = pairings[found].origin
        guard !isOperator || own(origin) else { throw .notOfOurs(origin) }
        pairings[found].state = .confirmed(isOperator: isOperator)
        return origin
    }

    mutating func collect(_ ticket: String, by origin: WebOrigin, at now: UInt64) throws(Refusal) -> Answer {
        guard let index = pairings.firstIndex(where: { Secret.isSame($0.ticket, ticket) }) else {
            throw wrongTickets.take(at: now) ? .pairingUnknown : .pairingTooOften
        }
        guard pairings[index].origin == origin else { throw .pairingOfAnotherOrigin }
        guard !Self.isOver(pairings[index], at: now) else { throw .pairingExpired }
        switch pairings[index].state {
        case .waiting: return .wait
        case .collected: throw .pairingUsed
        case .confirmed(let isOperator):
            pairings[index].state = .collected
            return .give(isOperator: isOperator)
        }
    }

    private static func isOver(_ pairing: Pairing, at now: UInt64) -> Bool {
        now > pairing.askedAt && now - pairing.askedAt > lifetime
    }
}
