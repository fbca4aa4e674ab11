public import SwipeProtocol

/// Why something did not work: a code that can grow, and words for people.
public struct SwipeClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case noDaemon, denied, tooManyConnections, noSuchReader, claimed, claimLost, refused,
                connectionLost, protocolError, timedOut, tooSlow, cancelled, closed
        }

        private let kind: Kind

        /// Nothing listens at the socket's path.
        public static let noDaemon = Code(kind: .noDaemon)
        /// The socket, or the daemon, does not let this user in or do that.
        public static let denied = Code(kind: .denied)
        /// The daemon has as many connections as it takes, in all or of this user. A client that had one tries again.
        public static let tooManyConnections = Code(kind: .tooManyConnections)
        /// There is no such reader.
        public static let noSuchReader = Code(kind: .noSuchReader)
        /// Another client holds the reader, or none does and one must.
        public static let claimed = Code(kind: .claimed)
        /// A claim ended before its closure: another client took the reader, or claimed it while the connection was
        /// interrupted or the reader unplugged.
        public static let claimLost = Code(kind: .claimLost)
        /// The daemon refused for another reason; see ``SwipeClientError/reply``.
        public static let refused = Code(kind: .refused)
        /// The connection ended before the answer came.
        public static let connectionLost = Code(kind: .connectionLost)
        /// The other side does not speak this protocol, or another version of it: final, also for a client that had
        /// a connection.
        public static let protocolError = Code(kind: .protocolError)
        /// The answer, or the connection, did not come in time.
        public static let timedOut = Code(kind: .timedOut)
        /// A stream ended since its consumer took no events, while requests of the same client went on, until too many
        /// of them waited.
        public static let tooSlow = Code(kind: .tooSlow)
        /// The task was cancelled while there was no connection: nothing was asked of the daemon.
        public static let cancelled = Code(kind: .cancelled)
        /// The client was closed.
        public static let closed = Code(kind: .closed)

        /// The code's name.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened, for people.
    public var message: String
    /// What the daemon answered, where it did.
    public var reply: ErrorReply?

    /// The message.
    public var description: String { message }

    /// Whether the same daemon would say so again, however often it were asked.
    var isFinal: Bool { code == .denied || code == .protocolError }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ reply: ErrorReply) {
        self.reply = reply
        message = reply.message
        switch reply.code {
        case .accessDenied: code = .denied
        case .readerUnknown, .readerGone: code = .noSuchReader
        case .claimHeld, .claimRequired, .claimNotHeld: code = .claimed
        // The list is open: a later daemon has more.
        case _: code = .refused
        }
    }

    init(_ bye: ByeCode) {
        switch bye {
        case .denied: self.init(.denied, "the daemon gives this user no role")
        case .tooMany:
            self.init(
                .tooManyConnections,
                "the daemon has as many connections as it allows, in all or of this user")
        case .shutdown, .slowClient, .tooLong:
            self.init(.connectionLost, "the daemon ended the connection: \(bye.rawValue)")
        case .unrecognized:
            self.init(.connectionLost, "the daemon ended the connection and why is not recognized")
        }
    }
}
