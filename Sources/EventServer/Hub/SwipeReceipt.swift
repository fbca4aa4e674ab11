internal import SwipeProtocol

/// Whether one swipe reached somebody who may have it: a socket took its whole line.
///
/// Queues can be thrown away with lines in them, when a client is gone or too slow. So a swipe counts as taken when
/// it is through, not when it is in a queue; when the last queue has let go of it and no socket took it, the hub
/// hears of it and says so.
final class SwipeReceipt {
    let origin: SwipeOrigin
    /// Who had claimed the reader when the card was swiped.
    let holder: Claimant?
    /// The swipe's lines for the views that see cards, while it may have to be kept for its claimant.
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

    /// A socket took the line.
    func taken() {
        isTaken = true
        kept = nil
    }

    /// A queue was thrown away with the line in it.
    func lost() {
        if letGo() { whenNobodyTookIt(self) }
    }

    /// As ``givenOut()``, for who wants to hear of it like of a loss.
    func allQueued() { lost() }

    /// All who may have it were given it; whether there was nobody, or it is lost already.
    func givenOut() -> Bool { letGo() }

    private func letGo() -> Bool {
        holders -= 1
        return holders == 0 && !isTaken
    }
}

/// Which swipe it was, for who is told that nobody took it: nothing of the card.
struct SwipeOrigin {
    var reader: String
    var attachment: UInt64?
    var isSimulated: Bool
    /// The number of its event.
    var sequence: UInt64
}

/// A swipe that is kept for a claimant, as each view that sees cards would get it: a claim widens nobody's view.
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
