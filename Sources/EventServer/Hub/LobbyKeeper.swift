internal import NIOCore
internal import NIOPosix
internal import SwipeProtocol

/// Lets connections in that have a place at the door, on the server's loop: one of each user in turn (``Lobby``).
final class LobbyKeeper {
    private let door: Door
    private let turns: TurnKeeper
    private let loop: any EventLoop
    private var lobby = Lobby()
    private var isScheduled = false

    /// What is read from a connection at once. NIO keeps a buffer of this size for each connection; a request is
    /// about a hundred bytes, and a client that sends without end gets its turn only so many bytes at a time.
    private static let bytesReadAtOnce = 512

    init(door: Door, turns: TurnKeeper, loop: any EventLoop) {
        self.door = door
        self.turns = turns
        self.loop = loop
    }

    /// Connections that have a place at the door: each is let in when it is its turn.
    func arrived(_ guests: [Guest], at hub: EventHub) {
        for guest in guests { lobby.append(guest) }
        letIn(to: hub)
    }

    private func letIn(to hub: EventHub) {
        guard !isScheduled else { return }
        while true {
            let start = EventInstant.monotonic()
            if let pause = lobby.pause(at: start) {
                if !lobby.isEmpty { letInLater(pause, to: hub) }
                return
            }
            guard let guest = lobby.next() else { return }
            letIn(guest, to: hub)
            let end = EventInstant.monotonic()
            lobby.spend(from: start, to: end)
            // What answering leaves of the loop's time is for events, not for this.
            turns.spend(from: start, to: end)
        }
    }

    private func letInLater(_ pause: UInt64, to hub: EventHub) {
        isScheduled = true
        _ = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(clamping: pause))) {
            self.isScheduled = false
            self.letIn(to: hub)
        }
    }

    private func letIn(_ guest: Guest, to hub: EventHub) {
        guard !guest.isGone else {
            guest.drop()
            return door.leave(guest.peer.uid)
        }
        let connection = NIOLoopBound(ConnectionHandler(hub: hub, peer: guest.peer), eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .channelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: LobbyKeeper.bytesReadAtOnce)
            )
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(connection.value)
                }
            }
            .withConnectedSocket(guest.descriptor).assumeIsolated()
            .whenFailure { _ in hub.giveUpPlace(of: connection.value) }
    }

    /// The server ends: the connections that wait get a `bye`.
    func turnAwayWhoWaits(_ code: ByeCode) {
        while let guest = lobby.next() {
            Guest.turnAway(guest.descriptor, code)
            door.leave(guest.peer.uid)
        }
    }
}
