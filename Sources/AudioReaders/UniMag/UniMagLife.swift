import StateMachine

/// Where a UniMag or Shuttle is in its life, with what exists there. ``UniMagState`` has the names, and what follows on what.
enum UniMagLife: Sendable {
    case attached
    case checkingVolume(Wish)
    case prompting(Wish)
    case raisingVolume
    case poweringUp
    /// - Parameter tries: how often it was asked for its version.
    case connecting(tries: Int)
    case active
    /// - Parameter tries: how often it was asked for a swipe, which it is to accept for that long.
    case requesting(Duration, tries: Int)
    case awaitingSwipe(SwipeRequest)
    /// - Parameter isPacket: whether what is being received may be a packet.
    case receiving(SwipeRequest, isPacket: Bool)

    /// The wish to power it up.
    struct Wish: Sendable {
        /// Whether it began of itself, so that a request for it says something new.
        var isOfItself: Bool
        /// Whether people have said yes to it.
        var isAllowed = false
    }

    /// A request for a swipe to which the reader has agreed.
    struct SwipeRequest: Sendable {
        /// How long it lasts, and how much of that was heard.
        let duration: Duration
        var heard = Duration.zero
    }

    var state: UniMagState {
        switch self {
        case .attached: .attached
        case .checkingVolume: .checkingVolume
        case .prompting: .prompting
        case .raisingVolume: .raisingVolume
        case .poweringUp: .poweringUp
        case .connecting: .connecting
        case .active: .active
        case .requesting: .requesting
        case .awaitingSwipe: .awaitingSwipe
        case .receiving: .receiving
        }
    }

    /// How often it was asked for what it is asked for now; 0 where it is asked for nothing.
    var tries: Int {
        switch self {
        case .connecting(let tries), .requesting(_, let tries): tries
        case .attached, .checkingVolume, .prompting, .raisingVolume, .poweringUp, .active, .awaitingSwipe,
            .receiving:
            0
        }
    }

    /// The same after another try.
    var triedAgain: UniMagLife {
        switch self {
        case .connecting(let tries): .connecting(tries: tries + 1)
        case .requesting(let duration, let tries): .requesting(duration, tries: tries + 1)
        case .attached, .checkingVolume, .prompting, .raisingVolume, .poweringUp, .active, .awaitingSwipe,
            .receiving:
            self
        }
    }

    /// The same after that much more of a request was heard.
    func heard(_ time: Duration) -> UniMagLife {
        switch self {
        case .awaitingSwipe(var request):
            request.heard += time
            return .awaitingSwipe(request)
        case .receiving(var request, let isPacket):
            request.heard += time
            return .receiving(request, isPacket: isPacket)
        case .attached, .checkingVolume, .prompting, .raisingVolume, .poweringUp, .connecting, .active,
            .requesting:
            return self
        }
    }

    /// What exists in a state may change without the state.
    static func machine() -> StateMachine<UniMagLife> {
        StateMachine(.attached) { $0.state == $1.state || $0.state.canBecome($1.state) }
    }
}
