internal import SwipeProtocol

/// Whether one swipe was delivered: its whole line is in the socket of a client that may have it.
///
/// Queues can be dropped with lines in them, when a client is gone or too slow. So a swipe counts as delivered when its
/// line is in a socket, not when it is in a queue. When the last queue has dropped it and it is undelivered, the
/// receipt tells the hub, which publishes that.
final class SwipeReceipt {
    let origin: SwipeOrigin
    /// The holder of the reader when the card was swiped.
    let holder: Claimant?
    /// The swipe's lines for the views that see cards, while it may have to be kept for its holder.
    private(set) var kept: HeldSwipe?

    /// Queues that hold it, and the hub while it gives it out.
    private var holders = 1
    private var isTaken = false
    /// Whether it was in a queue.
    private(set) var wasQueued = false
    private let whenNobodyTookIt: (SwipeReceipt) -> Void

    init(
        _ origin: SwipeOrigin, holder: Claimant?, kept: HeldSwipe?,
        whenNobodyTookIt: @escaping (SwipeReceipt) -> Void
    ) {
        self.origin = origin
        self.holder = holder
        self.kept = kept
        self.whenNobodyTookIt = whenNobodyTookIt
    }

    /// One more queue holds the line.
    func queued() {
        holders += 1
        wasQueued = true
    }

    /// The whole line is in a socket.
    func taken() {
        isTaken = true
        kept = nil
    }

    /// A queue was dropped with the line in it.
    func lost() {
        if letGo() { whenNobodyTookIt(self) }
    }

    /// As ``givenOut()``, but an undelivered swipe is reported in the same way as a loss.
    func allQueued() { lost() }

    /// The line is in the queues of all clients that may have it; returns whether there was no client, or it is lost
    /// already.
    func givenOut() -> Bool { letGo() }

    private func letGo() -> Bool {
        holders -= 1
        return holders == 0 && !isTaken
    }
}

/// Which swipe it was, for the event that it is undelivered: nothing of the card.
struct SwipeOrigin {
    var reader: String
    var attachment: UInt64?
    var isSimulated: Bool
    /// The number of its event.
    var sequence: UInt64
}

/// A swipe that is kept for a holder, as each view that sees cards would get it: a claim never widens a view.
struct HeldSwipe {
    var origin: SwipeOrigin
    var masked: Delivery?
    var full: Delivery?

    func delivery(for view: View) -> Delivery? {
        switch view {
        case .status: nil
        case .masked: masked
        case .full: full
        }
    }
}
