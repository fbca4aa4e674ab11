public import SwipeProtocol

extension SwipeClient {
    /// Claims a reader for the time of a closure: nobody else sees its cards in full, or controls it but those with the role
    /// `admin`.
    ///
    /// The claim is given back when the closure ends, however it ends. If the connection breaks, the client claims the
    /// reader again when it is back, also after a restart of the daemon; a swipe that the daemon held meanwhile
    /// (`swipe_hold`) comes then. If the reader is unplugged, it is claimed again when it comes back. If the closure ends
    /// while there is no connection, the claim is only forgotten: the daemon has let go of it already.
    ///
    /// Another client may ask for the reader, and has it after a second, not counting what a request of this client takes at a
    /// reader, unless ``ClaimedReader/retain()`` is called. It may also have claimed it before this one could again. The claim is then lost, and not made again: what waits in
    /// ``ClaimedReader/nextSwipe()`` and in the streams of ``ClaimedReader/events(_:)`` is still given, then they throw
    /// ``SwipeClientError/Code/claimLost``.
    ///
    /// ```swift
    /// let swipe = try await client.withClaim("magtek-B05A9C4") { reader in
    ///     try await reader.nextSwipe()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the reader's id.
    ///   - mode: whether to ask another holder for it.
    ///   - body: what to do with the reader while it is this client's.
    /// - Returns: what the closure returns.
    /// - Throws: ``SwipeClientError`` with ``SwipeClientError/Code/claimed`` where another holds it and keeps it;
    ///   otherwise what the closure throws.
    public func withClaim<Result>(
        _ reader: String, mode: ClaimMode = .ask, _ body: (ClaimedReader) async throws -> Result
    ) async throws -> Result {
        let claimed = ClaimedReader(reader, client: self)
        try await link.claim(claimed.scope, mode, keeping: claimed.swipes.buffer, timeout: timeout)
        do {
            let result = try await body(claimed)
            await link.giveBack(claimed.scope, timeout: timeout)
            return result
        } catch {
            await link.giveBack(claimed.scope, timeout: timeout)
            throw error
        }
    }
}

/// A reader that this client holds, inside ``SwipeClient/withClaim(_:mode:_:)``.
public struct ClaimedReader: Sendable {
    /// The reader's id.
    public let id: String
    let client: SwipeClient
    let scope: ClaimScope
    /// What ``nextSwipe()`` takes from. One for the whole claim: a card that is swiped between two calls waits in it.
    let swipes: EventStream

    init(_ id: String, client: SwipeClient) {
        self.id = id
        self.client = client
        scope = ClaimScope(id)
        swipes = client.events([.swipe], readers: [id], within: scope)
    }

    /// What happens at the reader, as ``SwipeClient/events(_:readers:from:)`` tells it, while it is this client's.
    ///
    /// The stream ends with the claim: it throws ``SwipeClientError/Code/claimLost`` where that was lost. While the reader
    /// is unplugged it waits.
    ///
    /// - Parameter kinds: which events; `gap` always comes.
    public func events(_ kinds: Set<EventKind>? = nil) -> EventStream {
        client.events(kinds, readers: [id], within: scope)
    }

    /// Accept swipes, for 3 to 20 seconds or as long as the reader's settings say.
    ///
    /// A card that is swiped from now on waits for ``nextSwipe()``; where that is never called, the last 16 do.
    public func requestSwipe(timeoutSeconds: Int? = nil) async throws(SwipeClientError) {
        client.link.attach(swipes.buffer)
        _ = try await client.control(.requestSwipe(timeoutSeconds: timeoutSeconds), reader: id)
    }

    /// The next card that is swiped on it, readable or not; nil when the closure has ended, the client was closed or the
    /// task cancelled.
    ///
    /// Each swipe comes once, in order. The first call of this or of ``requestSwipe(timeoutSeconds:)`` asks the daemon
    /// for the reader's cards; from then on a card that is swiped between two calls waits for the next one. Before it,
    /// the daemon says of a card that nobody took it.
    ///
    /// Readers that accept swipes only when they are asked need ``requestSwipe(timeoutSeconds:)`` first, and again after
    /// they were unplugged.
    ///
    /// - Throws: ``SwipeClientError`` with ``SwipeClientError/Code/claimLost`` after the last card where the reader is
    ///   another client's now; what ended the connection for good.
    public func nextSwipe() async throws(SwipeClientError) -> SwipeData? {
        if swipes.buffer.begin() { client.link.attach(swipes.buffer) }
        // A call that is cancelled leaves the cards of the next one alone.
        while let event = try await swipes.buffer.next(endsWhenCancelled: false)?.event {
            if case .swipe(let swipe) = event.body { return swipe }
        }
        return nil
    }

    /// Stop accepting swipes.
    public func cancelSwipe() async throws(SwipeClientError) {
        _ = try await client.control(.cancelSwipe, reader: id)
    }

    /// Keep the reader although another client asked for it.
    public func retain() async throws(SwipeClientError) {
        _ = try await client.call(.retain(reader: id))
    }

    /// Ask the reader to do something else.
    @discardableResult
    public func control(_ request: ControlRequest) async throws(SwipeClientError) -> JSONValue {
        if case .requestSwipe = request { client.link.attach(swipes.buffer) }
        return try await client.control(request, reader: id)
    }
}
