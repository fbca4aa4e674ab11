internal import NIOCore

/// Gives connections their turns to be answered, on the server's loop.
final class TurnKeeper {
    private let loop: any EventLoop
    private var turns = RequestTurns()
    private var isScheduled = false
    /// Whether a client's requests are being answered: what follows from that for others comes after.
    private var isServing = false

    init(loop: any EventLoop) { self.loop = loop }

    /// The connection has lines to be answered: now, where that delays no other connection, else when it is its turn.
    func giveTurn(to connection: ConnectionHandler) {
        guard !connection.awaitsTurn else { return }
        let now = EventInstant.monotonic()
        let isSparse = RequestTurns.isSparse(lastTurn: connection.lastTurn, at: now)
        let pause = turns.pause(at: now)
        if isSparse, pause == nil, !isServing { return serve(connection, now) }
        connection.awaitsTurn = true
        turns.append(connection, isSparse: isSparse)
        schedule(after: pause)
    }

    /// Something else took a part of the time for answers.
    func spend(from start: UInt64, to end: UInt64) { turns.spend(from: start, to: end) }

    private func serve(_ connection: ConnectionHandler, _ start: UInt64) {
        isServing = true
        connection.awaitsTurn = false
        let hasMore = connection.takeTurn()
        let end = EventInstant.monotonic()
        connection.lastTurn = end
        turns.spend(from: start, to: end)
        isServing = false
        if hasMore {
            connection.awaitsTurn = true
            turns.append(connection, isSparse: false)
        }
        if !turns.isEmpty { schedule(after: turns.pause(at: end)) }
        if !hasMore { connection.turnEnded() }
    }

    /// - Parameter pause: in nanoseconds; nil: with the tasks that the loop has now.
    private func schedule(after pause: UInt64?) {
        guard !isScheduled else { return }
        isScheduled = true
        if let pause {
            _ = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(clamping: pause))) {
                self.takeTurns()
            }
        } else {
            loop.assumeIsolated().execute { self.takeTurns() }
        }
    }

    private func takeTurns() {
        isScheduled = false
        // Those that come back for more wait after all others, so this ends.
        while true {
            let now = EventInstant.monotonic()
            if let pause = turns.pause(at: now) {
                if !turns.isEmpty { schedule(after: pause) }
                return
            }
            guard let connection = turns.next() else { return }
            serve(connection, now)
        }
    }
}
