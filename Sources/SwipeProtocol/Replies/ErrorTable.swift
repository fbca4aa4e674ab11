extension ErrorCode {
    /// A row of the error table.
    public struct Row: Sendable, Hashable {
        /// The code.
        public var code: ErrorCode
        /// The equivalent of the UnifiedPOS standard (UPOS 1.16, appendix "result codes").
        public var unifiedPOS: String
        /// Whether the same request may succeed later without anybody changing anything.
        public var isRetryable: Bool
        /// What it means, for the documentation.
        public var meaning: String

        init(_ code: ErrorCode, _ unifiedPOS: String, retryable: Bool = false, _ meaning: String) {
            self.code = code
            self.unifiedPOS = unifiedPOS
            self.isRetryable = retryable
            self.meaning = meaning
        }
    }

    /// Every code that this version sends, in the order of the documentation.
    public static let all: [Row] = [
        Row(.lineInvalid, "E_ILLEGAL", "The line is not one JSON object within the limits."),
        Row(
            .lineTooLong, "E_ILLEGAL",
            "The line is longer than 16,384 bytes; `bye` follows and the connection ends."),
        Row(
            .requestInvalid, "E_ILLEGAL",
            "The object is not a request: no method, a bad `id`, an unknown member."),
        Row(.methodUnknown, "E_NOSERVICE", "There is no such method."),
        Row(.parameterUnknown, "E_ILLEGAL", "The method has no such parameter. Nothing was done."),
        Row(.parameterInvalid, "E_ILLEGAL", "A parameter is missing, of the wrong type or out of range."),
        Row(.accessDenied, "E_ILLEGAL", "The roles of this connection do not allow it."),
        Row(.readerUnknown, "E_NOEXIST", "There is no reader of that id."),
        Row(.readerGone, "E_NOHARDWARE", "The reader went away before it was done."),
        Row(.readerBusy, "E_BUSY", retryable: true, "The reader is doing something else."),
        Row(.readerInactive, "E_DISABLED", "The reader is not powered up."),
        Row(.readerState, "E_ILLEGAL", "The reader is in another state, in which that cannot be."),
        Row(.readerAutomatic, "E_ILLEGAL", "The reader does that of itself, as its settings say."),
        Row(.readerUnsupported, "E_ILLEGAL", "This reader cannot do that."),
        Row(.readerTimeout, "E_TIMEOUT", retryable: true, "The reader did not answer in time."),
        Row(.readerFailed, "E_FAILURE", retryable: true, "The reader, or the kernel, refused or failed."),
        Row(.claimHeld, "E_CLAIMED", retryable: true, "Another connection holds the reader and keeps it."),
        Row(.claimRequired, "E_NOTCLAIMED", "The method needs a claim on the reader, or the role `admin`."),
        Row(.claimNotHeld, "E_NOTCLAIMED", "This connection does not hold the reader."),
        Row(
            .claimNotContested, "E_ILLEGAL",
            "No other client has asked for the reader, or the deadline is over."),
        Row(.promptUnknown, "E_NOEXIST", "There is no such prompt, or it is over."),
        Row(.propertyUnknown, "E_NOEXIST", "There is no such property, or it cannot be written."),
        Row(
            .propertyNeedsAuthentication, "E_ILLEGAL",
            "The reader accepts it only with a code made with its key, which the daemon does not have."),
        Row(.simulateDisabled, "E_DISABLED", "The daemon runs without `--allow-simulate`."),
        Row(
            .configurationInvalid, "E_FAILURE", "The configuration is not valid; the old one stays in force."),
        Row(.replyTooLong, "E_EXTENDED", "The answer does not fit a line."),
        Row(.serverFailed, "E_FAILURE", "A mistake in the daemon."),
    ]

    /// The row of this code; nil for one of a later version.
    public var row: Row? { ErrorCode.all.first { $0.code == self } }
}
