import Foundation
import SwipeProtocol
import Synchronization
import Testing

@testable import SwipedMQTT

/// The connection to the daemon.
@Suite(.timeLimit(.minutes(1))) struct DaemonSideTests {
    /// A daemon that greets and then stands still: from the question on that comes first.
    private final class StandingDaemon: Sendable {
        let path = "/tmp/standing-\(UUID().uuidString.prefix(8))"
        private let listener: Int32

        init() throws {
            listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) }
            }
            try #require(code == 0 && listen(listener, 1) == 0)
        }

        deinit {
            close(listener)
            unlink(path)
        }

        /// Returns when the first question has come; the connection stays open.
        func greet() {
            let connection = accept(listener, nil, nil)
            let hello =
                #"{"hello":{"protocol":"swipe/1","daemon":"swiped 0.1.0","instance":"abc","seq":0,"#
                + #""you":{"uid":0,"roles":["status","masked"],"connection":1},"#
                + #""limits":{"line_in":16384,"line_out":65536}}}"# + "\n"
            _ = send(connection, hello, hello.utf8.count, Int32(MSG_NOSIGNAL))
            var byte: UInt8 = 0
            _ = read(connection, &byte, 1)
        }

        /// Greets, answers the first question with what is left of the roles, and refuses the second, which it returns.
        @discardableResult
        func greet(leaving roles: String) -> String {
            let connection = accept(listener, nil, nil)
            defer { close(connection) }
            func say(_ line: String) {
                _ = send(connection, line + "\n", line.utf8.count + 1, Int32(MSG_NOSIGNAL))
            }
            func hear() -> (id: String, line: String) {
                var bytes = [UInt8](repeating: 0, count: 4_096)
                let count = max(0, read(connection, &bytes, bytes.count))
                let line = String(decoding: bytes[..<count], as: UTF8.self)
                return (line.firstMatch(of: /"id":([0-9]+)/).map { String($0.1) } ?? "0", line)
            }
            say(
                #"{"hello":{"protocol":"swipe/1","daemon":"swiped 0.1.0","instance":"abc","seq":0,"#
                    + #""you":{"uid":0,"roles":["status","masked"],"connection":1},"#
                    + #""limits":{"line_in":16384,"line_out":65536}}}"#)
            say(#"{"id":\#(hear().id),"result":{"uid":0,"roles":\#(roles),"connection":1}}"#)
            let next = hear()
            say(
                #"{"id":\#(next.id),"error":{"code":"params.invalid","message":"no such number","retryable":false}}"#
            )
            // Whoever is not used, or has been refused, leaves.
            var byte: UInt8 = 0
            while read(connection, &byte, 1) > 0 {}
            return next.line
        }
    }

    /// The program ends at once, also while it waits to be let in.
    @Test func aDaemonThatStandsStillHoldsUpNoEnd() async throws {
        let daemon = try StandingDaemon()
        // Longer than a test may take: without an end it would wait for the answer.
        let side = DaemonSide(
            path: daemon.path, role: .masked, inbox: BridgeInbox(), patience: .seconds(3_600))
        let run = Task { await side.run(after: nil) }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                daemon.greet()
                continuation.resume()
            }
        }
        run.cancel()
        side.close()
        await run.value
    }

    /// What the daemon leaves is looked at before anything is asked of it.
    @Test(arguments: [
        (#"["status","masked","full"]"#, "unsuited"), (#"["status","masked","admin"]"#, "unsuited"),
        (#"["status"]"#, "too little"), (#"["status","masked"]"#, "connected"),
    ])
    func theRolesThatAreLeftAreLookedAt(roles: String, first: String) async throws {
        let daemon = try StandingDaemon()
        let inbox = BridgeInbox()
        let side = DaemonSide(path: daemon.path, role: .masked, inbox: inbox)
        let run = Task { await side.run(after: nil) }
        Thread.detachNewThread { daemon.greet(leaving: roles) }
        var inputs = inbox.inputs.makeAsyncIterator()
        let said =
            switch await inputs.next() {
            case .daemonUnsuited(let why): why.contains("as well") ? "unsuited" : why
            case .daemonShowsTooLittle: "too little"
            case .daemonConnected: "connected"
            case let other: "\(String(describing: other))"
            }
        #expect(said == first)
        run.cancel()
        side.close()
        await run.value
    }

    /// A number that the daemon does not have is asked for once: it may be from a message that others have written.
    @Test func aNumberThatIsNoneIsAskedForOnce() async throws {
        let daemon = try StandingDaemon()
        let side = DaemonSide(path: daemon.path, role: .masked, inbox: BridgeInbox())
        let run = Task { await side.run(after: Subscription.Point(instance: "abc", sequence: 9_000)) }
        let asked = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    returning: (0..<2).map { _ in daemon.greet(leaving: #"["status","masked"]"#) })
            }
        }
        #expect(asked.map { $0.contains("9000") } == [true, false], "\(asked)")
        run.cancel()
        side.close()
        await run.value
    }

    /// Whatever comes over the broker, no more waits than there is room for; what the bridge lives by always comes through.
    @Test func theInboxHasALimit() async {
        let inbox = BridgeInbox()
        let message = BrokerNews.received(topic: "t", payload: [], isRetained: false)
        for _ in 0..<(2 * BridgeInbox.maximum) { inbox.tell(.broker(connection: 1, message)) }
        // The daemon's events do not wait for strangers' messages, nor does the clock, which the watchdog hangs on.
        #expect(!inbox.isFull)
        for _ in 0..<3 { inbox.tell(.tick) }
        inbox.tell(.broker(connection: 1, .lost("gone", retryIn: .seconds(1))))
        for _ in 0..<3 { inbox.tell(.stop) }
        #expect(await Self.drain(inbox) == BridgeInbox.maximum + 3)
        // One word to end came of three.
        inbox.tell(.tick)
        inbox.tell(.stop)
        #expect(await Self.drain(inbox) == 2)
    }

    /// The daemon's events wait in its socket from a limit on, and beyond another nothing is kept of what either side says.
    @Test func factsHaveALimitToo() async {
        let inbox = BridgeInbox()
        for number in 0..<(3 * BridgeInbox.maximum) {
            #expect(inbox.isFull == (number >= BridgeInbox.maximum))
            inbox.tell(.broker(connection: 1, .settled(1, isRefused: false)))
        }
        inbox.tell(.stop)
        #expect(await Self.drain(inbox) == BridgeInbox.maximumFacts + 1)
        #expect(!inbox.isFull)
        // There is room again, for each kind.
        for input in [BridgeInput.tick, .readers(nil), .stop] { inbox.tell(input) }
        #expect(await Self.drain(inbox) == 3)
    }

    /// How many inputs there are, up to the word to end.
    private static func drain(_ inbox: BridgeInbox) async -> Int {
        var count = 0
        for await input in inbox.inputs {
            inbox.taken(input)
            count += 1
            if case .stop = input { break }
        }
        return count
    }
}
