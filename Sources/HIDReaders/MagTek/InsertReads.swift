import CardData
import ReaderKit

/// An insert reader reads a card on its way in and, if it is set to, once more on its way out. A good read on insertion
/// survives a bad one on withdrawal: the two are one swipe, the better of them.
struct InsertReads: Sendable {
    /// A bad read waits this long for a better one while the card is still in.
    static let patience = Duration.seconds(5)

    enum Verdict: Sendable, Hashable {
        case deliver(Swipe)
        /// Wait so long for the withdrawal.
        case hold(Duration)
        /// The same card again, read no better.
        case drop
    }

    /// What the insertion gave, until the withdrawal ends it.
    private enum State: Sendable {
        case empty
        /// Read well and delivered: the withdrawal adds nothing.
        case delivered
        /// Read badly and held back.
        case held(Swipe)
        /// Read badly, and delivered after waiting: only a better one is still wanted.
        case gaveUp
    }

    private var state = State.empty

    mutating func take(_ swipe: Swipe, isInsertion: Bool) -> Verdict {
        if isInsertion {
            guard swipe.readTracks > 0 else {
                state = .held(swipe)
                return .hold(Self.patience)
            }
            state = .delivered
            return .deliver(swipe)
        }
        defer { state = .empty }
        switch state {
        case .empty: return .deliver(swipe)
        case .delivered: return .drop
        case .gaveUp: return swipe.readTracks > 0 ? .deliver(swipe) : .drop
        // What is held was read no track of: this one is no worse.
        case .held: return .deliver(swipe)
        }
    }

    /// No withdrawal came: what is held goes out as it is.
    mutating func giveUp() -> Swipe? {
        guard case .held(let swipe) = state else { return nil }
        state = .gaveUp
        return swipe
    }

    var isHolding: Bool {
        if case .held = state { true } else { false }
    }
}

extension Swipe {
    /// Tracks that gave a text or a ciphertext.
    var readTracks: Int {
        tracks.count { track in
            switch track.outcome {
            case .read, .repaired, .encrypted: true
            case .empty, .refused: false
            }
        }
    }
}
