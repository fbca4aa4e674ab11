// serverload SUBSCRIBERS EVENTS_PER_SECOND SECONDS [STALLED]
// One process: the server on its loop, a thread that publishes, a thread that reads all subscribers. Prints latency
// from publish to the reader's recv, deliveries, CPU of the server's thread a delivery, and memory a subscriber.
import EventServer
import Glibc
import Logging
import NIOCore
import NIOPosix
import SwipeProtocol

struct Refusing: ServerBackend {
    func control(
        _ request: ControlRequest, reader: String?, by client: ClientIdentity
    ) async -> Result<JSONValue, ErrorReply> { .failure(ErrorReply(.serverFailed, "a benchmark")) }
}

func monotonic() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func threadCPU() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var total = 0, resident = 0
    withUnsafeMutablePointer(to: &total) { a in
        withUnsafeMutablePointer(to: &resident) { b in
            withVaList([a, b]) { _ = vfscanf(file, "%ld %ld", $0) }
        }
    }
    return resident * 4
}

func connectTo(_ path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    return result == 0 ? descriptor : -1
}

func sendLine(_ descriptor: Int32, _ text: String) {
    _ = Array((text + "\n").utf8).withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
}

/// Reads all healthy subscribers until each has had every event; notes the latency of each line.
final class Receiver: @unchecked Sendable {
    var latencies: [UInt32] = []
    var outOfOrder = 0
    private var descriptors: [pollfd]
    private var rest: [[UInt8]]
    private var last: [UInt64]
    private let target: UInt64

    init(_ descriptors: [Int32], target: UInt64) {
        self.descriptors = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        rest = Array(repeating: [], count: descriptors.count)
        last = Array(repeating: 0, count: descriptors.count)
        self.target = target
        latencies.reserveCapacity(Int(target) * descriptors.count)
    }

    /// A closure written at the top level would belong to the main actor, and trap on another thread.
    func start() -> pthread_t {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue().run() }
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
        return thread
    }

    func run() {
        var chunk = [UInt8](repeating: 0, count: 262_144)
        var open = descriptors.count
        while open > 0, poll(&descriptors, nfds_t(descriptors.count), 5_000) > 0 {
            for index in descriptors.indices where descriptors[index].revents != 0 {
                let count = recv(descriptors[index].fd, &chunk, chunk.count, 0)
                let now = monotonic()
                if count > 0 { take(chunk[..<count], index, now) }
                if count <= 0 || last[index] >= target {
                    descriptors[index].fd = -1
                    open -= 1
                }
            }
        }
    }

    private func take(_ bytes: ArraySlice<UInt8>, _ index: Int, _ now: UInt64) {
        var line = rest[index] + bytes
        var start = 0
        while let end = line[start...].firstIndex(of: 10) {
            if let sequence = number(after: Array("\"seq\":".utf8), in: line[start..<end]),
                let time = number(after: Array("\"mono_ns\":".utf8), in: line[start..<end])
            {
                if sequence != last[index] + 1 { outOfOrder += 1 }
                last[index] = sequence
                latencies.append(UInt32(clamping: (now &- time) / 1_000))
            }
            start = end + 1
        }
        line.removeFirst(start)
        rest[index] = line
    }

    private func number(after key: [UInt8], in line: ArraySlice<UInt8>) -> UInt64? {
        guard line.count > key.count else { return nil }
        for position in line.startIndex..<(line.endIndex - key.count) where line[position] == key[0] {
            guard line[position..<(position + key.count)].elementsEqual(key) else { continue }
            return line[(position + key.count)...].prefix { $0 >= 48 && $0 < 58 }.reduce(0) {
                $0 * 10 + UInt64($1 - 48)
            }
        }
        return nil
    }
}

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard numbers.count >= 3 else {
    print("usage: serverload SUBSCRIBERS EVENTS_PER_SECOND SECONDS [STALLED]")
    exit(2)
}
let (subscribers, rate, seconds) = (numbers[0], numbers[1], numbers[2])
let stalled = numbers.count > 3 ? numbers[3] : 0
var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)

let path = "/tmp/serverload-\(getpid()).sock"
let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
let server = EventServer(
    configuration: ServerConfiguration(listener: .path(path, mode: 0o600), daemon: "serverload"),
    eventLoop: loop,
    access: { _ in [.masked] }, backend: Refusing(),
    logger: Logger(label: "load") { _ in SwiftLogNoOpLogHandler() })
try await server.start()
let first = connectTo(path)
sendLine(first, #"{"id":1,"method":"subscribe"}"#)
usleep(100_000)
let before = residentKilobytes()
let stalledOnes = (0..<stalled).map { _ in connectTo(path) }
var healthy = [first] + (1..<max(subscribers, 1)).map { _ in connectTo(path) }
for descriptor in stalledOnes + healthy.dropFirst() {
    sendLine(descriptor, #"{"id":1,"method":"subscribe"}"#)
}
usleep(500_000)
let after = residentKilobytes()

let total = UInt64(rate * seconds)
let receiver = Receiver(healthy, target: total)
let cpuBefore = try await loop.submit { threadCPU() }.get()
let reader = ReaderInfo(id: "magtek-B05A9C4", kind: "magtek", model: "Dynamag", bus: .usb, state: .ready)
let receiving = receiver.start()
let start = monotonic()
for index in 0..<total {
    let due = start + index * 1_000_000_000 / UInt64(rate)
    let now = monotonic()
    if due > now { usleep(UInt32((due - now) / 1_000)) }
    server.publish(Publication(reader: reader, .activate(.success, why: "event")))
}
pthread_join(receiving, nil)
let elapsed = Double(monotonic() - start) / 1e9
let cpu = try await loop.submit { threadCPU() }.get() - cpuBefore
let sorted = receiver.latencies.sorted()
func percentile(_ p: Double) -> UInt32 {
    sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * p))]
}
print(
    "subscribers \(subscribers) stalled \(stalled) rate \(rate)/s n \(sorted.count) of \(Int(total) * subscribers)",
    "gaps \(receiver.outOfOrder) p50 \(percentile(0.5)) us p99 \(percentile(0.99)) us max \(sorted.last ?? 0) us",
    "cpu/delivery \(cpu / UInt64(max(1, sorted.count))) ns rss/subscriber \((after - before) * 1024 / max(1, subscribers + stalled - 1)) B",
    "seconds \(elapsed)")
await server.stop()
