import Glibc

/// The listening socket that systemd hands to a socket-activated service.
///
/// Source: sd_listen_fds(3). Descriptors begin at 3; they are ours only when `LISTEN_PID` is this process.
package enum ActivatedSocket {
    private static let firstDescriptor: Int32 = 3
    private static let maximumDescriptors: Int32 = 16

    /// Why what systemd handed over cannot be used.
    package enum Fault: Error, Sendable, Hashable, CustomStringConvertible {
        case tooMany(Int32)
        case notAListeningUnixSocket

        package var description: String {
            switch self {
            case .tooMany(let count):
                "systemd handed over \(count) sockets; swiped.socket must have one ListenStream= only"
            case .notAListeningUnixSocket:
                "systemd handed over a descriptor that is not a listening Unix stream socket; look at swiped.socket"
            }
        }
    }

    /// The descriptor, closed on exec from now on; nil when the service was not socket-activated.
    package static func take(
        environment: [String: String], processID: Int32 = getpid()
    ) throws(Fault) -> Int32? {
        guard environment["LISTEN_PID"] == "\(processID)",
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0
        else { return nil }
        for descriptor in firstDescriptor..<(firstDescriptor + min(count, maximumDescriptors)) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        guard count == 1 else { throw .tooMany(count) }
        guard isListening(firstDescriptor) else { throw .notAListeningUnixSocket }
        return firstDescriptor
    }

    private static func isListening(_ descriptor: Int32) -> Bool {
        option(SO_DOMAIN, descriptor) == AF_UNIX
            && option(SO_TYPE, descriptor) == Int32(SOCK_STREAM.rawValue)
            && option(SO_ACCEPTCONN, descriptor) == 1
    }

    private static func option(_ name: Int32, _ descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}
