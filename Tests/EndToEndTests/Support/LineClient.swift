import Foundation
import SwipeProtocol
import UnixIO

/// A client as small as one can be: a socket and lines. Every line is held against the schema.
final class LineClient {
    enum Failure: Error {
        case noDaemon, timedOut(received: [String]), ended(received: [String])
        case doesNotFitTheSchema(String, line: String)
    }

    /// How long a line may take.
    var patience: Duration = .seconds(60)
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private(set) var received: [String] = []
    private var seen = SeenLines()

    /// Connects, waiting for a daemon that has only just been started, and reads the greeting.
    init(path: String, deadline: ContinuousClock.Instant) throws {
        while true {
            let attempt = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let status = UnixAddress(path: path)?.with { connect(attempt, $0, $1) }
            if status == 0 {
                descriptor = attempt
                break
            }
            close(attempt)
            guard .now < deadline else { throw Failure.noDaemon }
            // The one thing that cannot be awaited: a process that does not listen yet.
            usleep(2_000)
        }
        _ = try line()
    }

    deinit { close(descriptor) }

    func send(_ line: String) { send(bytes: Array((line + "\n").utf8)) }

    func send(bytes: [UInt8]) {
        _ = Whole.send(bytes, to: descriptor)
    }

    /// Lines that came before an answer was awaited, and are still to be read.
    private var setAside: [String] = []

    /// The next line, without its end.
    func line() throws -> String { setAside.isEmpty ? try freshLine() : setAside.removeFirst() }

    /// The line that begins so: an answer. Whatever comes before it stays to be read.
    func answer(_ beginning: String) throws -> String {
        var passed: [String] = []
        defer { setAside += passed }
        while true {
            let line = try freshLine()
            if line.hasPrefix(beginning) { return line }
            passed.append(line)
        }
    }

    private func freshLine() throws -> String {
        let deadline = ContinuousClock.now + patience
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 1)
                received.append(line)
                try LineClient.check(line, &seen)
                return line
            }
            try fill(until: deadline)
        }
    }

    /// Throws where the line is not what the published schema says.
    static func check(_ line: String, _ seen: inout SeenLines) throws {
        if let complaint = seen.complaint(about: line) {
            throw Failure.doesNotFitTheSchema(complaint, line: line)
        }
    }

    /// The same of all lines that a program has printed.
    static func check(printed lines: String) throws {
        var seen = SeenLines()
        for line in lines.split(separator: "\n") { try check(String(line), &seen) }
    }

    /// The next lines up to and including the one that contains `text`.
    func lines(through text: String) throws -> [String] {
        var lines: [String] = []
        repeat { lines.append(try line()) } while !(lines.last?.contains(text) ?? true)
        return lines
    }

    /// Whether the daemon has closed the connection; reads what is left first.
    func hasEnded() -> Bool {
        do {
            while true { _ = try line() }
        } catch Failure.ended {
            return true
        } catch {
            return false
        }
    }

    private func fill(until deadline: ContinuousClock.Instant) throws {
        let left = deadline - .now
        guard left > .zero else { throw Failure.timedOut(received: received) }
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(clamping: left.components.seconds * 1000 + 1)
        guard poll(&polled, 1, milliseconds) > 0 else { return }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { throw Failure.ended(received: received) }
        buffer += chunk[..<count]
    }
}

/// An event line with what differs from run to run taken out.
func steady(_ line: String) -> String {
    line.replacing(/"time":"[^"]*"/, with: "\"time\":T").replacing(/"mono_ns":[0-9]+/, with: "\"mono_ns\":N")
}
