internal import Glibc

/// The user and groups of a socket's client, as the kernel noted them when the client connected.
package struct PeerCredentials: Sendable, Hashable {
    package var pid: Int32
    package var uid: UInt32
    package var gid: UInt32
    /// The supplementary groups. Empty where the kernel does not name them (before Linux 4.13).
    package var groups: [UInt32]

    package init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }
}

extension PeerCredentials {
    /// `struct ucred` (linux/socket.h), which the Glibc module leaves out.
    private struct KernelCredentials {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
    }

    /// SO_PEERGROUPS (asm-generic/socket.h), which the Glibc module leaves out.
    private static let peerGroups: Int32 = 59
    /// NGROUPS_MAX (linux/limits.h).
    private static let maximumGroups = 65_536

    /// Asks the kernel. Nil when the socket is not a Unix socket or is gone.
    init?(descriptor: Int32) {
        var credentials = KernelCredentials()
        var size = socklen_t(MemoryLayout<KernelCredentials>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        self.init(
            pid: credentials.pid, uid: credentials.uid, gid: credentials.gid,
            groups: PeerCredentials.groups(of: descriptor))
    }

    private static func groups(of descriptor: Int32) -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 32)
        var size = socklen_t(groups.count * MemoryLayout<UInt32>.size)
        if getsockopt(descriptor, SOL_SOCKET, peerGroups, &groups, &size) != 0 {
            // ERANGE: the kernel said how much it needs.
            let needed = Int(size) / MemoryLayout<UInt32>.size
            guard errno == ERANGE, needed > groups.count, needed <= maximumGroups else { return [] }
            groups = [UInt32](repeating: 0, count: needed)
            guard getsockopt(descriptor, SOL_SOCKET, peerGroups, &groups, &size) == 0 else { return [] }
        }
        return Array(groups.prefix(Int(size) / MemoryLayout<UInt32>.size))
    }
}
