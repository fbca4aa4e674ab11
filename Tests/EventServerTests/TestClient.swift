import Glibc
import SwipeProtocol
import TestSupport
import UnixIO

/// A client as plain as can be: a blocking socket with a time limit, so that a test fails and never hangs.
final class TestClient: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let descriptor: Int32
    private nonisolated(unsafe) var received: [UInt8] = []
    private nonisolated(unsafe) var seen = SeenLines()

    /// No answer in this time is a failure.
    private static let patienceSeconds = 60

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let result = UnixAddress(path: path)?.with { connect(descriptor, $0, $1) }
        // All is set by now, so what fails here is closed by deinit. To close it here as well would close what another thread has
        // opened meanwhile under its number.
        guard result == 0 else { throw Failure(description: "connect: errno \(errno)") }
        var patience = timeval(tv_sec: TestClient.patienceSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    }

    deinit { Glibc.close(descriptor) }

    /// Sends bytes as they are; false when the server has closed.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        Whole.send(bytes, to: descriptor) == 0
    }

    /// Breaks the connection off.
    func vanish() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func shutdownWrite() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next line, newline left out; nil at the end of the stream. Every line of every test fits the schema.
    func line() async throws -> String? {
        // A test that asks until something is so ends with its time limit, where it never is.
        try Task.checkCancellation()
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                let line = String(decoding: received[..<end], as: UTF8.self)
                if let complaint = seen.complaint(about: line) {
                    throw Failure(description: "\(complaint): \(line)")
                }
                return line
            }
            switch await receive() {
            case .success(let chunk) where chunk.isEmpty: return nil
            case .success(let chunk): received.append(contentsOf: chunk)
            case .failure(let failure): throw failure
            }
        }
    }

    /// Blocks a thread of its own: those of the pool are needed by the server's tasks.
    private func receive() async -> Result<[UInt8], Failure> {
        await onThread { [descriptor] in
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count == 0 || count < 0 && errno == ECONNRESET { return .success([]) }
            guard count > 0 else { return .failure(Failure(description: "recv: errno \(errno)")) }
            return .success(Array(chunk[..<count]))
        }
    }

    /// The next line as JSON.
    func message() async throws -> JSONObject {
        guard let line = try await line() else { throw Failure(description: "the stream ended") }
        return try JSONObject(json: try JSONReader.value(of: Array(line.utf8)))
    }

    /// The next event of that name; other lines are dropped.
    func event(_ name: String) async throws -> JSONObject {
        while true {
            let message = try await message()
            if message["event"]?.string == name { return message }
        }
    }

    /// The lines until the server closes.
    func rest() async throws -> [String] {
        var lines: [String] = []
        while let line = try await line() { lines.append(line) }
        return lines
    }

    /// Sends a request and gives its reply; events before it are dropped.
    func request(_ method: String, _ parameters: String = "{}", id: Int = 1) async throws -> JSONObject {
        send("{\"id\":\(id),\"method\":\"\(method)\",\"params\":\(parameters)}\n")
        while true {
            let message = try await message()
            guard message["id"] != nil else { continue }
            // The answer fits what this very method answers.
            if let result = message["result"], let asked = Method(rawValue: method),
                let complaint = SchemaChecker().complaint(about: result, answering: asked)
            {
                throw Failure(description: "\(method): \(complaint)")
            }
            return message
        }
    }
}

extension JSONObject {
    /// The value at a path of names.
    func at(_ path: String...) -> JSONValue? {
        var value: JSONValue? = .object(self)
        for name in path { value = value?.object?[name] }
        return value
    }
}
