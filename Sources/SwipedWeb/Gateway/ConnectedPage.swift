internal import NIOCore

/// A page, or a program, that is connected for longer than a request.
protocol ConnectedPage: AnyObject {
    var visitor: Visitor { get }
    /// Since when it has no room for lines, in CLOCK_MONOTONIC nanoseconds; nil while it has.
    var blockedSince: UInt64? { get }
    /// Closes it, with a word where that can still be said.
    func end(_ why: PageEnd)
}

/// Why the gateway ends a connection with a page.
enum PageEnd: Sendable, Hashable {
    /// Its token is no more.
    case revoked
    /// It did not read.
    case slow
    /// All places are taken, and its origin has the most.
    case crowded
    /// The gateway ends.
    case shutdown
}
