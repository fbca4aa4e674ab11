import Glibc
import SwipeClient
import SwipeProtocol

extension CommandFailure {
    /// What a failure of the client means for the user, and what to do about it.
    init(_ error: SwipeClientError, path: String) {
        switch error.code {
        case .noDaemon:
            self.init(
                .noDaemon, error.message,
                advice: """
                    'systemctl status swiped' says why not. Start it with 'systemctl start swiped.socket', or name its socket \
                    with --socket or \(SwipeClient.pathVariable).
                    """)
        case .timedOut: self.init(unanswered: error, path: path)
        case .denied:
            self.init(.denied, error.message, advice: Self.remedy(path))
        case .tooManyConnections:
            self.init(
                .failure, error.message,
                advice: "End some, or raise max_clients or max_clients_per_user in swiped.conf, [server].")
        case .noSuchReader:
            self.init(.noSuchReader, error.message)
        default:
            self.init(.failure, error.message)
        }
    }

    /// Something listens, and no answer comes of it.
    init(unanswered error: SwipeClientError, path: String) {
        self.init(
            .noDaemon, error.message,
            advice:
                "Something listens at \(path.printable) and does not answer: 'systemctl status swiped' shows whether that is the daemon."
        )
    }

    /// Whether the socket's file lets this user in.
    static func mayOpen(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// Whose group would let this user in: the socket file says it.
    private static func remedy(_ path: String) -> String {
        guard !mayOpen(path) else {
            return "The socket lets you in, the daemon does not: ask for a role in swiped.conf, [access]."
        }
        return "Become a member of the group '\(group(path) ?? "swiped")', then log in again: "
            + "sudo usermod --append --groups \(group(path) ?? "swiped") \(user())"
    }

    private static func group(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_gid != 0, let entry = getgrgid(status.st_gid) else {
            return nil
        }
        return String(cString: entry.pointee.gr_name)
    }

    private static func user() -> String {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "USER"
    }
}
