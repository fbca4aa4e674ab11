import CFuzzing
import Glibc
import LoadMeasures

/// One connection, and what the daemon still has to answer on it.
struct Session {
    let descriptor: Int32
    private var expected: [Lines.Answer] = []
    private var answered = 0
    private var rest: [UInt8] = []
    private(set) var known = Lines.Knowledge()
    /// Whether it has asked for what it missed: numbers may come again then.
    var mayRepeat = false
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
    /// How many answers the daemon owes: whoever claims may have to wait for a holder.
    var owed: Int { expected.count - answered }

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
    /// The last token that it was granted.
    private(set) var granted: String?

    /// Another connection was granted a claim with that token.
    mutating func hears(of token: String) { known.token = token }

    private mutating func take(_ line: ArraySlice<UInt8>) {
        lastLine = Array(line)
        guard line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}") else {
            complaint = "not a line: \(String(decoding: line.prefix(200), as: UTF8.self))"
            return
        }
        if line.starts(with: "{\"event\":\"bye\"".utf8) { mayEnd = true }
        if line.starts(with: "{\"hello\"".utf8) { return learn(line) }
        if line.starts(with: "{\"event\"".utf8) { return follow(line) }
        guard line.starts(with: "{\"id\":".utf8) else {
            complaint = "unknown line: \(String(decoding: line.prefix(200), as: UTF8.self))"
            return
        }
        // A line that is too long is answered where nothing was asked.
        guard answered < expected.count else {
            if !mayEnd {
                complaint =
                    "an answer that nobody asked for: \(String(decoding: line.prefix(200), as: UTF8.self))"
            }
            return
        }
        let answer = expected[answered]
        answered += 1
        if line.count < 200, let token = Session.text(after: "\"token\":\"", in: line) { granted = token }
        if case .id(let id) = answer, !line.starts(with: "{\"id\":\(id),".utf8) {
            complaint =
                "expected an answer to \(id), got \(String(decoding: line.prefix(200), as: UTF8.self))"
        }
    }

    /// The daemon's instance and where its events are.
    private mutating func learn(_ hello: ArraySlice<UInt8>) {
        guard let instance = Session.text(after: "\"instance\":\"", in: hello) else {
            complaint = "a greeting without an instance"
            return
        }
        known.instance = instance
        known.lastSequence = Session.number(after: "\"seq\":", in: hello) ?? 0
    }

    /// Events come in the order of their numbers, unless it asked for old ones.
    private mutating func follow(_ event: ArraySlice<UInt8>) {
        guard let number = Session.number(after: "\"seq\":", in: event.prefix(64)) else { return }
        if number <= known.lastSequence, !mayRepeat {
            complaint = "event \(number) after \(known.lastSequence)"
        }
        known.lastSequence = max(known.lastSequence, number)
    }

    /// Where the text behind that one begins.
    static func find(_ key: StaticString, in line: ArraySlice<UInt8>) -> Int? {
        line.withUnsafeBytes { bytes in
            let length = key.utf8CodeUnitCount
            guard let base = bytes.baseAddress else { return nil }
            var start = 0
            while start + length <= bytes.count,
                let found = memchr(base + start, Int32(key.utf8Start[0]), bytes.count - length - start + 1)
            {
                start = UnsafeRawPointer(found) - base
                if memcmp(base + start, key.utf8Start, length) == 0 {
                    return line.startIndex + start + length
                }
                start += 1
            }
            return nil
        }
    }

    private static func number(after key: StaticString, in line: ArraySlice<UInt8>) -> Int? {
        guard let start = find(key, in: line) else { return nil }
        return Int(String(decoding: line[start...].prefix { 48...57 ~= $0 }, as: UTF8.self))
    }

    private static func text(after key: StaticString, in line: ArraySlice<UInt8>) -> String? {
        find(key, in: line).map {
            String(decoding: line[$0...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
        }
    }

    /// Sends bytes with descriptors of ours along, which a daemon that does not want them must not keep.
    func sendWithDescriptors(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { fuzz_send_with_descriptors(descriptor, $0.baseAddress, $0.count, 16) }
    }

    func close() { Glibc.close(descriptor) }
}
