import Glibc
import SwipeProtocol

/// A client as plain as can be: a blocking socket with a time limit, so that a test fails and never hangs.
final class TestClient: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let descriptor: Int32
    private nonisolated(unsafe) var received: [UInt8] = []

    /// No answer in this time is a failure.
    private static let patienceSeconds = 60

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            Glibc.close(descriptor)
            throw Failure(description: "connect: errno \(errno)")
        }
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
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    func shutdownWrite() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next line, newline left out; nil at the end of the stream.
    func line() async throws -> String? {
        // A test that asks until something is so ends with its time limit, where it never is.
        try Task.checkCancellation()
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
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
        await withCheckedContinuation { continuation in
            onThread {
                var chunk = [UInt8](repeating: 0, count: 65_536)
                let count = recv(self.descriptor, &chunk, chunk.count, 0)
                if count == 0 || count < 0 && errno == ECONNRESET {
                    continuation.resume(returning: .success([]))
                } else if count < 0 {
                    continuation.resume(returning: .failure(Failure(description: "recv: errno \(errno)")))
                } else {
                    continuation.resume(returning: .success(Array(chunk[..<count])))
                }
            }
        }
    }

    /// The next line as JSON.
    func message() async throws -> JSONObject {
        guard let line = try await line() else { throw Failure(description: "the stream ended") }
        let json = try JSONReader.value(of: Array(line.utf8))
        // Every line of every test fits the schema.
        if let complaint = SchemaChecker().complaint(about: json) {
            throw Failure(description: "\(complaint): \(line)")
        }
        return try JSONObject(json: json)
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

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

func onThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
    pthread_create(&thread, nil, start, Unmanaged.passRetained(ThreadBody(body)).toOpaque())
    pthread_detach(thread)
}
