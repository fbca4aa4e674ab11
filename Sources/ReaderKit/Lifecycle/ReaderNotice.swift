/// What a driver says of its reader that changes neither its state nor what is known of it: the same in a signal of the driver
/// (``ReaderSignal``) and in the reader's life (``ReaderEvent``).
///
/// A new event of a reader begins here, unless it changes the reader's state.
package enum ReaderNotice: Sendable, Hashable {
    /// The device sent something that its protocol does not allow; the words name what, never the bytes. For the log and the
    /// counters, not for clients.
    case malformed(String)
    /// Sound was lost so many times, or so many reports, because they were not fetched in time. A swipe that passed then is
    /// damaged or missing. For the log and the counters, not for clients.
    case overrun(count: Int)
}

/// What has a notice among its cases.
package protocol NoticeCarrying {
    static func notice(_ notice: ReaderNotice) -> Self
}

extension NoticeCarrying {
    package static func malformed(_ what: String) -> Self { .notice(.malformed(what)) }
    package static func overrun(count: Int) -> Self { .notice(.overrun(count: count)) }
}
