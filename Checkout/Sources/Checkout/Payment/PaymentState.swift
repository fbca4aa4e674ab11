public import StateMachine

/// Where a payment is.
public enum PaymentState: Sendable, Hashable {
    /// What a payment in progress is doing.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// Somebody chooses how to pay. The source is made. It is authorised. Its end is waited for.
        case preparing, creating, authorising, polling
    }

    /// Nothing is under way. After a failure with its error: another attempt is allowed.
    case idle(latestError: PaymentError?)
    /// An attempt is under way.
    case inProgress(Stage)
    /// The money moved.
    case success(Charge)
    /// The money may have moved, and nobody can say: it must not be paid again.
    case possibleSuccess(PaymentError)
    /// The money did not move, for certain. Idle follows.
    case failure(PaymentError)
    /// Nobody wants the payment any more, and no money moved.
    case cancelled(latestError: PaymentError?)
}

extension PaymentState: DiagrammedState {
    /// A value of each case, and of each stage.
    public static var representatives: [PaymentState] {
        let charge = Charge(id: "", amount: Money(nothingIn: .eur), description: "")
        return [.idle(latestError: nil)] + Stage.allCases.map { .inProgress($0) }
            + [
                .success(charge), .possibleSuccess(.pollTimedOut), .failure(.notAuthorised),
                .cancelled(latestError: nil),
            ]
    }

    /// The case's name.
    public var name: String {
        switch self {
        case .idle: "idle"
        case .inProgress(let stage): "in_progress_\(stage.rawValue)"
        case .success: "success"
        case .possibleSuccess: "possible_success"
        case .failure: "failure"
        case .cancelled: "cancelled"
        }
    }

    /// What it means to be in this state.
    public var meaning: String {
        switch self {
        case .idle: "an attempt may begin"
        case .inProgress(.preparing): "somebody chooses how to pay"
        case .inProgress(.creating): "the source is made, no money moves"
        case .inProgress(.authorising): "from here on money may move"
        case .inProgress(.polling): "the source's end is waited for"
        case .success: "the money moved"
        case .possibleSuccess: "the money may have moved, never pay again"
        case .failure: "no money moved, for certain"
        case .cancelled: "not wanted any more, no money moved"
        }
    }

    /// Whether nothing follows any more.
    public var isFinal: Bool {
        switch self {
        case .success, .possibleSuccess, .cancelled: true
        case .idle, .inProgress, .failure: false
        }
    }

    /// The machine of one payment: the only changes that ever happen.
    static func machine() -> StateMachine<PaymentState> {
        StateMachine(.idle(latestError: nil)) { old, new in
            switch (old, new) {
            // An attempt that begins, and one that was found in a journal.
            case (.idle, .inProgress(let stage)): stage == .preparing || stage == .polling
            case (.inProgress(let before), .inProgress(let after)): before.next == after
            // Before the authorisation no money can have moved.
            case (.inProgress(let stage), .possibleSuccess), (.inProgress(let stage), .success):
                stage == .polling
            case (.inProgress, .failure): true
            // An authorisation that may be on its way is followed first.
            case (.inProgress(let stage), .cancelled): stage != .authorising
            case (.failure, .idle): true
            case (.idle, _), (.inProgress, .idle), (.success, _), (.possibleSuccess, _), (.failure, _),
                (.cancelled, _):
                false
            }
        }
    }
}

extension PaymentState.Stage {
    fileprivate var next: PaymentState.Stage? {
        switch self {
        case .preparing: .creating
        case .creating: .authorising
        case .authorising: .polling
        case .polling: nil
        }
    }
}
