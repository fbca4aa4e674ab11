/// What happens to a connection that is made again when it breaks.
package enum Interruption: Sendable, Hashable {
    /// It broke; the client tries to connect again after so many milliseconds, then less and less often.
    case began(retryInMilliseconds: Int)
    /// It is back, with the same run of the daemon: what that kept of the events after this number follows.
    case ended(since: UInt64)
    /// It is back, with another run of the daemon, which knows nothing of what happened before it started.
    case endedAnew
}
