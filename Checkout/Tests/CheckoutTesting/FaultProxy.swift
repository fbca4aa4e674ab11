import Foundation
import Synchronization

/// Something that goes wrong on the way to a service and back.
package enum WireFault: Sendable, Hashable {
    /// The request never arrives; the connection ends, or nothing ever happens.
    case lostRequest, stalledRequest
    /// It is done, and the answer is lost.
    case lostAnswer
    /// The request, or the answer, comes when nobody waits any more.
    case lateRequest, lateAnswer
    /// The request arrives twice, at once; or once more when it is long over.
    case duplicate, lateDuplicate
    /// The answer ends in the middle of its body.
    case truncation
    /// A proxy's own page: the request was done, or was not.
    case foreignAfter(Int), foreignBefore(Int)
    /// The answer stops in the middle of its head, or of its body, or its body comes a byte at a time and never ends.
    case stalledHead, stalledBody, tricklingBody
    /// A reset: at once, when the request is there, when it is done, in the middle of the answer.
    case resetAtOnce, resetBefore, resetAfter, resetInAnswer
    /// The answer to the request of the same kind before this one, of whatever payment; the request itself was done.
    case anothersAnswer
    /// Hints come before the answer; the answer says that it is longer than it is; it says that it is zipped, which it is not;
    /// it comes in chunks, with fields at its end.
    case hints, tooLong, unzipped, trailers

    /// What web servers, load balancers, captive portals and firewalls say.
    package static let statuses = [
        101, 103, 200, 202, 204, 301, 302, 304, 400, 401, 402, 403, 404, 407, 409, 418, 422, 429, 451, 500,
        502, 503, 504,
    ]

    package static let all: [WireFault] =
        [
            .lostRequest, .stalledRequest, .lostAnswer, .lateRequest, .lateAnswer, .duplicate, .lateDuplicate,
            .truncation,
            .stalledHead, .stalledBody, .tricklingBody, .resetAtOnce, .resetBefore, .resetAfter,
            .resetInAnswer, .anothersAnswer, .hints, .tooLong, .unzipped, .trailers,
        ] + statuses.map { .foreignAfter($0) } + statuses.map { .foreignBefore($0) }
}

