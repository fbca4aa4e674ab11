import Foundation
import Synchronization

/// Stands between a client and a server on this machine, and keeps what the client sends.
package final class WireTap: Sendable {
    private let target: UInt16
    private let listener: LocalListener
    private let bytes = Mutex<[UInt8]>([])

    /// - Parameter address: the server's, `http://127.0.0.1:49152`.
    package init(to address: String) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw TestFailure("no port in \(address)")
        }
        target = port
        listener = try LocalListener()
        Thread.detachNewThread { [self] in serve() }
    }

    /// The address for the client.
    package var address: String { listener.url }

    /// What clients have sent so far.
    package var sent: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    /// No client comes any more.
    package func stop() { listener.stop() }

    private func serve() {
        while let client = listener.next(), let server = LocalListener.connection(to: target) {
            Thread.detachNewThread { [self] in copy(from: client, to: server, isKept: true) }
            Thread.detachNewThread { [self] in copy(from: server, to: client, isKept: false) }
        }
    }

    private func copy(from source: Int32, to destination: Int32, isKept: Bool) {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(source, &chunk, chunk.count)
            guard count > 0 else { break }
            if isKept { bytes.withLock { $0 += chunk[..<count] } }
            guard write(destination, chunk, count) == count else { break }
        }
        shutdown(destination, Int32(SHUT_WR))
    }
}
