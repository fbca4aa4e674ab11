internal import SwipeProtocol

/// Reads messages from a socket.
struct MessageReader {
    private var lines = LineBuffer()
    private var chunk = [UInt8](repeating: 0, count: 65_536)

    mutating func read(_ socket: borrowing UnixSocket) throws(SwipeClientError) {
        let count = socket.read(into: &chunk)
        guard count > 0 else { throw SwipeClientError(.connectionLost, "the daemon closed the connection") }
        lines.append(chunk[..<count])
        // It may show a card, and the next line may be long in coming.
        for index in 0..<count { chunk[index] = 0 }
    }

    /// The next message that has arrived in full, and its line.
    mutating func next() throws(SwipeClientError) -> (message: ServerMessage, line: [UInt8])? {
        guard let line = try lines.next() else { return nil }
        do throws(WireError) { return (try ServerMessage(line: line), line) } catch {
            throw SwipeClientError(.protocolError, "the daemon sent a line that is not understood: \(error)")
        }
    }

    /// The daemon's greeting.
    ///
    /// - Parameter look: how many milliseconds to wait before it is called again; throws when it is enough.
    mutating func hello(
        _ socket: borrowing UnixSocket, look: () throws(SwipeClientError) -> Int32
    ) throws(SwipeClientError) -> Hello {
        while true {
            switch try next()?.message {
            case .hello(let hello): return hello
            case .otherVersion(let version):
                throw SwipeClientError(
                    .protocolError, "the daemon speaks \(version), this client \(ProtocolVersion.current)")
            case .event(let event):
                if case .bye(let code) = event.body { throw SwipeClientError(code) }
                throw SwipeClientError(.protocolError, "an event before the greeting")
            case .reply: throw SwipeClientError(.protocolError, "a reply before the greeting")
            case .none: break
            }
            switch socket.wait(milliseconds: try look()) {
            case .readable: try read(socket)
            case .woken: socket.wakeUp.clear()
            case .writable, .timedOut: break
            }
        }
    }
}
