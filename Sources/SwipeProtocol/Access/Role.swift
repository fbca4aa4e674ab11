/// What a connection may do. Given by the daemon from the peer's credentials; a client cannot ask for more.
public enum Role: String, Sendable, Hashable, CaseIterable, LaterWord {
    /// Sees readers and their states; of a swipe that it happened, no card data.
    case status
    /// Sees swipes with masked card data, and may claim a reader.
    case masked
    /// Sees swipes in full, and may claim a reader.
    case full
    /// May claim a reader, control readers without a claim, reload the configuration and set the log level. Shows no card data.
    case admin
}

extension Role {
    /// The most that a connection keeps that has asked for no more than this role.
    package var most: Set<Role> {
        switch self {
        case .status: [.status]
        case .masked: [.status, .masked]
        case .full: [.status, .masked, .full]
        case .admin: Set(Role.allCases)
        }
    }
}

extension Set<Role> {
    /// What is left of these roles for a connection that keeps no more than one role allows. Nothing is added to what
    /// they allow: who sees cards in full may see them masked, and everybody may see that a swipe happened.
    package func narrowed(to role: Role) -> Set<Role> {
        if role == .admin { return self }
        let allowed: Set<Role> =
            switch View(roles: self) {
            case .status: union([.status])
            case .masked: union([.status])
            case .full: union([.status, .masked])
            }
        return allowed.intersection(role.most)
    }

    /// Why a connection with these roles is not to be used, which asked for one role alone; nil where it has no more. For a program
    /// that passes on what it sees: what it was answered is looked at, and not believed.
    package func excess(beyond asked: Role) -> String? {
        let more = subtracting(asked.most)
        guard !more.isEmpty else { return nil }
        let names = more.map(\.rawValue).sorted().joined(separator: ", ")
        return
            "the daemon was asked for the role \(asked.rawValue) alone and leaves this program \(names) as well: it is not used"
    }
}

/// How much of an event a connection sees. Each event is encoded once for each view that has a subscriber.
public enum View: Int, Sendable, Hashable, CaseIterable {
    /// No card data.
    case status
    /// Card data masked.
    case masked
    /// Card data in full.
    case full

    /// The widest view that the roles allow.
    public init(roles: Set<Role>) {
        if roles.contains(.full) {
            self = .full
        } else if roles.contains(.masked) {
            self = .masked
        } else {
            self = .status
        }
    }
}
