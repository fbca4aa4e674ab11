internal import Glibc
internal import LoadMeasures

/// A daemon with one virtual reader, and a client of it.
struct DaemonUnderTest {
    private let child: pid_t
    private let source: Int32
    private let client: Int32
    private static let swipe = Array(#""event":"swipe""#.utf8)

    init(_ program: String, _ folder: String) throws(Failure) {
        guard mkfifo(folder + "/reports", 0o600) == 0 else { throw Failure(what: "mkfifo: \(errno)") }
        let text = "[access]\nmasked = *\n[virtual-hid m]\nsource = \(folder)/reports\n"
        let file = open(folder + "/conf", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard Array(text.utf8).withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == text.utf8.count
        else {
            throw Failure(what: "cannot write \(folder)/conf: \(errno)")
        }
        close(file)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        child = try spawn(
            program, [program, "--config", folder + "/conf", "--socket", folder + "/s"], &actions)
        client = try Self.connect(folder + "/s")
        let request =
            #"{"id":1,"method":"subscribe","params":{"events":["ready","swipe"],"snapshot":true}}"# + "\n"
        Sockets.send(client, request.utf8)
        try Self.awaitReady(client)
        source = open(folder + "/reports", O_WRONLY | O_CLOEXEC)
        guard source >= 0 else { throw Failure(what: "open: \(errno)") }
    }

    /// Writes a report and waits for its swipe.
    func swipe(_ report: [UInt8]) throws(Failure) -> Exchange {
        try exchange(report, source, client) { $0.firstRange(of: Self.swipe) != nil }
    }

    func end() {
        kill(child, SIGTERM)
        var status: Int32 = 0
        waitpid(child, &status, 0)
    }

    private static func connect(_ path: String) throws(Failure) -> Int32 {
        for _ in 0..<500 {
            let socket = Sockets.connect(path)
            if socket >= 0 { return socket }
            Clock.sleep(until: Clock.now() + 10_000_000)
        }
        throw Failure(what: "no connection")
    }

    /// Until the reader is told of as ready.
    private static func awaitReady(_ client: Int32) throws(Failure) {
        let ready = Array(#""event":"ready""#.utf8)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var text: [UInt8] = []
        while text.firstRange(of: ready) == nil {
            let count = read(client, &buffer, buffer.count)
            guard count > 0 else { throw Failure(what: "the client was closed") }
            text += buffer.prefix(count)
        }
    }
}

func spawn(_ program: String, _ words: [String], _ actions: inout posix_spawn_file_actions_t) throws(Failure)
    -> pid_t
{
    let pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var child = pid_t()
    guard posix_spawn(&child, program, &actions, nil, pointers, environ) == 0 else {
        throw Failure(what: "cannot start \(program)")
    }
    return child
}
