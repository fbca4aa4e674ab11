import Foundation

/// A connected socket, and what came of it: nothing between a test and the bytes.
class RawSocket {
    enum Failure: Error {
        case cannotConnect(Int32), timedOut(String), ended(String)
    }

    /// How long something may take.
    static let patience: Int32 = 60_000
    let descriptor: Int32
    fileprivate var buffer: [UInt8] = []

    init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        try connect(&address)
    }

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        try connect(&address)
    }

    private func connect<Address>(_ address: inout Address) throws {
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard status == 0 else { throw Failure.cannotConnect(errno) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.ended("while sending") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends as much as there is room for now.
    func sendSome(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }

    /// Reads more; false at the end.
    func fill() throws -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, Self.patience) > 0 else {
            throw Failure.timedOut(String(decoding: buffer, as: UTF8.self))
        }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &chunk, chunk.count)
        if count > 0 { buffer += chunk[..<count] }
        return count > 0
    }

    func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw Failure.ended(String(decoding: buffer, as: UTF8.self)) }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    func take(through mark: String) throws -> String {
        let mark = Array(mark.utf8)
        while true {
            if let range = buffer.firstRange(of: mark) {
                defer { buffer.removeSubrange(..<range.upperBound) }
                return String(decoding: buffer[..<range.upperBound], as: UTF8.self)
            }
            guard try fill() else { throw Failure.ended(String(decoding: buffer, as: UTF8.self)) }
        }
    }

    /// Everything until the other side closes.
    func rest() throws -> String {
        while (try? fill()) == true {}
        return String(decoding: buffer, as: UTF8.self)
    }
}

/// Lines on a Unix socket.
final class LineSocket: RawSocket {
    func line() throws -> String { String(try take(through: "\n").dropLast()) }
}

/// An answer over HTTP.
struct HTTPAnswer {
    var status: Int
    var headers: [String: String]
    var body: String

    /// A text in the body's JSON object.
    func member(_ name: String) -> String? {
        let object = (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any]
        return object?[name] as? String
    }

    /// The code of a refusal.
    var refusal: String? {
        let object = (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any]
        return (object?["error"] as? [String: Any])?["code"] as? String
    }

    init(_ text: String) {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
        headers = [:]
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            headers[pair[0].lowercased()] = pair.count > 1 ? String(pair[1].drop { $0 == " " }) : ""
        }
        body = parts.count > 1 ? String(parts[1]) : ""
    }
}

extension GatewayUnderTest {
    /// A request as it is written here; `Host` is right unless it is named.
    func http(
        _ method: String, _ target: String, _ headers: [String: String] = [:], body: String? = nil,
        more: String = ""
    ) throws -> HTTPAnswer {
        let socket = try RawSocket(port: port)
        var text = "\(method) \(target) HTTP/1.1\r\nConnection: close\r\n" + more
        for (name, value) in ["Host": "localhost:\(port)"].merging(
            headers, uniquingKeysWith: { _, new in new })
        where !value.isEmpty {
            text += "\(name): \(value)\r\n"
        }
        if let body {
            if headers["Content-Type"] == nil { text += "Content-Type: application/json\r\n" }
            text += "Content-Length: \(body.utf8.count)\r\n"
        }
        try socket.send(text + "\r\n" + (body ?? ""))
        return HTTPAnswer(try socket.rest())
    }
}
