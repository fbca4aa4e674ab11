package import SwipeProtocol

/// What the server cannot answer itself.
package protocol ServerBackend: Sendable {
    /// Does what a client asks of a reader (`reader` set) or of the daemon. The server has checked roles and claims.
    ///
    /// The connection handles its next request when this returns. It may be called for several connections at once.
    func control(
        _ request: ControlRequest, reader: String?, by client: ClientIdentity
    ) async -> Result<ControlResult, ErrorReply>

    /// No client holds the reader any more: its holder released it, or is gone.
    func claimEnded(of reader: String) async
}

extension ServerBackend {
    package func claimEnded(of reader: String) async {}
}

/// Gives a client its roles. No role: the client is refused.
package typealias AccessPolicy = @Sendable (PeerCredentials) -> Set<Role>

/// Who a connection is.
package struct ClientIdentity: Sendable, Hashable {
    package var credentials: PeerCredentials
    package var roles: Set<Role>
    /// The server's number for the connection.
    package var connection: UInt64

    package init(credentials: PeerCredentials, roles: Set<Role>, connection: UInt64) {
        self.credentials = credentials
        self.roles = roles
        self.connection = connection
    }

    /// Whether the connection may do less, or see less, with those roles.
    func loses(by new: Set<Role>) -> Bool {
        new.isEmpty || View(roles: new).rawValue < View(roles: roles).rawValue
            || (roles.contains(.admin) && !new.contains(.admin))
    }

    var claimant: Claimant {
        Claimant(uid: credentials.uid, pid: Int(credentials.pid), connection: connection)
    }
}
