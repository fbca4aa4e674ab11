/// Why a request was not done: a stable dotted name. A later daemon may send names that are not in ``all``.
public struct ErrorCode: Sendable, Hashable, RawRepresentable {
    /// The name on the wire.
    public var rawValue: String

    /// A code by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The line is not one JSON object within the limits.
    public static let lineInvalid = ErrorCode(rawValue: "line.invalid")
    /// The line is longer than the limit; the connection ends.
    public static let lineTooLong = ErrorCode(rawValue: "line.too_long")
    /// The object is not a request: no method, a bad `id`, an unknown member.
    public static let requestInvalid = ErrorCode(rawValue: "request.invalid")
    /// There is no such method.
    public static let methodUnknown = ErrorCode(rawValue: "method.unknown")
    /// A parameter that the method does not have.
    public static let parameterUnknown = ErrorCode(rawValue: "params.unknown")
    /// A parameter is missing, of the wrong type or out of range.
    public static let parameterInvalid = ErrorCode(rawValue: "params.invalid")
    /// The roles of this connection do not allow it.
    public static let accessDenied = ErrorCode(rawValue: "access.denied")
    /// There is no reader of that id.
    public static let readerUnknown = ErrorCode(rawValue: "reader.unknown")
    /// The reader went away before it was done.
    public static let readerGone = ErrorCode(rawValue: "reader.gone")
    /// The reader is doing something else.
    public static let readerBusy = ErrorCode(rawValue: "reader.busy")
    /// The reader is not powered up.
    public static let readerInactive = ErrorCode(rawValue: "reader.inactive")
    /// The reader is in another state, in which that cannot be.
    public static let readerState = ErrorCode(rawValue: "reader.state")
    /// The reader does that of itself, as its settings say.
    public static let readerAutomatic = ErrorCode(rawValue: "reader.automatic")
    /// This reader cannot do that.
    public static let readerUnsupported = ErrorCode(rawValue: "reader.unsupported")
    /// The reader did not answer in time.
    public static let readerTimeout = ErrorCode(rawValue: "reader.timeout")
    /// The reader, or the kernel, refused or failed.
    public static let readerFailed = ErrorCode(rawValue: "reader.failed")
    /// Another connection holds the reader and keeps it.
    public static let claimHeld = ErrorCode(rawValue: "claim.held")
    /// The method needs a claim on the reader, or the role `admin`.
    public static let claimRequired = ErrorCode(rawValue: "claim.required")
    /// This connection does not hold the reader.
    public static let claimNotHeld = ErrorCode(rawValue: "claim.not_held")
    /// Nobody has asked for the reader, or the deadline is over.
    public static let claimNotContested = ErrorCode(rawValue: "claim.not_contested")
    /// There is no such prompt, or it is over.
    public static let promptUnknown = ErrorCode(rawValue: "prompt.unknown")
    /// There is no such property, or it cannot be written.
    public static let propertyUnknown = ErrorCode(rawValue: "property.unknown")
    /// The reader takes it only with a code made with its key, which the daemon does not hold.
    public static let propertyNeedsAuthentication = ErrorCode(rawValue: "property.needs_authentication")
    /// The daemon runs without `--allow-simulate`.
    public static let simulateDisabled = ErrorCode(rawValue: "simulate.disabled")
    /// The configuration file is not valid; the old one stays in force.
    public static let configurationInvalid = ErrorCode(rawValue: "configuration.invalid")
    /// The answer does not fit a line.
    public static let replyTooLong = ErrorCode(rawValue: "reply.too_long")
    /// A mistake in the daemon.
    public static let serverFailed = ErrorCode(rawValue: "server.failed")
}

extension ErrorCode: CustomStringConvertible {
    /// The name on the wire.
    public var description: String { rawValue }
}

/// The code is open: a later daemon may send others.
extension ErrorCode: WireValue {
    package static var schema: JSONValue { SchemaParts.string }
    package func write(to writer: inout JSONWriter) { writer.write(rawValue) }
    package init(json: JSONValue) throws(WireError) { self.init(rawValue: try String(json: json)) }
}
