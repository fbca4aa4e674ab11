internal import Glibc
public import SwipeProtocol

/// A connection to the daemon. Share one: requests and streams do not get in each other's way.
///
/// ```swift
/// let client = SwipeClient()
/// for try await event in client.events([.swipe]) {
///     if case .swipe(let swipe) = event.body {
///         print(swipe.card?.pan?.masked ?? swipe.card?.kind.rawValue ?? "unreadable")
///     }
/// }
/// ```
public final class SwipeClient: Sendable {
    /// Where the daemon listens unless its configuration says otherwise.
    public static let systemPath = "/run/swiped/swiped.sock"
    /// The variable of the environment that names another socket, for every client.
    public static let pathVariable = "SWIPED_SOCKET"

    /// Where a client that is told nothing else looks for the daemon: what ``pathVariable`` says, else ``systemPath``.
    ///
    /// A program that runs with more rights than who started it (set-user-ID) does not look at the environment.
    public static var defaultPath: String {
        guard getuid() == geteuid(), getgid() == getegid(), let path = getenv(pathVariable),
            path.pointee != 0
        else { return systemPath }
        return String(cString: path)
    }

    let link: Link
    let timeout: Duration

    /// A client. It connects when it is first used, and again when it is used after the connection was lost.
    ///
    /// - Parameters:
    ///   - path: the socket's path.
    ///   - reconnects: whether streams and claims go on when the connection breaks.
    ///   - timeout: how long an answer may take, the wait for a connection included.
    public init(
        path: String = SwipeClient.defaultPath, reconnects: Bool = true, timeout: Duration = .seconds(30)
    ) {
        link = Link(path: path, reconnects: reconnects)
        self.timeout = timeout
    }

    /// A client that goes on over interruptions, and tells of them from its own thread.
    package init(
        path: String, timeout: Duration = .seconds(30),
        onInterruption: @escaping @Sendable (Interruption) -> Void
    ) {
        link = Link(path: path, reconnects: true, onInterruption: onInterruption)
        self.timeout = timeout
    }

    deinit { link.close() }

    /// Connects, and gives the daemon's greeting.
    @discardableResult
    public func connect() async throws(SwipeClientError) -> Hello {
        try await link.hello(by: SystemTime.deadline(after: timeout))
    }

    /// Ends the connection. Streams end after what they hold, claims are given back.
    public func close() { link.close() }

    /// The events from now on; the readers that are there come first, as `connect` events without a number.
    ///
    /// - Parameters:
    ///   - kinds: which events; `gap` always comes.
    ///   - readers: of which readers; nil for all.
    ///   - start: where to begin.
    public func events(
        _ kinds: Set<EventKind>? = nil, readers: Set<String>? = nil, from start: EventStart = .now
    ) -> EventStream {
        EventStream(kinds: kinds.map { EventKinds($0) } ?? .all, readers: readers, start: start, client: self)
    }

    /// The same for a claim: the stream ends with it.
    func events(_ kinds: Set<EventKind>?, readers: Set<String>, within scope: ClaimScope) -> EventStream {
        EventStream(
            kinds: kinds.map { EventKinds($0) } ?? .all, readers: readers, start: .now, client: self,
            scope: scope)
    }

    /// The readers that are there.
    public func readers() async throws(SwipeClientError) -> [ReaderInfo] {
        let result = try await call(.readers)
        do throws(WireError) { return try JSONObject(json: result).required("readers") } catch {
            throw SwipeClientError(.protocolError, "readers: \(error)")
        }
    }

    /// The sound inputs that the configuration gives to readers, and whether they are being listened to.
    public func audioInputs() async throws(SwipeClientError) -> [AudioInputInfo] {
        let result = try await call(.readers)
        do throws(WireError) { return try JSONObject(json: result).optional("audio_inputs") ?? [] } catch {
            throw SwipeClientError(.protocolError, "audio_inputs: \(error)")
        }
    }

    /// The sections of the configuration for sound cards that are not used: their card is not there, or another section
    /// has it.
    public func unusedInputs() async throws(SwipeClientError) -> [UnusedInputInfo] {
        let result = try await call(.readers)
        do throws(WireError) { return try JSONObject(json: result).optional("unused_inputs") ?? [] } catch {
            throw SwipeClientError(.protocolError, "unused_inputs: \(error)")
        }
    }

    /// How the reader at a sound input behaves now. Needs no claim.
    public func settings(of reader: String) async throws(SwipeClientError) -> SettingsInForce {
        let result = try await call(.control(.get, reader: reader))
        do throws(WireError) { return try JSONObject(json: result).required("settings") } catch {
            throw SwipeClientError(.protocolError, "settings: \(error)")
        }
    }

    /// The levels of the sound input that a reader is at, a tenth of a second each and the oldest first: those after a number, at most
    /// two seconds of them.
    ///
    /// The first answer is empty: the daemon measures only while somebody asks, and goes on for five seconds. Needs more than the role
    /// `status`.
    public func levels(
        of reader: String, after number: UInt64? = nil
    ) async throws(SwipeClientError) -> [SoundLevel] {
        let result = try await call(.control(.levels(after: number), reader: reader))
        do throws(WireError) { return try JSONObject(json: result).required("levels") } catch {
            throw SwipeClientError(.protocolError, "levels: \(error)")
        }
    }

    /// Whether the daemon answers.
    public func ping() async throws(SwipeClientError) { _ = try await call(.ping) }

    /// Returns when every event that the daemon published before is in the streams that want it: what they hold then is
    /// all that has happened until now.
    public func barrier() async throws(SwipeClientError) { _ = try await call(.barrier) }

    /// The daemon's counters, and those of its readers under their UnifiedPOS names.
    public func stats(reader: String? = nil) async throws(SwipeClientError) -> JSONValue {
        try await call(.stats(reader: reader))
    }

    /// The JSON Schema of the protocol.
    public func schema() async throws(SwipeClientError) -> JSONValue { try await call(.schema) }

    /// Gives up, for the connection that there is, what goes beyond a role: for a program that passes on what it sees. A connection
    /// that is made again has all its roles again; such a client does not reconnect by itself.
    @discardableResult
    package func narrow(to role: Role) async throws(SwipeClientError) -> Hello.You {
        let result = try await call(.narrow(role))
        do throws(WireError) { return try Hello.You(json: result) } catch {
            throw SwipeClientError(.protocolError, "narrow: \(error)")
        }
    }

    /// Asks a reader (or, where `reader` is nil, the daemon) to do something.
    ///
    /// Most requests need a claim on the reader (``withClaim(_:mode:_:)``) or the role `admin`.
    @discardableResult
    public func control(
        _ request: ControlRequest, reader: String? = nil
    ) async throws(SwipeClientError) -> JSONValue {
        try await call(.control(request, reader: reader))
    }

    func call(_ call: Call) async throws(SwipeClientError) -> JSONValue {
        try await link.request(call, timeout: timeout)
    }
}
