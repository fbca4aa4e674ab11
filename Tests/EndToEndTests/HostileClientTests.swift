import Foundation
import Testing

/// What a careless or hostile client sends: an error with a code or a clean close, and nobody else notices.
@Suite(.serialized) struct HostileClientTests {
    @Test(arguments: [
        ("garbage", "line.invalid"),
        ("{\"id\":1,\"method\":\"ping\"", "line.invalid"),
        ("[1,2,3]", "line.invalid"),
        ("{\"id\":1,\"id\":2,\"method\":\"ping\"}", "line.invalid"),
        (String(repeating: "[", count: 40), "line.invalid"),
        ("{\"id\":1}", "request.invalid"),
        ("{\"id\":[],\"method\":\"ping\"}", "request.invalid"),
        ("{\"id\":1,\"method\":\"fly\"}", "method.unknown"),
        ("{\"id\":1,\"method\":\"ping\",\"params\":{\"high\":1}}", "params.unknown"),
        ("{\"id\":1,\"method\":\"subscribe\",\"params\":{\"events\":7}}", "params.invalid"),
    ])
    func aBadLineGetsACodeAndTheNextOneIsServed(_ line: String, _ code: String) throws {
        let daemon = try DaemonUnderTest("")
        let client = try daemon.connect()
        client.send(line)
        #expect(try client.line().contains("\"code\":\"\(code)\""))
        client.send(#"{"id":"after","method":"ping"}"#)
        #expect(try client.line() == #"{"id":"after","result":{}}"#)
    }

    @Test func binaryGetsACode() throws {
        let daemon = try DaemonUnderTest("")
        let client = try daemon.connect()
        client.send(bytes: (0...255).map { UInt8($0) }.filter { $0 != 10 } + [10])
        #expect(try client.line().contains(#""code":"line.invalid""#))
    }

    /// A megabyte without a newline: told at 16 KiB, then `bye`, then closed. The daemon does not keep it.
    @Test func aLineWithoutEndIsCutOff() throws {
        let daemon = try DaemonUnderTest("")
        let other = try daemon.connect()
        let client = try daemon.connect()
        // A debug build makes the schema with its first answer, to hold every one against it.
        other.send(#"{"id":1,"method":"ping"}"#)
        _ = try other.line()
        let before = try daemon.residentKilobytes()
        client.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20))
        #expect(try client.line().contains(#""code":"line.too_long""#))
        #expect(try client.line().contains(#""event":"bye""#))
        #expect(client.hasEnded())
        other.send(#"{"id":1,"method":"ping"}"#)
        #expect(try other.line() == #"{"id":1,"result":{}}"#)
        #expect(try daemon.residentKilobytes() - before < 512)
    }

    /// Half a line and then gone; and a hundred who connect and say nothing. Nothing of them is kept.
    @Test func silentAndBrokenClientsAreNoBurden() throws {
        let daemon = try DaemonUnderTest("")
        let other = try daemon.connect()
        // The first round settles what the daemon opens for itself.
        try crowd(daemon, around: other)
        let before = try daemon.descriptors()
        try crowd(daemon, around: other)
        #expect(try daemon.awaitDescriptors(atMost: before))
    }

    private func crowd(_ daemon: DaemonUnderTest, around other: LineClient) throws {
        let silent = try (0..<100).map { _ in try daemon.connect() }
        for client in silent.prefix(50) { client.send(bytes: Array(#"{"id":1,"meth"#.utf8)) }
        other.send(#"{"id":1,"method":"ping"}"#)
        #expect(try other.line() == #"{"id":1,"result":{}}"#)
        #expect(try daemon.descriptors() > 100)
        withExtendedLifetime(silent) {}
    }

    /// Ten thousand swipes while one subscriber never reads: the other one gets every one, in order; the sleeper
    /// is cut off, and the daemon's memory stays within the bounds of one queue.
    @Test func aSleeperHurtsNobody() throws {
        let count = 10_000
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let reader = try daemon.connect()
        let sleeper = try daemon.connect()
        for client in [reader, sleeper] {
            client.send(#"{"id":1,"method":"subscribe","params":{"events":["ready","swipe","connect"]}}"#)
        }
        _ = try reader.line()
        let pipe = daemon.makePipe("reports")
        _ = try reader.lines(through: #""event":"ready""#)
        let before = try daemon.residentKilobytes()
        let report = try VirtualSwipes.publishedReport()
        // No more at once than the limit of a queue: this reader may be slow as well, on a busy machine.
        let burst = 100
        var last = 0
        for _ in 0..<(count / burst) {
            try writePipe(pipe, Array(repeating: report, count: burst).joined())
            for _ in 0..<burst {
                let line = try reader.line()
                let seq = line.firstMatch(of: /"seq":([0-9]+)/).flatMap { Int($0.1) } ?? 0
                if seq <= last || !line.contains(#""event":"swipe""#) {
                    Issue.record("not in order: \(line)")
                }
                last = seq
            }
        }
        #expect(try daemon.residentKilobytes() - before < 4096)
        #expect(sleeper.hasEnded())
        #expect(sleeper.received.count < count)
        #expect(sleeper.received.last?.contains(#""code":"slow_client""#) == true)
    }
}

extension DaemonUnderTest {
    /// Memory of its own now: pages of the program's file come and go with what it does for the first time.
    func residentKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /RssAnon:\s+([0-9]+) kB/).flatMap { Int($0.1) })
    }

    /// Open descriptors now.
    func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }

    /// Whether the number of open descriptors comes down to that; closing is the loop's business, not ours.
    func awaitDescriptors(atMost limit: Int) throws -> Bool {
        for _ in 0..<2000 {
            if try descriptors() <= limit { return true }
            usleep(5_000)
        }
        return false
    }
}
