import Foundation

/// Stands before a service, and answers some requests itself.
package final class AnsweringProxy: Sendable {
    private let listener: LocalListener
    private let target: UInt16

    /// - Parameter answer: for a request's first line the head of an answer without a body; nil for the service's own.
    package init(to address: String, answer: @escaping @Sendable (String) -> String?) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw TestFailure("no port in \(address)")
        }
        target = port
        listener = try LocalListener()
        Thread.detachNewThread { [self] in
            while let client = listener.next() {
                Thread.detachNewThread { [self] in serve(Wire(client), answer) }
            }
        }
    }

    package var address: String { listener.url }

    package func stop() { listener.stop() }

    private func serve(_ client: Wire, _ answer: (String) -> String?) {
        guard let request = client.message() else { return client.end() }
        let line = String(decoding: request.prefix { $0 != 13 }, as: UTF8.self)
        if let head = answer(line) {
            client.send(Array((head + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").utf8))
        } else if let descriptor = LocalListener.connection(to: target), let end = request.firstIndex(of: 10)
        {
            let server = Wire(descriptor)
            server.send(
                Array(request[...end]) + Array("Connection: close\r\n".utf8) + Array(request[(end + 1)...]))
            client.send(server.rest())
            server.end()
        }
        client.end()
    }
}
