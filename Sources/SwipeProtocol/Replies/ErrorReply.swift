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

extension ErrorReply: JSONEncodable, JSONDecodable {
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("code", code)
        writer.field("message", message)
        writer.field("retryable", isRetryable)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try JSONObject(json: json)
        code = try object.required("code")
        message = try object.required("message")
        isRetryable = try object.required("retryable")
    }
}
