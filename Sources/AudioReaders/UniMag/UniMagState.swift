package import StateMachine

/// Where a UniMag or Shuttle is in its life.
package enum UniMagState: Sendable, Hashable, CaseIterable {
    case attached, checkingVolume, prompting, raisingVolume, poweringUp, connecting
    case active, requesting, awaitingSwipe, receiving
}

extension UniMagState: DiagrammedState {
    package static let representatives: [UniMagState] = UniMagState.allCases

    package var name: String {
        switch self {
        case .attached: "attached"
        case .checkingVolume: "checking_volume"
        case .prompting: "prompting"
        case .raisingVolume: "raising_volume"
        case .poweringUp: "powering_up"
        case .connecting: "connecting"
        case .active: "active"
        case .requesting: "requesting"
        case .awaitingSwipe: "awaiting_swipe"
        case .receiving: "receiving"
        }
    }

    package var meaning: String {
        switch self {
        case .attached: "In the jack, without power."
        case .checkingVolume: "Waits for the first sound, which shows the volume."
        case .prompting: "Asks whether it may be powered up."
        case .raisingVolume: "Sets the volume to its maximum."
        case .poweringUp: "The tone plays, the reader wakes up."
        case .connecting: "Asked for its version, has not answered."
        case .active: "Answers, accepts no swipes."
        case .requesting: "Asked for a swipe, has not agreed."
        case .awaitingSwipe: "Accepts a swipe."
        case .receiving: "Something is being received."
        }
    }

    /// Between the wish to power it up and the result.
    package var isActivating: Bool {
        switch self {
        case .checkingVolume, .prompting, .raisingVolume, .poweringUp, .connecting: true
        case .attached, .active, .requesting, .awaitingSwipe, .receiving: false
        }
    }

    /// Powered up, and it has answered.
    package var isActive: Bool {
        switch self {
        case .active, .requesting, .awaitingSwipe, .receiving: true
        case .attached, .checkingVolume, .prompting, .raisingVolume, .poweringUp, .connecting: false
        }
    }

    private var successors: Set<UniMagState> {
        switch self {
        case .attached: [.checkingVolume]
        case .checkingVolume: [.prompting, .raisingVolume, .poweringUp, .attached]
        // Where the volume is left as it is, somebody may have turned it up meanwhile.
        case .prompting: [.raisingVolume, .checkingVolume, .attached]
        case .raisingVolume: [.poweringUp, .attached]
        case .poweringUp: [.connecting, .attached]
        // To be powered up in another way, where several profiles are tried.
        case .connecting: [.poweringUp, .active, .attached]
        case .active: [.requesting, .attached]
        case .requesting: [.awaitingSwipe, .active, .attached]
        case .awaitingSwipe: [.receiving, .requesting, .active, .attached]
        case .receiving: [.awaitingSwipe, .requesting, .active, .attached]
        }
    }

    func canBecome(_ new: UniMagState) -> Bool { successors.contains(new) }

    package static func machine() -> StateMachine<UniMagState> {
        StateMachine(.attached) { old, new in old.canBecome(new) }
    }
}
