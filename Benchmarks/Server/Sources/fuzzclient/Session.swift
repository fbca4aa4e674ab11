import CFuzzing
import Glibc
import LoadMeasures

/// One connection, and what the daemon still has to answer on it.
struct Session {
    let descriptor: Int32
    private var expected: [Lines.Answer] = []
    private var answered = 0
    private var rest: [UInt8] = []
    /// Whether the daemon may close it: it was given cause to.
    var mayEnd = false
    private(set) var hasEnded = false
    /// What is wrong with what the daemon said; nil while nothing is.
    private(set) var complaint: String?

    init?(_ path: String) {
        descriptor = Sockets.connect(path)
        guard descriptor >= 0 else { return nil }
    }

    var isWaiting: Bool { answered < expected.count }

    mutating func expect(_ answers: [Lines.Answer]) {
        if answered > 4_096 {
            expected.removeFirst(answered)
            answered = 0
        }
        expected += answers
    }

    /// Sends all of it, reading meanwhile: a daemon that pauses for a client that does not read must not hang us.
    mutating func send(_ bytes: [UInt8], _ buffer: UnsafeMutableRawBufferPointer) {
        var rest = bytes[...]
        let deadline = Clock.now() + 20_000_000_000
        while !rest.isEmpty, !hasEnded, complaint == nil {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                if read(buffer) == 0 { usleep(200) }
                if Clock.now() > deadline { complaint = "the daemon takes nothing for 20 s" }
            } else {
                // What it said before it closed tells why.
                while !hasEnded, complaint == nil { read(buffer) }
                return
            }
        }
    }

    /// Takes what is there; how many bytes that were.
    @discardableResult
    mutating func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count == 0 || count < 0 && errno != EAGAIN {
            end()
            return 0
        }
        guard count > 0 else { return 0 }
        rest.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        var start = 0
        while let newline = rest[start...].firstIndex(of: 10) {
            take(rest[start..<newline])
            start = newline + 1
        }
        rest.removeFirst(start)
        return count
    }

    private mutating func end() {
        let code = errno
        hasEnded = true
        if !mayEnd {
            let last = String(decoding: lastLine.prefix(300), as: UTF8.self)
            complaint = "the daemon ended a connection without cause (errno \(code)) after: \(last)"
        }
        // A line that has begun is whole, except where the connection is torn down from our side.
        if !rest.isEmpty, !mayEnd { complaint = "half a line" }
    }

    private var lastLine: [UInt8] = []

    private mutating func take(_ line: ArraySlice<UInt8>) {
        lastLine = Array(line)
        guard line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}") else {
            complaint = "not a line: \(String(decoding: line.prefix(200), as: UTF8.self))"
            return
        }
        if line.starts(with: "{\"event\":\"bye\"".utf8) { mayEnd = true }
        if line.starts(with: "{\"event\"".utf8) || line.starts(with: "{\"hello\"".utf8) { return }
        guard line.starts(with: "{\"id\":".utf8) else {
            complaint = "unknown line: \(String(decoding: line.prefix(200), as: UTF8.self))"
            return
        }
        // A line that is too long is answered where nothing was asked.
        guard answered < expected.count else {
            if !mayEnd { complaint = "an answer that nobody asked for: \(String(decoding: line.prefix(200), as: UTF8.self))" }
            return
        }
        let answer = expected[answered]
        answered += 1
        if case .id(let id) = answer, !line.starts(with: "{\"id\":\(id),".utf8) {
            complaint = "expected an answer to \(id), got \(String(decoding: line.prefix(200), as: UTF8.self))"
        }
    }

    /// Sends bytes with descriptors of ours along, which a daemon that does not want them must not keep.
    func sendWithDescriptors(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { fuzz_send_with_descriptors(descriptor, $0.baseAddress, $0.count, 16) }
    }

    func close() { Glibc.close(descriptor) }
}
