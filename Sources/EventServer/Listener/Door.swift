internal import Logging
internal import NIOConcurrencyHelpers
internal import SwipeProtocol

/// Who may come in, counted: the thread that takes connections asks before they cost the loop anything.
///
/// A connection that waits to be let in has its place here already, so whoever connects faster than the loop lets in comes
/// to its own limit and not to everybody's.
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

    /// Connections that were turned away since the start.
    var refused: UInt64 { state.withLockedValue { $0.refused } }

    /// What the peer's roles are now; none: it is to be turned away.
    func roles(of peer: PeerCredentials) -> Set<Role> { access(peer) }

    /// Gives the peer a place, which ``leave(_:)`` gives back; or says why there is none for it.
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

    /// Counts one that is turned away after it had a place, or without a look at who it is.
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

    /// From now on everybody is turned away: the server ends.
    func close() { state.withLockedValue { $0.isClosed = true } }

    /// The kernel gives no descriptor for a client.
    func noteNoDescriptor(_ number: Int32) {
        state.withLockedValue { $0.throttle.noDescriptor(number) }?.write(to: logger)
    }
}
