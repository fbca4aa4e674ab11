import Glibc
import ReaderKit
import Testing

@testable import DeviceIO

/// `hid-bench` with a program in it: plug, swipe and unplug by lines, and what the program says as lines.
final class HIDBench: Sendable {
    private static let wrapper = "/usr/bin/umockdev-wrapper"

    /// Nil when the bench can run, else why not.
    static let obstacle: String? = {
        guard access(wrapper, X_OK) == 0 else { return "umockdev is not installed" }
        guard access(product("hid-bench"), X_OK) == 0 else { return "hid-bench is not built" }
        var status: Int32 = 0
        guard let child = try? spawn([product("hid-bench")], input: -1, output: -1) else {
            return "cannot spawn"
        }
        waitpid(child, &status, 0)
        return status >> 8 == 77 ? "hid-bench was built without libumockdev-dev" : nil
    }()

    private let lines = Mailbox<String>(capacity: 1_024)
    private let input: Int32
    private let child: pid_t

    /// Starts `program` (one of the package's) in a bench.
    init(_ program: String, _ arguments: [String] = [], options: [String] = []) throws {
        signal(SIGPIPE, SIG_IGN)
        let (inputRead, inputWrite) = try Self.pipe()
        let (outputRead, outputWrite) = try Self.pipe()
        let command = [Self.wrapper, Self.product("hid-bench")] + options + [program] + arguments
        child = try Self.spawn(command, input: inputRead, output: outputWrite)
        close(inputRead)
        close(outputWrite)
        input = inputWrite
        startThread { [lines] in Self.read(outputRead, into: lines) }
    }

    static func product(_ name: String) -> String {
        let path = (try? readLink("/proc/self/exe")) ?? ""
        return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/" + name
    }

    func send(_ line: String) {
        _ = Array((line + "\n").utf8).withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    }

    /// Awaits lines in any order; whatever else is said in between is passed over.
    func expect(_ wanted: String...) async throws {
        var missing = wanted
        while !missing.isEmpty {
            let line = try await nextLine()
            missing.removeAll { $0 == line }
        }
    }

    func firstLine(startingWith prefix: String) async throws -> String {
        while true {
            let line = try await nextLine()
            if line.hasPrefix(prefix) { return line }
        }
    }

    /// A program that ends before the test does has crashed: whatever is awaited will not come.
    private func nextLine() async throws -> String {
        let line = try await lines.next()
        if line.hasPrefix("bench: exited") { throw Ended(how: line) }
        return line
    }

    struct Ended: Error { var how: String }

    /// Ends the program and waits for it.
    func end() {
        close(input)
        var status: Int32 = 0
        waitpid(child, &status, 0)
    }

    private static func read(_ file: Int32, into lines: Mailbox<String>) {
        var pending: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            pending += chunk.prefix(count)
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                _ = lines.deliver(String(decoding: pending[..<end], as: UTF8.self))
                pending.removeFirst(end + 1)
            }
        }
        close(file)
        lines.finish(.gone)
    }

    private static func spawn(_ command: [String], input: Int32, output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if input >= 0 { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        if output >= 0 { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        if output < 0 { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
        // A backtracer would hold the output open for minutes.
        setenv("SWIFT_BACKTRACE", "enable=no", 1)
        let arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        let failure = posix_spawn(&child, command[0], &actions, nil, arguments, environ)
        guard failure == 0 else { throw SoundSource.Failure(operation: "posix_spawn", code: failure) }
        return child
    }

    private static func pipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw SoundSource.Failure(operation: "pipe", code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}

private func readLink(_ path: String) throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { throw SoundSource.Failure(operation: "readlink", code: errno) }
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
}
