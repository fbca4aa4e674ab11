/// Why the server could not start.
package enum ServerError: Error, Sendable, Hashable {
    /// A daemon answers at that path already.
    case alreadyRunning(path: String)
    /// Something that is no socket is at that path.
    case notASocket(path: String)
    /// The path does not fit a socket address.
    case pathTooLong(path: String)
    /// The kernel refused to make, own or remove the file at that path.
    case file(path: String, operation: String, errno: Int32)
    /// The kernel refused.
    case system(operation: String, errno: Int32)
    /// The event loop refused; the words are NIO's.
    case loop(String)
}
