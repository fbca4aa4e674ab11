/// Why a request was not done.
public struct ErrorReply: Error, Sendable, Hashable {
    /// The stable name, for programs.
    public var code: ErrorCode
    /// What happened, for people. Never card data.
    public var message: String
    /// Whether the same request may succeed later without anybody changing anything.
    public var isRetryable: Bool

    /// An error; whether it can be tried again is what the table says, unless it is given.
    public init(_ code: ErrorCode, _ message: String, isRetryable: Bool? = nil) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable ?? code.row?.isRetryable ?? false
    }
}

extension ErrorReply: WireObject {
    package static var blank: ErrorReply { ErrorReply(.serverFailed, "") }

    package mutating func members<F: WireFields & ~Copyable>(_ fields: inout F) throws(F.Failure) {
        try fields.required("code", &code)
        try fields.required("message", &message)
        try fields.required("retryable", &isRetryable)
    }
}
