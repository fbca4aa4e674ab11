import Foundation
import Testing

/// What happens when descriptors run out: whoever finds no place hears so, readers find theirs, nothing turns in circles.
@Suite(.serialized) struct DescriptorTests {
    private static let configuration = "[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n"
    private static let prlimit = "/usr/bin/prlimit"

    /// 100 descriptors: half of them are for clients, whatever the configuration says.
    @Test func clientsLeaveRoomForReaders() throws {
        let daemon = try DaemonUnderTest(Self.configuration, inside: [Self.prlimit, "--nofile=100:100"])
        let first = try daemon.connect()
        first.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try first.line()
        let crowd = try (0..<70).map { _ in try daemon.connect() }
        let greetings = crowd.map { $0.received.first ?? "" }
        #expect(greetings.count { $0.hasPrefix(#"{"hello""#) } == 49)
        #expect(
            greetings.count { $0.contains(#""event":"bye""#) && $0.contains(#""code":"too_many""#) } == 21)
        #expect(crowd[69].hasEnded())
        first.send(#"{"id":2,"method":"stats"}"#)
        let stats = try first.line()
        #expect(stats.contains(#""connections_limit":50,"descriptors_limit":100"#))
        #expect(stats.contains(#""connections_refused":21"#))
        // A reader is plugged in, pulled out and plugged in again while all of them are there.
        for _ in 0..<2 {
            let pipe = daemon.makePipe("reports")
            _ = try first.lines(through: #""event":"ready""#)
            try writePipe(pipe, try VirtualSwipes.publishedReport())
            _ = try first.lines(through: #""event":"swipe""#)
            unlink(pipe)
            _ = try first.lines(through: #""event":"disconnect""#)
        }
        withExtendedLifetime(crowd) {}
        #expect(daemon.terminate().status == 0)
        let few = "clients=50 descriptors=100 event=daemon.few_descriptors max_clients=1024"
        #expect(daemon.logged.matches(of: /daemon\.few_descriptors/).count == 1)
        #expect(daemon.logged.contains(few), "\(daemon.logged)")
        #expect(daemon.logged.contains("code=too_many event=client.refused"))
    }

    /// What the process may have is taken, not what it was given at first.
    @Test func theSoftLimitIsRaised() throws {
        let daemon = try DaemonUnderTest("", inside: [Self.prlimit, "--nofile=64:2000"])
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"stats"}"#)
        #expect(try client.line().contains(#""connections_limit":1024,"descriptors_limit":2000"#))
        #expect(!daemon.logged.contains("few_descriptors"))
    }

    /// With not one descriptor left clients are told so, and the thread that takes them in rests.
    @Test func noDescriptorAtAllIsToldAndCostsNothing() throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[hid]\nenabled = no\n")
        let first = try daemon.connect()
        first.send(#"{"id":1,"method":"ping"}"#)
        _ = try first.line()
        let free = try lowestFreeDescriptor(daemon)
        try setLimit(daemon, free)
        // Those that the daemon has given back since it was looked at.
        var others: [LineClient] = []
        repeat {
            others.append(try daemon.connect())
        } while others.last?.received.first?.hasPrefix("{\"hello") == true
        for _ in 0..<5 {
            let client = try daemon.connect()
            #expect(client.received.first?.contains(#""code":"too_many""#) == true)
            #expect(client.hasEnded())
        }
        // In the time of so many answers a thread that asks again and again would have taken a part of it.
        let (ticks, start) = (try porterTicks(daemon), ContinuousClock.now)
        for _ in 0..<1_000 {
            first.send(#"{"id":2,"method":"ping"}"#)
            _ = try first.line()
        }
        let elapsed = (ContinuousClock.now - start) / .milliseconds(10)
        #expect(Double(try porterTicks(daemon) - ticks) <= 1 + elapsed / 20)
        #expect(daemon.logged.matches(of: /errno=24 event=client\.not_accepted/).count >= 1)
        #expect(daemon.logged.matches(of: /client\.not_accepted/).count <= 7, "one in ten seconds")
        // And when there are some again, clients are served.
        try setLimit(daemon, 1_000)
        let late = try daemon.connect()
        #expect(late.received.first?.hasPrefix(#"{"hello""#) == true)
    }

    /// Not even the reserve can be had again: the clients wait, and nobody asks without end for what there is not.
    @Test func withoutAReserveClientsWaitAndNothingTurns() throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[hid]\nenabled = no\n")
        let first = try daemon.connect()
        first.send(#"{"id":1,"method":"ping"}"#)
        _ = try first.line()
        // Fewer than it has open: what it closes it does not get back.
        try setLimit(daemon, 3)
        let crowd = try (0..<5).map { _ in try WaitingClient(path: daemon.socket) }
        while !daemon.logged.contains("event=client.not_accepted") { try Self.ask(first) }
        let (ticks, start) = (try porterTicks(daemon), ContinuousClock.now)
        for _ in 0..<1_000 { try Self.ask(first) }
        let elapsed = (ContinuousClock.now - start) / .milliseconds(10)
        #expect(Double(try porterTicks(daemon) - ticks) <= 1 + elapsed / 20)
        #expect(crowd.allSatisfy { !$0.hasBytes })
        try setLimit(daemon, 1_000)
        for client in crowd { #expect(client.firstBytes().hasPrefix(#"{"hello""#)) }
    }

    /// A crowd costs the thread that takes connections its share of a processor, a fifth: beside it there is time for the others,
    /// however little of a processor a busy machine gives to all of them.
    @Test func aCrowdCostsAShare() throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\n[server]\nmax_clients_per_user = 1\n[hid]\nenabled = no\n")
        let first = try daemon.connect()
        try Self.ask(first)
        let pid = daemon.process.processIdentifier
        // Where the machine gives the thread little, one crowd tells little.
        for _ in 0..<5 {
            kill(pid, SIGSTOP)
            // They wait in the kernel's queue, and none of them has a place: what is done for them is the thread's alone.
            let crowd = try (0..<400).map { _ in try WaitingClient(path: daemon.socket) }
            let (before, start) = (try porterTime(daemon), ContinuousClock.now)
            kill(pid, SIGCONT)
            #expect(crowd.last?.firstBytes().contains(#""code":"too_many""#) == true)
            let (took, elapsed) = (try porterTime(daemon) - before, ContinuousClock.now - start)
            #expect(
                took > .milliseconds(2) && took * 2 <= elapsed + .milliseconds(2), "\(took) of \(elapsed)")
        }
        try Self.ask(first)
    }

    private static func ask(_ client: LineClient) throws {
        client.send(#"{"id":2,"method":"ping"}"#)
        _ = try client.line()
    }

    private func lowestFreeDescriptor(_ daemon: DaemonUnderTest) throws -> Int {
        let folder = "/proc/\(daemon.process.processIdentifier)/fd"
        let taken = Set(try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { Int($0) })
        return try #require((0...10_000).first { !taken.contains($0) })
    }

    /// The soft limit, which can be raised again.
    private func setLimit(_ daemon: DaemonUnderTest, _ count: Int) throws {
        let words = [Self.prlimit, "--pid", "\(daemon.process.processIdentifier)", "--nofile=\(count):"]
        #expect(try FinishedProgram(words).status == 0)
    }

    /// The processor time of the thread that takes connections in, in ticks of 10 ms.
    private func porterTicks(_ daemon: DaemonUnderTest) throws -> Int {
        Int(try porterTime(daemon) / .milliseconds(10))
    }

    /// The processor time of the thread that takes connections in.
    private func porterTime(_ daemon: DaemonUnderTest) throws -> Duration {
        let folder = "/proc/\(daemon.process.processIdentifier)/task"
        for task in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let name = try String(contentsOfFile: "\(folder)/\(task)/comm", encoding: .utf8)
            guard name == "porter\n" else { continue }
            let figures = try String(contentsOfFile: "\(folder)/\(task)/schedstat", encoding: .utf8)
            return .nanoseconds(try #require(figures.split(separator: " ").first.flatMap { Int($0) }))
        }
        throw POSIXError(.ESRCH)
    }
}

/// A client that does not await a greeting.
private final class WaitingClient {
    private let descriptor: Int32

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard status == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    var hasBytes: Bool { isReadable(milliseconds: 0) }

    func firstBytes() -> String {
        guard isReadable(milliseconds: 60_000) else { return "" }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    private func isReadable(milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, milliseconds) > 0
    }
}
