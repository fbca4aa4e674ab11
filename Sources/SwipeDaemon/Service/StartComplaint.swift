import EventServer
import ServiceSupport

/// Why the daemon could not start, and what to do about it.
enum StartComplaint {
    static func words(for error: any Error) -> String {
        switch error {
        case let error as ServerError: words(for: error)
        case let error as ActivatedSocket.Fault: error.description
        case CardHash.Fault.unreadable(let path):
            "[cards] hash_key: \(path) cannot be read by this user, or is too long"
        case CardHash.Fault.short(let path):
            "[cards] hash_key: \(path) has fewer than \(CardHash.minimumKey) bytes: openssl rand -out FILE 32"
        default: "cannot start: \(error)"
        }
    }

    private static func words(for error: ServerError) -> String {
        switch error {
        case .alreadyRunning(let path, let pid):
            "another swiped\(pid.map { " (process \($0))" } ?? "") serves \(path) already; end it, or choose another socket"
        case .notASocket(let path):
            "\(path) exists and is not a socket; move it away, or choose another socket"
        case .pathTooLong(let path): "\(path) is too long for a socket's name (107 bytes at most)"
        case .file(let path, let operation, let code):
            "cannot listen at \(path): \(operation): \(ErrorNumber.words(code)); does its folder exist, and may this "
                + "user write there?"
        case .system(let operation, let code): "cannot listen: \(operation): \(ErrorNumber.words(code))"
        }
    }
}
