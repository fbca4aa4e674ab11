// From the last byte of a swipe report at the daemon's transport to the last byte of its line at a client.
//
//     reportlatency SWIPED VECTOR.hex [COUNT [PAUSE_MS]]
//
// Starts the daemon with a virtual HID reader, whose reports come as hexadecimal text through a FIFO: reading that text
// is part of what is measured, libhidapi's read is not. The client is one blocking read on the socket.
import Glibc

struct Failure: Error { var what: String }

func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else {
        throw Failure(what: "usage: reportlatency SWIPED VECTOR.hex [COUNT [PAUSE_MS]]")
    }
    let count = arguments.count > 3 ? Int(arguments[3]) ?? 2000 : 2000
    let pause = arguments.count > 4 ? UInt32(arguments[4]) ?? 5 : 5
    let report = try hexLine(of: arguments[2])
    let folder = "/tmp/reportlatency-\(getpid())"
    guard mkdir(folder, 0o700) == 0, mkfifo(folder + "/reports", 0o600) == 0 else {
        throw Failure(what: "mkfifo: \(errno)")
    }
    let daemon = try start(arguments[1], folder)
    defer {
        kill(daemon, SIGTERM)
        var status: Int32 = 0
        waitpid(daemon, &status, 0)
        for name in ["/reports", "/conf", "/s"] { unlink(folder + name) }
        rmdir(folder)
    }
    let client = try connect(folder + "/s")
    _ = line(from: client)
    send(
        #"{"id":1,"method":"subscribe","params":{"events":["ready","swipe"],"snapshot":true}}"# + "\n",
        to: client)
    _ = line(from: client)
    sleep(1)
    let source = open(folder + "/reports", O_WRONLY | O_CLOEXEC)
    guard source >= 0 else { throw Failure(what: "open: \(errno)") }
    var taken: [Double] = []
    // The first ones warm up.
    for round in 0..<(count + 100) {
        usleep(pause * 1000)
        let start = nanoseconds()
        _ = report.withUnsafeBytes { write(source, $0.baseAddress, $0.count) }
        while !line(from: client).contains("\"event\":\"swipe\"") {}
        if round >= 100 { taken.append(Double(nanoseconds() - start) / 1000) }
    }
    taken.sort()
    let place = { (share: Double) in Int(taken[min(taken.count - 1, Int(Double(taken.count) * share))]) }
    print(
        "report to line, us: p50 \(place(0.5)), p90 \(place(0.9)), p99 \(place(0.99)), most \(place(1)); n = \(count)"
    )
}

func start(_ program: String, _ folder: String) throws -> pid_t {
    let text = "[access]\nmasked = *\n[virtual-hid m]\nsource = \(folder)/reports\n"
    let file = open(folder + "/conf", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    _ = Array(text.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
    let words = [program, "--config", folder + "/conf", "--socket", folder + "/s"]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var child = pid_t()
    guard posix_spawn(&child, program, &actions, nil, pointers, environ) == 0 else {
        throw Failure(what: "cannot start \(program)")
    }
    return child
}

func connect(_ path: String) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    for _ in 0..<500 {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result == 0 { return socket }
        close(socket)
        usleep(10_000)
    }
    throw Failure(what: "no connection")
}

func send(_ text: String, to file: Int32) {
    _ = Array(text.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
}

/// One line; the daemon writes whole ones.
func line(from file: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var text: [UInt8] = []
    while text.last != UInt8(ascii: "\n") {
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { exit(1) }
        text += buffer.prefix(count)
    }
    return String(decoding: text, as: UTF8.self)
}

func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The report of a vector as one line, without its comments.
func hexLine(of path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure(what: "cannot read \(path)") }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(file, &buffer, buffer.count)
    let lines = buffer.prefix(max(0, count)).split(separator: UInt8(ascii: "\n"))
    return lines.filter { $0.first != UInt8(ascii: "#") }.flatMap { $0 } + [UInt8(ascii: "\n")]
}

do {
    try main()
} catch {
    print("reportlatency: \(error)")
    exit(1)
}
