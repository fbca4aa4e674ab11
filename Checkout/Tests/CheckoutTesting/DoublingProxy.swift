import Foundation

/// Stands between clients and a service, keeps its clients' connections, and sends each answer twice: the second one may be
/// taken for the answer to the next request.
package final class DoublingProxy: Sendable {
    private let listener: LocalListener
    private let target: UInt16
    private let delay: Duration

    /// - Parameter delay: how long after the first answer the second one comes.
    package init(to address: String, delay: Duration) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw TestFailure("no port in \(address)")
        }
        target = port
        self.delay = delay
        listener = try LocalListener()
        Thread.detachNewThread { [self] in
            while let client = listener.next() {
                Thread.detachNewThread { [self] in serve(Wire(client)) }
            }
        }
    }

    package var address: String { listener.url }

    package func stop() { listener.stop() }

    private func serve(_ client: Wire) {
        while let request = client.message(), let descriptor = LocalListener.connection(to: target),
            let end = request.firstIndex(of: 10)
        {
            let server = Wire(descriptor)
            server.send(
                Array(request[...end]) + Array("Connection: close\r\n".utf8) + Array(request[(end + 1)...]))
            // For the client the connection stays.
            let answer = Array(
                String(decoding: server.rest(), as: UTF8.self)
                    .replacing(/(?i)connection: *close\r\n/, with: "").utf8)
            server.end()
            guard client.send(answer) else { break }
            if delay > .zero { usleep(UInt32(delay / .microseconds(1))) }
            client.send(answer)
        }
        client.end()
    }
}
