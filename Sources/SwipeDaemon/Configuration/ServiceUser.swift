import Glibc

/// The user that the service runs as, by the unit that comes with it.
package enum ServiceUser {
    package static let name = "swiped"

    /// Takes that user's rights for good, so that a configuration is read as the daemon will read it: root reads everything.
    ///
    /// - Returns: whether it did: only root can, and only where there is such a user.
    package static func become() -> Bool {
        guard geteuid() == 0, let uid = AccessRules.userID(name), let gid = AccessRules.groupID(name) else {
            return false
        }
        return initgroups(name, gid) == 0 && setgid(gid) == 0 && setuid(uid) == 0
    }
}
