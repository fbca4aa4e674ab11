internal import SwipeProtocol

/// What becomes of each swipe until its whole line is in the socket of a client that may have it. It decides; the hub acts.
///
/// Queues can be dropped with lines in them, when a client is gone or too slow. So a swipe counts as delivered when its
/// line is in a socket, not when it is in a queue. One that the last queue has dropped is kept for a holder that may come
/// back, or published as undelivered.
struct SwipeCustody {
    /// Names a swipe in the queues that hold its line.
    struct Receipt: Hashable {
        fileprivate let number: UInt64
    }

    /// What became of a swipe's line in one queue.
    enum Fate: Equatable {
        /// The whole line is in a socket.
        case delivered(Receipt)
        /// The queue was dropped with the line in it.
        case lost(Receipt)
    }

    /// A swipe of which no queue has the line any more, and that is undelivered.
    struct Undelivered {
        let origin: SwipeOrigin
        /// The holder of the reader when the card was swiped.
        fileprivate let holder: Claimant?
        /// The swipe's lines for the views that see cards, while it may have to be kept for its holder.
        fileprivate var kept: HeldSwipe?
        fileprivate var wasQueued = false

        fileprivate func reason(_ isConnected: (UInt64) -> Bool) -> UntakenReason {
            guard let holder else { return wasQueued ? .clientGone : .noSubscriber }
            return !wasQueued && isConnected(holder.connection) ? .noSubscriber : .claimantGone
        }
    }

    /// That a swipe is undelivered is to be published.
    struct Notice: Equatable {
        var swipe: SwipeOrigin
        var reason: UntakenReason
    }

    private struct Entry {
        var swipe: Undelivered
        /// Queues that hold the line, and the hub while it gives it out.
        var owners = 1
        var isDelivered = false
    }

    private var entries: [Receipt: Entry] = [:]
    private var lastNumber: UInt64 = 0
    /// Undelivered swipes of which it is still to be decided what becomes of them.
    private var undecided: [Undelivered] = []
    /// Swipes that are kept for holders whose connection is gone, by reader. Locked memory, wiped when released.
    private var held: [String: HeldSwipe] = [:]

    // MARK: While the line is on its way

    /// A swipe is about to be given out.
    mutating func receipt(for origin: SwipeOrigin, holder: Claimant?, kept: HeldSwipe?) -> Receipt {
        lastNumber += 1
        let receipt = Receipt(number: lastNumber)
        entries[receipt] = Entry(swipe: Undelivered(origin: origin, holder: holder, kept: kept))
        return receipt
    }

    /// One more queue holds the line.
    mutating func queued(_ receipt: Receipt) {
        entries[receipt]?.owners += 1
        entries[receipt]?.swipe.wasQueued = true
    }

    /// The line is in the queues of all clients that may have it. The swipe where there was no such client, or all of
    /// them are gone already.
    mutating func givenOut(_ receipt: Receipt) -> Undelivered? { release(receipt) }

    /// A queue has the line no more; see ``givenOut(_:)``.
    mutating func settle(_ fate: Fate) -> Undelivered? {
        switch fate {
        case .delivered(let receipt):
            entries[receipt]?.isDelivered = true
            entries[receipt]?.swipe.kept = nil
            return release(receipt)
        case .lost(let receipt): return release(receipt)
        }
    }

    private mutating func release(_ receipt: Receipt) -> Undelivered? {
        guard var entry = entries[receipt] else { return nil }
        entry.owners -= 1
        entries[receipt] = entry.owners > 0 ? entry : nil
        return entry.owners > 0 || entry.isDelivered ? nil : entry.swipe
    }

    // MARK: What is undelivered

    /// To be decided on with ``next(_:isConnected:)``: once who holds the reader is certain.
    mutating func add(_ swipe: Undelivered) { undecided.append(swipe) }

    /// Keeps the undelivered swipes whose holders may come back, up to the first that is to be published.
    mutating func next(_ claims: ClaimTable, isConnected: (UInt64) -> Bool) -> Notice? {
        while !undecided.isEmpty {
            let swipe = undecided.removeFirst()
            let reader = swipe.origin.reader
            guard let kept = swipe.kept, claims.isAway(reader, wasHeldBy: swipe.holder) else {
                return Notice(swipe: swipe.origin, reason: swipe.reason(isConnected))
            }
            // Only the latest is kept.
            if let older = held.updateValue(kept, forKey: reader) {
                return Notice(swipe: older.origin, reason: .claimantGone)
            }
        }
        return nil
    }

    /// What is kept for the holder of a reader, and is not kept any longer.
    mutating func takeHeld(for reader: String) -> HeldSwipe? { held.removeValue(forKey: reader) }
}

/// Which swipe it was, for the event that it is undelivered: nothing of the card.
struct SwipeOrigin: Equatable {
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
