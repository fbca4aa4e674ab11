import Glibc
import SwipeProtocol
import TestSupport
import UnixIO

/// A daemon that says what a test wants, when it wants it.
final class ScriptedDaemon: Sendable {
    /// One connection.
    final class Peer: Sendable {
        private let descriptor: Int32
        private nonisolated(unsafe) var received: [UInt8] = []

        /// A client that says nothing for so long says nothing any more: its test fails and never hangs.
        static let patienceSeconds = 60

        /// The client did not say what the test waited for.
        struct Silence: Error, CustomStringConvertible {
            var description: String
        }

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
            limitWaiting(on: descriptor)
        }

        deinit { close(descriptor) }

        func send(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        func greet(_ sequence: Int) {
            send(
                #"{"hello":{"protocol":"swipe/1","daemon":"test","instance":"i","seq":\#(sequence),"#
                    + #""you":{"uid":1,"roles":["full"],"connection":1},"#
                    + #""limits":{"line_in":16384,"line_out":65536}}}"#)
        }

        /// - Parameter line: what goes out before it, at once with it.
        func event(_ name: String, _ sequence: Int, _ data: String, after line: String? = nil) {
            send(
                (line.map { $0 + "\n" } ?? "")
                    + #"{"event":"\#(name)","seq":\#(sequence),"time":"2026-01-31T09:30:00.123456Z","mono_ns":1,"#
                    + #""reader":"r","data":\#(data)}"#)
        }

        /// The next request of that method is answered so; others before it with an empty object.
        @discardableResult
        func answer(_ method: String, _ result: String = "{}") async throws -> JSONObject {
            while true {
                let request = try JSONObject(json: try JSONReader.value(of: try await line()))
                let id = request["id"]?.integer ?? 0
                let isIt = request["method"]?.string == method
                send(#"{"id":\#(id),"result":\#(isIt ? result : "{}")}"#)
                if isIt { return request }
            }
        }

        /// The next request of that method, which is not answered; others before it with an empty object.
        func request(_ method: String) async throws -> JSONObject {
            while true {
                let request = try JSONObject(json: try JSONReader.value(of: try await line()))
                if request["method"]?.string == method { return request }
                send(#"{"id":\#(request["id"]?.integer ?? 0),"result":{}}"#)
            }
        }

        /// The next request, whatever it is; it is not answered.
        func anyRequest() async throws -> JSONObject {
            try JSONObject(json: try JSONReader.value(of: try await line()))
        }

        /// Breaks the connection off.
        func leave() { shutdown(descriptor, Int32(SHUT_RDWR)) }

        private func line() async throws -> [UInt8] {
            while true {
                if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { received.removeFirst(end + 1) }
                    return Array(received[..<end])
                }
                received += try await onThread { [descriptor] () -> Result<[UInt8], Silence> in
                    var chunk = [UInt8](repeating: 0, count: 65_536)
                    switch recv(descriptor, &chunk, chunk.count, 0) {
                    case 0: return .failure(Silence(description: "the client closed its connection"))
                    case let count where count > 0: return .success(Array(chunk[..<count]))
                    case _: return .failure(Silence(description: "the client said nothing: errno \(errno)"))
                    }
                }.get()
            }
        }
    }

    private let descriptor: Int32
    let path: String

    init(backlog: Int32 = 8) throws {
        path = try temporaryFolder() + "/s.sock"
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        _ = UnixAddress(path: path)?.with { bind(descriptor, $0, $1) }
        listen(descriptor, backlog)
        limitWaiting(on: descriptor)
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func accept() async -> Peer {
        let peer = await onThread { [descriptor] in Glibc.accept(descriptor, nil, nil) }
        return Peer(peer)
    }

    /// Connects until nobody is let in any more. What is connected stays so as long as the result lives.
    func fillUp() -> [Peer] {
        var peers: [Peer] = []
        while true {
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let client = socket(AF_UNIX, type, 0)
            peers.append(Peer(client))
            guard UnixAddress(path: path)?.with({ connect(client, $0, $1) }) == 0 else { return peers }
        }
    }
}

private func limitWaiting(on descriptor: Int32) {
    var patience = timeval(tv_sec: ScriptedDaemon.Peer.patienceSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
}
