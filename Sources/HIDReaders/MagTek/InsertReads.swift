import CardData
package import ReaderKit

/// An insert reader reads a card on its way in and, if it is set to, once more on its way out. The two are one swipe, the
/// better of them: a good read on insertion is told at once and survives a bad one on withdrawal, and one of which a track
/// failed waits for the withdrawal.
struct InsertReads: Sendable {
    /// A read with a failed track waits this long for a better one while the card is still in.
    static let patience = Duration.seconds(5)

    /// What to do now.
    struct Verdict: Sendable, Hashable {
        /// To be told, in this order.
        var deliver: [Swipe] = []
        /// Wait so long for the withdrawal.
        var hold: Duration?
    }

    /// What the insertion gave, until the withdrawal ends it.
    private enum State: Sendable {
        case empty
        /// Read with a failed track, and held back.
        case held(Swipe)
        /// Read without a failure and told: the withdrawal adds nothing.
        case delivered
        /// Told after waiting, with a failed track: only a better one is still wanted.
        case gaveUp(Swipe)
    }

    private var state = State.empty

    mutating func take(_ swipe: Swipe, isInsertion: Bool) -> Verdict {
        isInsertion ? inserted(swipe) : withdrawn(swipe)
    }

    /// A second card, where no withdrawal of the first one was told: a reader may be set to read on insertion alone.
    private mutating func inserted(_ swipe: Swipe) -> Verdict {
        let earlier = giveUp().map { [$0] } ?? []
        guard swipe.isCompletelyRead else {
            state = .held(swipe)
            return Verdict(deliver: earlier, hold: Self.patience)
        }
        state = .delivered
        return Verdict(deliver: earlier + [swipe])
    }

    private mutating func withdrawn(_ swipe: Swipe) -> Verdict {
        defer { state = .empty }
        switch state {
        case .empty: return Verdict(deliver: [swipe])
        case .held(let first): return Verdict(deliver: [swipe.isBetterRead(than: first) ? swipe : first])
        case .delivered: return Verdict()
        case .gaveUp(let first):
            return Verdict(deliver: swipe.isBetterRead(than: first) ? [swipe] : [])
        }
    }

    /// No withdrawal came: what is held goes out as it is.
    mutating func giveUp() -> Swipe? {
        guard case .held(let swipe) = state else { return nil }
        state = .gaveUp(swipe)
        return swipe
    }

    var isHolding: Bool {
        if case .held = state { true } else { false }
    }
}

extension Swipe {
    /// Tracks that gave a text or a ciphertext.
    package var readTracks: Int { tracks.count(where: \.isRead) }

    /// Tracks that were not accepted.
    package var refusedTracks: Int {
        tracks.count { if case .refused = $0.outcome { true } else { false } }
    }

    /// Something was read, and nothing failed: another read of the same card could add nothing.
    fileprivate var isCompletelyRead: Bool { readTracks > 0 && refusedTracks == 0 }

    /// More tracks count, and fewer failures among as many.
    fileprivate func isBetterRead(than other: Swipe) -> Bool {
        (readTracks, -refusedTracks) > (other.readTracks, -other.refusedTracks)
    }
}

extension TrackReading {
    /// Whether it gave a text or a ciphertext.
    package var isRead: Bool {
        switch outcome {
        case .read, .repaired, .encrypted: true
        case .empty, .refused: false
        }
    }
}
