import SwipeProtocol

/// What a server needs to know to start.
package struct ServerConfiguration: Sendable {
    /// Where clients come in.
    package enum Listener: Sendable, Hashable {
        /// A path that the server binds itself, with the access rights of the socket file.
        case path(String, mode: UInt32 = 0o660, group: UInt32? = nil)
        /// A socket that is bound already: systemd's, by socket activation. The server closes it in the end.
        case descriptor(Int32)
    }

    package var listener: Listener
    /// The daemon's name and version, for the greeting.
    package var daemon: String
    /// Names this run of the daemon; `seq` counts within it.
    package var instance: String
    package var limits: ServerLimits
    /// Whether debug builds hold lines with cards against the schema too. What is parsed leaves copies: only for tests whose
    /// process is not the one under test.
    package var checksCards: Bool

    package init(
        listener: Listener, daemon: String, instance: String = ServerConfiguration.newInstance(),
        limits: ServerLimits = ServerLimits(), checksCards: Bool = false
    ) {
        self.listener = listener
        self.daemon = daemon
        self.instance = instance
        self.limits = limits
        self.checksCards = checksCards
    }

    /// A name that no other run has: 64 random bits.
    package static func newInstance() -> String {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// The server's limits. `docs/protocol.md` states what happens at each.
package struct ServerLimits: Sendable, Hashable {
    /// Connections in all, and of one user.
    package var connections = 1_024
    package var connectionsPerUser = 256
    /// How many descriptors the process may have; shown in `stats`. 0: not known.
    package var descriptors = 0
    /// What a connection's queue may hold.
    package var queueBytes = 256 * 1_024
    package var queueEvents = 512
    /// How long no whole line may be delivered to a connection while something waits for it.
    package var stall = Duration.seconds(10)
    /// How long connections have until their `bye` is delivered when the server stops.
    package var farewell = Duration.milliseconds(500)
    /// How long a holder has to retain a reader that a requester asks for.
    package var retain = Duration.seconds(ProtocolLimits.retainSeconds)
    /// How long a swipe is kept for a holder whose connection is gone; zero: not at all.
    package var swipeHold = Duration.zero
    /// Events kept for `since`.
    package var eventsKept = ProtocolLimits.eventsKept

    package init() {}
}
