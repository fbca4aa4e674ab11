// serverload SUBSCRIBERS EVENTS_PER_SECOND SECONDS [BAD [GREEDY]]
//
// This process is the server and what publishes; the subscribers, and a third of BAD clients each that never read,
// read slowly, and are gone and come back, and GREEDY ones that ask as fast as they are answered, are processes of their
// own (fanread). A bad client that is cut off comes back. Prints what the readers print, the processor time of the server's
// thread, and the memory of an idle subscriber. The time is told for each delivery that a healthy subscriber is to have,
// with all that the bad ones cost in it, and for each event that was given to any connection, the bad ones' too.
import EventServer
import Glibc
import LoadMeasures
import Logging
import NIOCore
import NIOPosix
import SwipeProtocol

struct Refusing: ServerBackend {
    func control(
        _ request: ControlRequest, reader: String?, by client: ClientIdentity
    ) async -> Result<ControlResult, ErrorReply> { .failure(ErrorReply(.serverFailed, "a benchmark")) }
}

func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if text.hasPrefix("VmRSS:") { return Int(text.filter(\.isNumber)) ?? 0 }
    }
    return 0
}

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard numbers.count >= 3 else {
    print("usage: serverload SUBSCRIBERS EVENTS_PER_SECOND SECONDS [BAD [GREEDY]]")
    exit(2)
}
let (subscribers, rate, seconds) = (numbers[0], numbers[1], numbers[2])
let bad = numbers.count > 3 ? numbers[3] : 0
let greedy = numbers.count > 4 ? numbers[4] : 0
Sockets.raiseLimit()
let folder = "/tmp/serverload-\(getpid())"
mkdir(folder, 0o700)
let (path, timesPath) = (folder + "/s", folder + "/times")
let total = rate * seconds
guard let times = SendTimes(path: timesPath, count: total) else { exit(1) }

let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
var limits = ServerLimits()
limits.connections = 16_384
limits.connectionsPerUser = 16_384
let server = EventServer(
    configuration: ServerConfiguration(
        listener: .path(path, mode: 0o600), daemon: "serverload", limits: limits),
    eventLoop: loop, access: { _ in [.masked] }, backend: Refusing(),
    logger: Logger(label: "load") { _ in SwiftLogNoOpLogHandler() })
try server.start()
let own = Array(CommandLine.arguments[0].utf8)
let programs = String(decoding: own[..<(own.lastIndex(of: UInt8(ascii: "/")) ?? 0)], as: UTF8.self)
let first = Sockets.connect(path)
Sockets.send(first, Array(#"{"id":1,"method":"subscribe"}"#.utf8) + [10])
usleep(200_000)
close(first)
usleep(100_000)
let before = residentKilobytes()

func reader(_ count: Int, _ kind: String) -> UnsafeMutablePointer<FILE>? {
    guard count > 0 else { return nil }
    let mode = kind.isEmpty ? "r" : "w"
    return popen("\(programs)/fanread swiped \(path) \(count) \(total) \(timesPath) \(kind)", mode)
}
guard let readers = reader(subscribers, "") else { exit(1) }
func line(_ file: UnsafeMutablePointer<FILE>) -> String {
    var bytes = [CChar](repeating: 0, count: 1_024)
    guard fgets(&bytes, 1_024, file) != nil else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
let ready = line(readers)
usleep(500_000)
let idle = residentKilobytes() - before
let stalled = reader(bad - bad / 3 * 2, "stalled")
let slow = reader(bad / 3, "slow")
let reset = reader(bad / 3, "reset")
let flooding = reader(greedy, "greedy")
if bad + greedy > 0 { sleep(1) }
let asker = Asker(path)

let cpuBefore = try await loop.submit { Clock.thread() }.get()
let info = ReaderInfo(id: "magtek-B05A9C4", kind: "magtek", model: "Dynamag", bus: .usb, state: .ready)
let start = Clock.now()
for index in 0..<total {
    Clock.sleep(until: start + UInt64(index) * 1_000_000_000 / UInt64(rate))
    times[index] = Clock.now()
    server.publish(Publication(reader: info, .activate(.success, why: "event")))
}
let result = line(readers)
let asked = asker.finish()
let elapsed = Double(Clock.now() - start) / 1e9
let cpu = try await loop.submit { Clock.thread() }.get() - cpuBefore
var load = [0.0, 0.0, 0.0]
getloadavg(&load, 3)
print(
    "bad \(bad) greedy \(greedy) rate \(rate)/s seconds \(elapsed) load \(load[0])", ready, result,
    terminator: "")
print("a healthy client's", asked)
let report = await server.report()
let (healthy, given) = (UInt64(subscribers) * UInt64(total), report.statistics.eventsDelivered)
print(
    "server-cpu/delivery \(cpu / max(1, healthy)) ns of \(healthy) to healthy clients,",
    "\(cpu / max(1, given)) ns of \(given) given to any;",
    "idle-rss/subscriber \(idle * 1_024 / max(1, subscribers)) B")
print(
    "server: delivered \(report.statistics.eventsDelivered) coalesced \(report.statistics.eventsCoalesced)",
    "slow \(report.statistics.slowClients) accepted \(report.statistics.connectionsAccepted)")
for file in [stalled, slow, reset, flooding] { if let file { pclose(file) } }
pclose(readers)
await server.stop()
unlink(timesPath)
rmdir(folder)
