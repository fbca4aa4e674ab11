internal import Logging
internal import NIOConcurrencyHelpers
internal import SwipeProtocol

/// Which connections may come in, counted: the thread that accepts connections asks before they cost the loop anything.
///
/// A connection that waits to be let in has its place here already, so a user who connects faster than the loop lets in
/// reaches the user's own limit and not that of all users.
final class Door: Sendable {
    private struct State {
        var isClosed = false
        var inAll = 0
        var ofUser: [UInt32: Int] = [:]
        var refused: UInt64 = 0
        var throttle = RefusalThrottle()

        mutating func count(_ code: ByeCode, _ peer: PeerCredentials) -> RefusalLine? {
            refused += 1
            return throttle.refused(code, peer)
        }
    }

    private let limits: ServerLimits
    private let access: AccessPolicy
    private let logger: Logger
    /// Why not `Synchronization.Mutex`: the thread sanitizer does not know it.
    private let state: NIOLockedValueBox<State>

    init(limits: ServerLimits, access: @escaping AccessPolicy, logger: Logger) {
        self.limits = limits
        self.access = access
        self.logger = logger
        state = NIOLockedValueBox(State())
    }

    /// Connections that were refused since the start.
    var refused: UInt64 { state.withLockedValue { $0.refused } }

    /// What the client's roles are now; none: it is to be refused.
    func roles(of peer: PeerCredentials) -> Set<Role> { access(peer) }

    /// Gives the client a place, which ``leave(_:)`` frees again; or says why there is none for it.
    func enter(_ peer: PeerCredentials) -> ByeCode? {
        let mayNot = access(peer).isEmpty
        let (refusal, line) = state.withLockedValue { state -> (ByeCode?, RefusalLine?) in
            let ofUser = state.ofUser[peer.uid, default: 0]
            let code: ByeCode? =
                if state.isClosed {
                    .shutdown
                } else if mayNot {
                    .denied
                } else if state.inAll >= limits.connections || ofUser >= limits.connectionsPerUser {
                    .tooMany
                } else {
                    nil
                }
            if let code { return (code, state.count(code, peer)) }
            state.inAll += 1
            state.ofUser[peer.uid] = ofUser + 1
            return (nil, nil)
        }
        line?.write(to: logger)
        return refusal
    }

    /// Counts a connection that is refused after it had a place, or before its user is known.
    func countRefusal(_ code: ByeCode, _ peer: PeerCredentials) {
        state.withLockedValue { $0.count(code, peer) }?.write(to: logger)
    }

    func leave(_ uid: UInt32) {
        state.withLockedValue { state in
            state.inAll -= 1
            let left = state.ofUser[uid, default: 1] - 1
            state.ofUser[uid] = left > 0 ? left : nil
        }
    }

    /// From now on every connection is refused: the server ends.
    func close() { state.withLockedValue { $0.isClosed = true } }

    /// The kernel gives no descriptor for a client.
    func noteNoDescriptor(_ number: Int32) {
        state.withLockedValue { $0.throttle.noDescriptor(number) }?.write(to: logger)
    }
}