/// Stands between clients and a service on this machine, and does to each request what a plan says.
package final class FaultProxy: Sendable {
    /// A request's first line: `POST /v1/sources/src_1/authorise`. Empty for a connection that was just made: then only
    /// ``WireFault/resetAtOnce`` is done.
    package typealias Plan = @Sendable (_ request: String) -> WireFault?

    private let target: UInt16
    private let listener: LocalListener
    private let plan: Plan
    /// How long it takes what is late, and what is stalled to be ended.
    private let delay: Duration
    private let faults = Mutex<[WireFault: Int]>([:])
    /// The latest answer to each kind of request.
    private let latest = Mutex<[String: [UInt8]]>([:])

    package init(to address: String, delay: Duration, plan: @escaping Plan) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw TestFailure("no port in \(address)")
        }
        target = port
        self.delay = delay
        self.plan = plan
        listener = try LocalListener()
        Thread.detachNewThread { [self] in
            while let client = listener.next() {
                Thread.detachNewThread { [self] in serve(Wire(client)) }
            }
        }
    }

    /// The address for clients.
    package var address: String { listener.url }

    /// How often each fault was done.
    package var counts: [WireFault: Int] { faults.withLock { $0 } }

    package func stop() { listener.stop() }

    private func serve(_ client: Wire) {
        if plan("") == .resetAtOnce {
            faults.withLock { $0[.resetAtOnce, default: 0] += 1 }
            return client.reset()
        }
        guard let request = client.message() else { return client.end() }
        let first = String(decoding: request.prefix { $0 != 13 }, as: UTF8.self)
        let fault = plan(first.split(separator: " ").prefix(2).joined(separator: " "))
        if let fault { faults.withLock { $0[fault, default: 0] += 1 } }
        switch fault {
        case nil: client.send(keep(forward(request), as: first))
        case .lostRequest: break
        case .stalledRequest: pause()
        case .lostAnswer: _ = forward(request)
        case .lateRequest:
            pause()
            _ = forward(request)
        case .lateAnswer:
            let answer = forward(request)
            pause()
            client.send(answer)
        case .duplicate:
            _ = forward(request)
            client.send(forward(request))
        case .lateDuplicate:
            client.send(forward(request))
            client.end()
            pause()
            _ = forward(request)
            return
        case .truncation:
            let answer = forward(request)
            client.send(answer.dropLast(max(bodyLength(answer) / 2, 1)))
        case .foreignAfter(let status):
            _ = forward(request)
            client.send(Self.page(status))
        case .foreignBefore(let status): client.send(Self.page(status))
        case .stalledHead:
            client.send(forward(request).prefix(20))
            pause()
        case .stalledBody:
            let answer = forward(request)
            client.send(answer.dropLast(max(bodyLength(answer) / 2, 1)))
            pause()
        case .tricklingBody: trickle(forward(request), to: client)
        case .resetAtOnce, .resetBefore: return client.reset()
        case .resetAfter:
            _ = forward(request)
            return client.reset()
        case .resetInAnswer:
            client.send(forward(request).prefix(30))
            return client.reset()
        case .anothersAnswer: client.send(another(request, first))
        case .hints: client.send(Self.hints + forward(request))
        case .tooLong:
            client.send(Self.changed(forward(request)) { "Content-Length: \($0.count + 100)" })
            pause()
        case .unzipped:
            client.send(
                Self.changed(forward(request)) { "Content-Length: \($0.count)\r\nContent-Encoding: gzip" })
        case .trailers: client.send(inChunks(forward(request)))
        }
        client.end()
    }

    private static let hints = Array("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".utf8)

    /// The answer to the request of the same kind before this one.
    private func another(_ request: [UInt8], _ line: String) -> [UInt8] {
        let another = latest.withLock { $0[Self.kind(line)] }
        let own = keep(forward(request), as: line)
        return another ?? own
    }

    /// An answer in one chunk, with a field at its end.
    private func inChunks(_ answer: [UInt8]) -> [UInt8] {
        let length = bodyLength(answer)
        let head = Self.changed(answer) { _ in "Transfer-Encoding: chunked\r\nTrailer: X-End" }
        let size = Array("\(String(length, radix: 16))\r\n".utf8)
        let end = Array("\r\n0\r\nX-End: HTTP/1.1 200 OK\r\n\r\n".utf8)
        return head[..<(head.count - length)] + size + answer[(answer.count - length)...] + end
    }

    private func keep(_ answer: [UInt8], as line: String) -> [UInt8] {
        latest.withLock { $0[Self.kind(line)] = answer }
        return answer
    }

    /// `POST /v1/sources/*/authorise`.
    private static func kind(_ line: String) -> String {
        line.split(separator: "/").map { $0.contains("_") ? "*" : $0 }.joined(separator: "/")
    }

    /// An answer with another field in place of its length.
    private static func changed(_ answer: [UInt8], _ field: (ArraySlice<UInt8>) -> String) -> [UInt8] {
        guard let length = Wire.headLength(answer) else { return answer }
        let head = String(decoding: answer[..<length], as: UTF8.self)
        let new = head.replacing(/(?i)content-length: *[0-9]+/, with: field(answer[length...]))
        return Array(new.utf8) + answer[length...]
    }

    private func pause() { usleep(UInt32(delay / .microseconds(1))) }

    /// A blank at a time, which JSON allows without end.
    private func trickle(_ answer: [UInt8], to client: Wire) {
        client.send(
            Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n".utf8))
        let end = ContinuousClock.now + delay * 3
        while ContinuousClock.now < end, client.send([0x20]) { usleep(20_000) }
    }

    private func bodyLength(_ answer: [UInt8]) -> Int {
        answer.count - (Wire.headLength(answer) ?? answer.count)
    }

    /// Lets the service do a request; its whole answer.
    private func forward(_ request: [UInt8]) -> [UInt8] {
        guard let descriptor = LocalListener.connection(to: target) else { return [] }
        let server = Wire(descriptor)
        defer { server.end() }
        guard let line = request.firstIndex(of: 10) else { return [] }
        server.send(
            Array(request[...line]) + Array("Connection: close\r\n".utf8) + Array(request[(line + 1)...]))
        return server.rest()
    }

    private static func page(_ status: Int) -> [UInt8] {
        let page = "<!doctype html><title>\(status)</title><h1>Please sign in to the network</h1>\n"
        let head =
            "HTTP/1.1 \(status) Says the proxy\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n"
        return Array((head + "Connection: close\r\n\r\n" + page).utf8)
    }
}

/// A connection, read and written by a thread that may wait.
struct Wire {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // What is stalled is not waited for without end.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
        var left = Array(bytes)[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            left = left.dropFirst(count)
        }
        return true
    }

    func end() { close(descriptor) }

    func reset() {
        var hard = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    /// One message with its body; nil where none comes.
    func message() -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            if let head = Self.headLength(bytes), bytes.count >= head + Self.bodyLength(bytes[..<head]) {
                return bytes
            }
            guard let more = more() else { return nil }
            bytes += more
        }
    }

    /// Everything until the other side ends.
    func rest() -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = more() { bytes += more }
        return bytes
    }

    private func more() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = read(descriptor, &chunk, chunk.count)
        return count > 0 ? Array(chunk[..<count]) : nil
    }

    static func headLength(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
    }

    private static func bodyLength(_ head: ArraySlice<UInt8>) -> Int {
        let text = String(decoding: head, as: UTF8.self).lowercased()
        return text.firstMatch(of: /content-length: *([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
    }
}
