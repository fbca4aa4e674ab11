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

extension Set<Role> {
    /// What is left of these roles for a connection that keeps no more than one role allows. Nothing is added to what
    /// they allow: who sees cards in full may see them masked, and everybody may see that a swipe happened.
    package func narrowed(to role: Role) -> Set<Role> {
        let allowed: Set<Role> =
            switch View(roles: self) {
            case .status: union([.status])
            case .masked: union([.status])
            case .full: union([.status, .masked])
            }
        return switch role {
        case .status: [.status]
        case .masked: allowed.intersection([.status, .masked])
        case .full: allowed.intersection([.status, .masked, .full])
        case .admin: self
        }
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
