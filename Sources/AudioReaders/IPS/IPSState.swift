package import StateMachine

/// Where an IPS reader is in its life. It takes a swipe in all of them.
package enum IPSState: Sendable, Hashable, CaseIterable { case ready, waking, testing }

extension IPSState: DiagrammedState {
    package static let representatives: [IPSState] = IPSState.allCases

    package var name: String {
        switch self {
        case .ready: "ready"
        case .waking: "waking"
        case .testing: "testing"
        }
    }

    package var meaning: String {
        switch self {
        case .ready: "Accepts a swipe, for all that is known."
        case .waking: "The tone of a test plays."
        case .testing: "Was called, has not answered."
        }
    }

    package static func machine() -> StateMachine<IPSState> {
        StateMachine(.ready) { old, new in
            switch (old, new) {
            case (.ready, .waking), (.waking, .testing), (.waking, .ready), (.testing, .ready): true
            case (.ready, .testing), (.testing, .waking): false
            case (.ready, .ready), (.waking, .waking), (.testing, .testing): false
            }
        }
    }
}
