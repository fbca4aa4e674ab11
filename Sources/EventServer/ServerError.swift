/// Why the server could not start.
package enum ServerError: Error, Sendable, Hashable {
    /// Another daemon serves that path already; `pid` where it is known.
    case alreadyRunning(path: String, pid: Int32?)
    /// Something that is not a socket is at that path.
    case notASocket(path: String)
    /// The path does not fit a socket address.
    case pathTooLong(path: String)
    /// The kernel refused to make, own or remove the file at that path.
    case file(path: String, operation: String, errno: Int32)
    /// The kernel refused.
    case system(operation: String, errno: Int32)
}

extension ServerError: CustomStringConvertible {
    /// A few words for a log line.
    package var description: String {
        switch self {
        case .alreadyRunning(let path, let pid):
            "another swiped\(pid.map { " (process \($0))" } ?? "") serves \(path)"
        case .notASocket(let path): "\(path) is not a socket"
        case .pathTooLong(let path): "\(path) is too long"
        case .file(let path, let operation, let number): "\(path): \(operation): errno \(number)"
        case .system(let operation, let number): "\(operation): errno \(number)"
        }
    }
}
