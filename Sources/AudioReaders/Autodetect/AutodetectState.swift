package import StateMachine

/// How far the search for the kind of a reader is.
package enum AutodetectState: Sendable, Hashable, CaseIterable {
    case ipsEnterprise, ips, unimag, passive, found, failed
}

extension AutodetectState: DiagrammedState {
    package static let representatives: [AutodetectState] = AutodetectState.allCases

    package var name: String {
        switch self {
        case .ipsEnterprise: "ips_enterprise"
        case .ips: "ips"
        case .unimag: "unimag"
        case .passive: "passive"
        case .found: "found"
        case .failed: "failed"
        }
    }

    package var meaning: String {
        switch self {
        case .ipsEnterprise: "Calls an IPS Enterprise reader."
        case .ips: "Calls an IPS reader."
        case .unimag: "Powers up a UniMag or Shuttle."
        case .passive: "Listens for a card on a passive head."
        case .found: "The reader is used as what it is."
        case .failed: "Nothing answered, nothing is used."
        }
    }

    /// The next kind to try.
    var next: AutodetectState {
        switch self {
        case .ipsEnterprise: .ips
        case .ips: .unimag
        case .unimag: .passive
        case .passive, .found, .failed: .failed
        }
    }

    package static func machine() -> StateMachine<AutodetectState> { machine(from: .ipsEnterprise) }

    /// - Parameter start: another state than the first where a search has ended before.
    static func machine(from start: AutodetectState) -> StateMachine<AutodetectState> {
        StateMachine(start) { old, new in
            switch old {
            case .ipsEnterprise, .ips, .unimag, .passive: new == old.next || new == .found
            case .found, .failed: false
            }
        }
    }
}
