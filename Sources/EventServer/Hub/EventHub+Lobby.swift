internal import NIOCore
internal import NIOPosix
internal import SwipeProtocol

extension EventHub {
    /// What is read from a connection at once. NIO keeps a buffer of this size for each connection; a request is
    /// about a hundred bytes, and a client that sends without end gets its turn only so many bytes at a time.
    private static let bytesReadAtOnce = 512

    /// Connections that have a place at the door: each is let in when it is its turn.
    func arrived(_ guests: [Guest]) {
        for guest in guests { lobby.append(guest) }
        letIn()
    }

    private func letIn() {
        guard !isLettingInScheduled else { return }
        while true {
            let start = EventInstant.monotonic()
            if let pause = lobby.pause(at: start) {
                if !lobby.isEmpty { letInLater(pause) }
                return
            }
            guard let guest = lobby.next() else { return }
            letIn(guest)
            let end = EventInstant.monotonic()
            lobby.spend(from: start, to: end)
            // What answering leaves of the loop's time is for events, not for this.
            turns.spend(from: start, to: end)
        }
    }

    private func letInLater(_ pause: UInt64) {
        isLettingInScheduled = true
        _ = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(clamping: pause))) {
            self.isLettingInScheduled = false
            self.letIn()
        }
    }

    private func letIn(_ guest: Guest) {
        guard !guest.isGone else {
            guest.drop()
            return door.leave(guest.peer.uid)
        }
        let connection = NIOLoopBound(ConnectionHandler(hub: self, peer: guest.peer), eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .channelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: EventHub.bytesReadAtOnce)
            )
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(connection.value)
                }
            }
            .withConnectedSocket(guest.descriptor).assumeIsolated()
            .whenFailure { _ in self.giveUpPlace(of: connection.value) }
    }

    /// The server ends: the connections that wait get a `bye`.
    func turnAwayWhoWaits(_ code: ByeCode) {
        while let guest = lobby.next() {
            Guest.turnAway(guest.descriptor, code)
            door.leave(guest.peer.uid)
        }
    }

    /// The connection is over, or never was one.
    func giveUpPlace(of connection: ConnectionHandler) {
        guard connection.hasPlace else { return }
        connection.hasPlace = false
        door.leave(connection.peer.uid)
    }
}
