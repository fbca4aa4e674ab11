internal import Glibc

/// The sockets that systemd hands to a service, by the names that its socket units give them.
///
/// Source: sd_listen_fds_with_names(3). Descriptors begin at 3; they are ours only when `LISTEN_PID` is this process.
package struct HandedSocket: Sendable, Hashable {
    package var descriptor: Int32
    /// `FileDescriptorName=`; the unit's own name where it says none.
    package var name: String

    private static let firstDescriptor: Int32 = 3
    /// More are not looked at.
    package static let maximum: Int32 = 16

    /// All of them, closed on exec from now on; none where the service was not socket-activated.
    package static func all(
        environment: [String: String], processID: Int32 = ServiceNotifier.thisProcess
    ) -> [HandedSocket] {
        guard environment["LISTEN_PID"] == "\(processID)",
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0
        else { return [] }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(
            separator: ":", omittingEmptySubsequences: false)
        return (0..<min(count, maximum)).map { index in
            _ = fcntl(firstDescriptor + index, F_SETFD, FD_CLOEXEC)
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            return HandedSocket(descriptor: firstDescriptor + index, name: name)
        }
    }
}
