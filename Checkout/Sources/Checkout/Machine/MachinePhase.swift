internal import StateMachine

/// Where a ``PaymentMachine`` is.
enum MachinePhase: Sendable, Hashable {
    case fresh, beginning, failedToBegin, ready, paying, over
}

extension MachinePhase: DiagrammedState, CaseIterable {
    static var representatives: [MachinePhase] { allCases }

    var name: String {
        switch self {
        case .fresh: "fresh"
        case .beginning: "beginning"
        case .failedToBegin: "failed_to_begin"
        case .ready: "ready"
        case .paying: "paying"
        case .over: "over"
        }
    }

    var meaning: String {
        switch self {
        case .fresh: "begin has not been called"
        case .beginning: "the transaction is being opened, show a loading screen"
        case .failedToBegin: "of no more use, make a new machine"
        case .ready: "the form may be edited and submitted"
        case .paying: "an attempt is under way"
        case .over: "the payment succeeded, may have, or was cancelled"
        }
    }

    static func machine() -> StateMachine<MachinePhase> {
        StateMachine(.fresh) { old, new in
            switch (old, new) {
            case (.fresh, .beginning), (.beginning, .ready), (.beginning, .failedToBegin), (.ready, .paying),
                (.paying, .ready), (.paying, .over):
                true
            case (.fresh, _), (.beginning, _), (.failedToBegin, _), (.ready, _), (.paying, _), (.over, _):
                false
            }
        }
    }
}
