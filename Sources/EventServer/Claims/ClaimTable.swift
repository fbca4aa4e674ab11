internal import SwipeProtocol

/// Who holds which reader. It decides; the hub acts.
struct ClaimTable {
    /// A connection that holds a reader, or asks for it.
    struct Party: Hashable {
        var claimant: Claimant
        /// The id of the connection's request, while that is not answered.
        var request: RequestID = .none
    }

    private enum State {
        /// No other connection asks for it.
        case held(Party, token: String)
        /// A requester waits; the holder may still retain the reader. `round` numbers the deadlines.
        case contested(Party, token: String, challenger: Party, round: UInt64)
        /// The holder's connection is gone; the reader is kept for a client with the token.
        case away(Party, token: String, round: UInt64)
    }

    /// What is to be done, in this order.
    enum Action: Equatable {
        case grant(Party, reader: String, token: String, isReturn: Bool)
        case refuse(Party, reader: String, ErrorCode)
        /// Publish to the holder and to all subscribers that a requester waits; call ``deadline(reader:round:)`` when
        /// the time is over.
        case ask(holder: Claimant, by: Claimant, reader: String, round: UInt64)
        case announceEnd(reader: String, ClaimEnd, holder: Claimant)
        /// Call ``deadline(reader:round:)`` when the time to come back is over.
        case awaitReturn(reader: String, round: UInt64)
        /// What was kept for the holder is not kept any longer.
        case forgetHeld(reader: String)
    }

    private var states: [String: State] = [:]
    private var lastRound: UInt64 = 0
    /// Whether a reader is kept for a holder whose connection is gone.
    private let holdsForAbsent: Bool

    init(holdsForAbsent: Bool) { self.holdsForAbsent = holdsForAbsent }

    /// Who holds the reader; connection 0 while it is away.
    func holder(of reader: String) -> Claimant? {
        switch states[reader] {
        case .held(let holder, _), .contested(let holder, _, _, _): return holder.claimant
        case .away(let holder, _, _):
            return Claimant(uid: holder.claimant.uid, pid: holder.claimant.pid, connection: 0)
        case .none: return nil
        }
    }

    /// Whether the holder is away, and is the one that held the reader then.
    func isAway(_ reader: String, wasHeldBy claimant: Claimant?) -> Bool {
        guard let claimant, case .away(let holder, _, _) = states[reader] else { return false }
        return claimant.connection == 0 || holder.claimant == claimant
    }

    func isHeld(_ reader: String, by connection: UInt64) -> Bool {
        connection != 0 && holder(of: reader)?.connection == connection
    }

    // MARK: What clients do

    mutating func claim(
        _ reader: String, by party: Party, _ mode: ClaimMode, token: String?, newToken: String
    ) -> [Action] {
        switch states[reader] {
        case .none: return [grant(reader, party, newToken)]
        case .held(let holder, let held) where holder.claimant == party.claimant:
            return [.grant(party, reader: reader, token: held, isReturn: false)]
        case .contested(let holder, let held, let challenger, _) where holder.claimant == party.claimant:
            // A holder that claims its reader again keeps it: it would be wrong to grant the claim and end it a moment
            // later.
            states[reader] = .held(holder, token: held)
            return [
                .grant(party, reader: reader, token: held, isReturn: false),
                .refuse(challenger, reader: reader, .claimHeld),
            ]
        case .contested: return [.refuse(party, reader: reader, .claimHeld)]
        case .held(let holder, let held):
            guard mode == .ask else { return [.refuse(party, reader: reader, .claimHeld)] }
            lastRound += 1
            states[reader] = .contested(holder, token: held, challenger: party, round: lastRound)
            return [.ask(holder: holder.claimant, by: party.claimant, reader: reader, round: lastRound)]
        case .away(let holder, let held, _):
            guard token == held, holder.claimant.uid == party.claimant.uid else {
                return [.refuse(party, reader: reader, .claimHeld)]
            }
            states[reader] = .held(party, token: held)
            return [.grant(party, reader: reader, token: held, isReturn: true)]
        }
    }

    /// The holder keeps the reader: nil when it did, else why it could not.
    mutating func retain(_ reader: String, by connection: UInt64) -> (refusal: ErrorCode?, actions: [Action])
    {
        guard isHeld(reader, by: connection) else { return (.claimNotHeld, []) }
        guard case .contested(let holder, let token, let challenger, _) = states[reader] else {
            return (.claimNotContested, [])
        }
        states[reader] = .held(holder, token: token)
        return (nil, [.refuse(challenger, reader: reader, .claimHeld)])
    }

    mutating func release(_ reader: String, by connection: UInt64, newToken: String) -> [Action]? {
        guard isHeld(reader, by: connection) else { return nil }
        return end(reader, .released, newToken: newToken)
    }

    // MARK: What happens

    mutating func disconnected(_ connection: UInt64, newToken: () -> String) -> [Action] {
        var actions: [Action] = []
        for (reader, state) in states {
            switch state {
            case .held(let holder, let token) where holder.claimant.connection == connection:
                actions +=
                    holdsForAbsent ? leave(reader, holder, token) : end(reader, .disconnected, newToken: "")
            case .contested(let holder, let token, let challenger, _):
                if holder.claimant.connection == connection {
                    actions += end(reader, .disconnected, newToken: newToken())
                } else if challenger.claimant.connection == connection {
                    states[reader] = .held(holder, token: token)
                }
            case .held, .away: break
            }
        }
        return actions
    }

    mutating func readerGone(_ reader: String) -> [Action] {
        guard let state = states.removeValue(forKey: reader) else { return [] }
        switch state {
        case .held(let holder, _):
            return [.announceEnd(reader: reader, .readerGone, holder: holder.claimant)]
        case .contested(let holder, _, let challenger, _):
            return [
                .announceEnd(reader: reader, .readerGone, holder: holder.claimant),
                .refuse(challenger, reader: reader, .readerGone),
            ]
        case .away(let holder, _, _):
            return [
                .forgetHeld(reader: reader),
                .announceEnd(reader: reader, .readerGone, holder: holder.claimant),
            ]
        }
    }

    /// The time to retain, or to come back, is over. A deadline does nothing where something else came first.
    mutating func deadline(_ reader: String, round: UInt64, newToken: String) -> [Action] {
        switch states[reader] {
        case .contested(_, _, _, round): return end(reader, .taken, newToken: newToken)
        case .away(let holder, _, round):
            states[reader] = nil
            return [
                .forgetHeld(reader: reader),
                .announceEnd(reader: reader, .disconnected, holder: holder.claimant),
            ]
        case .contested, .away, .held, .none: return []
        }
    }

    // MARK: Steps

    private mutating func grant(_ reader: String, _ party: Party, _ token: String) -> Action {
        states[reader] = .held(party, token: token)
        return .grant(party, reader: reader, token: token, isReturn: false)
    }

    private mutating func leave(_ reader: String, _ holder: Party, _ token: String) -> [Action] {
        lastRound += 1
        states[reader] = .away(holder, token: token, round: lastRound)
        return [.awaitReturn(reader: reader, round: lastRound)]
    }

    /// The holder loses the reader; a requester gets it.
    private mutating func end(_ reader: String, _ why: ClaimEnd, newToken: String) -> [Action] {
        switch states.removeValue(forKey: reader) {
        case .held(let holder, _): return [.announceEnd(reader: reader, why, holder: holder.claimant)]
        case .contested(let holder, _, let challenger, _):
            return [
                .announceEnd(reader: reader, why, holder: holder.claimant),
                grant(reader, challenger, newToken),
            ]
        case .away, .none: return []
        }
    }
}
