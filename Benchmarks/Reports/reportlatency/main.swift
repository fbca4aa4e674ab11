// From the last byte of a swipe report at the daemon's transport to the last byte of its line at a client.
//
//     reportlatency SWIPED VECTOR.hex [COUNT [PAUSE_MS]]
//     reportlatency --beside KIND INPUT ADDRESS PID VECTOR.hex COUNT PAUSE_MS
//
// Starts the daemon with a virtual HID reader, whose reports come as hexadecimal text through a FIFO: reading that text
// is part of what is measured, libhidapi's read is not. The client is one blocking read on the socket. In turn with it,
// report by report, the same is taken of a program in which the same threads wake and nothing is computed: what that one
// needs is the machine's, not the daemon's.
//
// The second form is for `beside`: a daemon that runs already, swiped or another (KIND as `fanread` has it, or echo). It prints
// p50, p99 and the most in microseconds, then for each event voluntary and forced switches, minor faults and
// microseconds of processor time.
import Glibc
import LoadMeasures

struct Failure: Error { var what: String }

func main() throws(Failure) {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1] == "--relay" {
        return try Relay.run(fifo: arguments[2], length: Int(arguments[3]) ?? 0)
    }
    if arguments.count == 9, arguments[1] == "--beside" {
        var beside = try Beside(
            arguments[2], input: arguments[3], address: arguments[4], process: Int32(arguments[5]) ?? 0,
            report: arguments[6])
        return print(try beside.run(Int(arguments[7]) ?? 500, pause: UInt64(arguments[8]) ?? 0))
    }
    guard arguments.count >= 3 else {
        throw Failure(what: "usage: reportlatency SWIPED VECTOR.hex [COUNT [PAUSE_MS]]")
    }
    let count = arguments.count > 3 ? Int(arguments[3]) ?? 2000 : 2000
    let pause = arguments.count > 4 ? UInt64(arguments[4]) ?? 5 : 5
    let report = try hexLine(of: arguments[2])
    let folder = "/tmp/reportlatency-\(getpid())"
    guard mkdir(folder, 0o700) == 0 else { throw Failure(what: "mkdir: \(errno)") }
    defer {
        for name in ["/reports", "/relay", "/conf", "/s"] { unlink(folder + name) }
        rmdir(folder)
    }
    let daemon = try DaemonUnderTest(arguments[1], folder)
    defer { daemon.end() }
    let length = try daemon.swipe(report).bytes
    let relay = try Relay(fifo: folder + "/relay", line: length)
    defer { relay.end() }

    var (reports, threads) = (Histogram(), Histogram())
    // The first ones warm up.
    for round in 0..<(count + 100) {
        Clock.sleep(until: Clock.now() + pause * 1_000_000)
        let swipe = try daemon.swipe(report)
        Clock.sleep(until: Clock.now() + pause * 1_000_000)
        let relayed = try exchange(report, relay.source, relay.client, until: { _ in true })
        guard round >= 100 else { continue }
        reports.add(swipe.microseconds)
        threads.add(relayed.microseconds)
    }
    print("report to line, us: \(reports.summary); n = \(count)")
    print("threads alone, us:  \(threads.summary); n = \(count), in turn with it")
    print(
        "p99 over the threads' own: \(Double(reports.percentile(0.99) * 100 / max(1, threads.percentile(0.99))) / 100)"
    )
}

do {
    try main()
} catch {
    print("reportlatency: \(error.what)")
    exit(1)
}
