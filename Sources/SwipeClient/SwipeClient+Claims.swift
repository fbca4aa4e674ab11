public import SwipeProtocol

extension SwipeClient {
    /// Claims a reader for the time of a closure: nobody else controls it or sees its cards in full.
    ///
    /// The claim is given back when the closure ends, however it ends. If the connection breaks, the client claims the
    /// reader again when it is back, also after a restart of the daemon; a swipe that the daemon held meanwhile
    /// (`swipe_hold`) comes then.
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
        let granted = try await call(.claim(reader: reader, mode, token: nil))
        link.remember(token: granted.object?["token"]?.string, for: reader)
        let claimed = ClaimedReader(id: reader, client: self)
        do {
            let result = try await body(claimed)
            await giveBack(reader)
            return result
        } catch {
            await giveBack(reader)
            throw error
        }
    }

    private func giveBack(_ reader: String) async {
        link.forgetClaim(of: reader)
        // It may be lost already, with the connection or to somebody else: then there is nothing to give back.
        _ = try? await call(.release(reader: reader))
    }
}

/// A reader that this client holds, inside ``SwipeClient/withClaim(_:mode:_:)``.
public struct ClaimedReader: Sendable {
    /// The reader's id.
    public let id: String
    let client: SwipeClient

    /// Accept swipes, for 3 to 20 seconds or as long as the reader's settings say.
    public func requestSwipe(timeoutSeconds: Int? = nil) async throws(SwipeClientError) {
        _ = try await client.control(.requestSwipe(timeoutSeconds: timeoutSeconds), reader: id)
    }

    /// The next card that is swiped on it, readable or not; nil when the client was closed or the task cancelled.
    ///
    /// Readers that accept swipes only when they are asked need ``requestSwipe(timeoutSeconds:)`` first.
    public func nextSwipe() async throws(SwipeClientError) -> SwipeData? {
        let stream = client.events([.swipe], readers: [id])
        while let event = try await stream.nextArrival()?.event {
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
        try await client.control(request, reader: id)
    }
}
