import Foundation
import Synchronization

/// Stands between a client and a server on this machine, and keeps what the client sends.
package final class WireTap: Sendable {
    private let target: UInt16
    private let listener: LocalListener
    private let bytes = Mutex<[UInt8]>([])
    private let mayServe = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - address: the server's, `http://127.0.0.1:49152`.
    ///   - isHeld: whether clients wait until ``letGo()``.
    package init(to address: String, isHeld: Bool = false) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw TestFailure("no port in \(address)")
        }
        target = port
        listener = try LocalListener()
        if !isHeld { letGo() }
        Thread.detachNewThread { [self] in serve() }
    }

    /// The address for the client.
    package var address: String { listener.url }

    /// What clients have sent so far.
    package var sent: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    /// From now on clients are served.
    package func letGo() { mayServe.signal() }

    /// No client comes any more.
    package func stop() { listener.stop() }

    private func serve() {
        mayServe.wait()
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
