import Glibc
package import SwipeProtocol

/// Who has which role, with names resolved to numbers when the configuration was read.
package struct AccessRules: Sendable {
    private struct Rule: Sendable {
        var everybody = false
        var users: Set<UInt32> = []
        var groups: Set<UInt32> = []

        func holds(uid: UInt32, gids: [UInt32]) -> Bool {
            everybody || users.contains(uid) || gids.contains(where: groups.contains)
        }
    }

    private var rules: [Role: Rule] = [:]
    /// Names that this system does not know; the users that they were meant for have no such role.
    package private(set) var unknownNames: [String] = []

    package init(_ access: DaemonConfiguration.Access) {
        add(.status, access.status)
        add(.masked, access.masked)
        add(.full, access.full)
        add(.admin, access.admin)
    }

    /// The roles of a client.
    ///
    /// - Parameter gids: its primary and supplementary groups.
    package func roles(uid: UInt32, gids: [UInt32]) -> Set<Role> {
        Set(rules.filter { $0.value.holds(uid: uid, gids: gids) }.keys)
    }

    /// The principal, as it is written.
    static func name(_ principal: Principal) -> String {
        switch principal {
        case .everybody: "*"
        case .user(let name): "user:\(name)"
        case .group(let name): name
        }
    }

    private mutating func add(_ role: Role, _ principals: [Principal]) {
        var rule = Rule()
        for principal in principals {
            switch principal {
            case .everybody: rule.everybody = true
            case .user(let name):
                if let uid = UInt32(name) ?? Self.userID(name) {
                    rule.users.insert(uid)
                } else {
                    unknownNames.append(Self.name(principal))
                }
            case .group(let name):
                if let gid = UInt32(name) ?? Self.groupID(name) {
                    rule.groups.insert(gid)
                } else {
                    unknownNames.append(Self.name(principal))
                }
            }
        }
        rules[role] = rule
    }

    /// Large enough for a group of a thousand members.
    private static let nameBufferSize = 65_536

    static func groupID(_ name: String) -> UInt32? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: nameBufferSize)
        let status = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        return status == 0 && found != nil ? entry.gr_gid : nil
    }

    static func userID(_ name: String) -> UInt32? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: nameBufferSize)
        let status = getpwnam_r(name, &entry, &buffer, buffer.count, &found)
        return status == 0 && found != nil ? entry.pw_uid : nil
    }
}
