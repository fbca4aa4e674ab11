import Foundation
import Testing

/// Brokers that do not do what a broker does.
@Suite(.timeLimit(.minutes(2))) struct SilentBrokerTests {
    /// It lets in, answers pings, and confirms nothing. Nor does it cost a processor meanwhile, also where the broker wants no pings
    /// (Server Keep Alive, 0). No leave is taken: the will holds.
    @Test(arguments: [
        ("5", [UInt8]([0x20, 3, 0, 0, 0])), ("5", [0x20, 6, 0, 0, 3, 0x13, 0, 0]),
        ("3.1.1", [0x20, 2, 0, 0]),
    ])
    func itIsGivenUp(version: String, greeting: [UInt8]) async throws {
        let scene = try BridgeUnderTest("[broker]\nversion = \(version)\n")
        let broker = try FakeBroker(port: scene.port, greeting: greeting)
        Thread.detachNewThread { broker.serve() }
        try await scene.startDaemon()
        try scene.startBridge()
        try await scene.eventually("another connection") { broker.connectionCount == 2 }
        #expect(scene.logged.contains("it does not confirm what it is told"))
        #expect(broker.leaveCount == 0)
        let id = try #require(scene.bridge?.processIdentifier)
        let figures = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8).split(separator: " ")
        // proc(5): user and system time in hundredths of a second, over ten seconds.
        let used = try #require(Int(figures[13])) + #require(Int(figures[14]))
        #expect(used < 200)
    }

    /// MQTT 5, 3.2, 3.9, 3.3: it lets in once more, lets the client not listen (0x87), and says something at a topic of commands.
    private static let packets: [[UInt8]] = [
        [0x20, 3, 0, 0, 0], [0x90, 4, 0, 1, 0, 0x87],
        [0x30, 33, 0, 28] + Array("swiped/till/reader/r/command".utf8) + [0, 0x7B, 0x7D],
    ]

    /// What it says again and again costs no memory, and the program ends when it is told to.
    @Test(arguments: packets)
    func aFloodIsSurvived(packet: [UInt8]) async throws {
        let scene = try BridgeUnderTest("[commands]\nallow = activate\n")
        // Together more than both sides' buffers hold (tcp(7), tcp_rmem and tcp_wmem: 6 and 4 MiB).
        let flood = Array(repeatElement(packet, count: 7_000).joined())
        let broker = try FakeBroker(port: scene.port, greeting: [0x20, 3, 0, 0, 0], flood: flood)
        Thread.detachNewThread { broker.serve() }
        try await scene.startDaemon()
        try scene.startBridge()
        try await scene.eventually("the flood") { broker.floodCount > 50 }
        let before = try memory(of: scene)
        try await scene.eventually("more of it") { broker.floodCount > 350 }
        let after = try memory(of: scene)
        #expect(after < before + 16_384, "kB")
        let start = ContinuousClock.now
        #expect(try await scene.end(.bridge) == 0)
        #expect(ContinuousClock.now - start < .seconds(15))
    }

    /// In kB (proc(5), VmRSS).
    private func memory(of scene: BridgeUnderTest) throws -> Int {
        let id = try #require(scene.bridge?.processIdentifier)
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /VmRSS:\s+([0-9]+)/).flatMap { Int($0.1) })
    }
}
