internal import NIOCore
internal import SwipeProtocol

/// What a client has from its greeting on.
final class ClientSession {
    /// Who it is, and what it may: that changes where it gives up what goes beyond a role.
    var identity: ClientIdentity {
        didSet { view = View(roles: identity.roles) }
    }
    private(set) var view: View
    /// What it has subscribed to; nil before `subscribe`.
    var subscription: Subscription?
    /// Whether a request is being done; the next one waits.
    var isBusy = false
    /// How long readers, or the daemon, have taken for what this client asked of them.
    var controlTime = StopWatch()

    init(_ identity: ClientIdentity) {
        self.identity = identity
        view = View(roles: identity.roles)
    }
}

/// A connection's socket, while it may be written to.
struct ClientSocket {
    let context: ChannelHandlerContext
    let descriptor: Int32
    /// Set while it is full: since when, in CLOCK_MONOTONIC nanoseconds. One byte is with NIO then.
    var blockedSince: UInt64?
    /// Since when no whole line was delivered, and how many had been delivered by then.
    var noLineSince: (time: UInt64, linesTaken: UInt64)?
}
