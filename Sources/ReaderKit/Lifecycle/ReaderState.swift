package import StateMachine

/// Where a reader is in its life, as clients see it.
package enum ReaderState: Sendable, Hashable {
    /// Attached to the machine; not powered up, or nothing has answered yet.
    case attached
    /// Powered up and answering; swipes are not accepted now.
    case active
    /// A swipe made now is read.
    case ready
    /// The head sees magnetic activity; how the swipe ends is not known yet.
    case swiping
    /// Unplugged. The end of this attachment.
    case detached
}

extension ReaderState: DiagrammedState {
    package static let representatives: [ReaderState] = [.attached, .active, .ready, .swiping, .detached]

    /// The name on the wire and in the diagram.
    package var name: String {
        switch self {
        case .attached: "attached"
        case .active: "active"
        case .ready: "ready"
        case .swiping: "swiping"
        case .detached: "detached"
        }
    }

    package var meaning: String {
        switch self {
        case .attached: "Plugged in, not powered up."
        case .active: "Answers, accepts no swipes."
        case .ready: "Accepts a swipe."
        case .swiping: "A card is passing."
        case .detached: "Unplugged, the end."
        }
    }

    /// The life of one attachment. A detached reader never comes back: a replug is a new life.
    package static func machine() -> StateMachine<ReaderState> {
        StateMachine(.attached) { old, new in
            switch (old, new) {
            case (.attached, .active), (.active, .attached): true
            case (.active, .ready), (.ready, .active): true
            case (.ready, .swiping), (.swiping, .ready): true
            case (.attached, .detached): true
            // From deeper states the way out leads through the shallower ones, so that clients hear every step.
            case (.active, .detached), (.ready, .detached), (.swiping, .detached): false
            case (.attached, .ready), (.attached, .swiping), (.active, .swiping): false
            case (.ready, .attached), (.swiping, .attached), (.swiping, .active): false
            case (.attached, .attached), (.active, .active), (.ready, .ready), (.swiping, .swiping): false
            case (.detached, _): false
            }
        }
    }
}
