import Logging
import NIOPosix
import SwipeProtocol
import TestSupport
import Testing

@testable import EventServer

/// Clients that ask without end leave time for the others.
@Suite(.timeLimit(.minutes(5))) struct RequestTurnsTests {
    @Test func answeringHasItsShareOfTheTime() {
        var turns = RequestTurns()
        let start: UInt64 = 1_000_000_000
        #expect(turns.pause(at: start) == nil)
        turns.spend(from: start, to: start + RequestTurns.shareNanoseconds - 1)
        #expect(turns.pause(at: start + RequestTurns.shareNanoseconds - 1) == nil)
        turns.spend(from: start, to: start + 1)
        let pause = turns.pause(at: start + RequestTurns.shareNanoseconds)
        #expect(pause == RequestTurns.windowNanoseconds - RequestTurns.shareNanoseconds)
        #expect(turns.pause(at: start + RequestTurns.windowNanoseconds) == nil)
        #expect(turns.pause(at: start + RequestTurns.windowNanoseconds) == nil, "a new share")
    }

    /// A turn that took five times what answering may have is paid off before the next, and one without end in part.
    @Test func aLongTurnIsPaidOff() {
        let (share, window) = (RequestTurns.shareNanoseconds, RequestTurns.windowNanoseconds)
        let start: UInt64 = 1_000_000_000
        for (shares, owed) in [(5, 5), (100, 8)] as [(UInt64, UInt64)] {
            var turns = RequestTurns()
            #expect(turns.pause(at: start) == nil)
            turns.spend(from: start, to: start + shares * share)
            // Its own time is over by then, and is one of the windows that pay.
            var now = start + shares * share
            let pause = turns.pause(at: now)
            #expect(pause ?? 0 > 0, "the loop goes on to something else")
            now += pause ?? 0
            #expect(turns.pause(at: now) == nil)
            #expect(now - start <= shares * share + owed * window)
        }
    }

    @Test func whoAsksNowAndThenComesFirst() {
        let now: UInt64 = 1_000_000_000
        #expect(!RequestTurns.isSparse(lastTurn: now - RequestTurns.sparseNanoseconds + 1, at: now))
        #expect(RequestTurns.isSparse(lastTurn: now - RequestTurns.sparseNanoseconds, at: now))
        #expect(RequestTurns.isSparse(lastTurn: 0, at: now), "who never had a turn")
    }

    @Test func whoeverAsksNowAndThenIsNext() {
        let hub = EventHub(
            configuration: ServerConfiguration(listener: .path("", mode: 0), daemon: ""),
            door: Door(limits: ServerLimits(), access: { _ in [] }, logger: Logger(label: "test")),
            backend: EchoBackend(), loop: MultiThreadedEventLoopGroup.singleton.next(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let peer = PeerCredentials(pid: 1, uid: 1, gid: 1)
        let (busy, sparse, late) = (
            ConnectionHandler(hub: hub, peer: peer), ConnectionHandler(hub: hub, peer: peer),
            ConnectionHandler(hub: hub, peer: peer)
        )
        var turns = RequestTurns()
        turns.append(busy, isSparse: false)
        turns.append(sparse, isSparse: true)
        turns.append(late, isSparse: false)
        #expect(turns.next() === sparse)
        #expect(turns.next() === busy)
        #expect(turns.next() === late)
        #expect(turns.isEmpty)
    }

    private static let greedy = 15
    private static let linesOfEach = 400

    /// Fifteen clients have asked 6,000 times when one asks once: it is answered after a turn or two of each of them, and
    /// each of them gets all its answers.
    @Test func oneWhoAsksOnceDoesNotWaitForThoseWhoAskWithoutEnd() async throws {
        try await withServer { server, path in
            let patient = try TestClient(path: path)
            _ = try await patient.message()
            var clients: [TestClient] = []
            for _ in 0..<Self.greedy {
                let client = try TestClient(path: path)
                _ = try await client.message()
                clients.append(client)
            }
            let block = String(repeating: #"{"id":1,"method":"ping"}"# + "\n", count: Self.linesOfEach)
            // On the server's loop: it finds all of it at once, however busy the machine is. It fits the sockets.
            server.whenSent { [clients] in
                for client in clients { client.send(block) }
                patient.send(#"{"id":2,"method":"stats"}"# + "\n")
            }
            let stats = try await patient.message()
            let answered = try #require(stats.at("result", "server", "requests")?.integer)
            // A turn is of four lines, as docs/protocol.md says.
            #expect(answered <= 2 * Self.greedy * 4)
            for client in clients {
                for _ in 0..<Self.linesOfEach {
                    guard try await client.line() == #"{"id":1,"result":{}}"# else {
                        throw TestClient.Failure(description: "not an answer")
                    }
                }
            }
        }
    }
}
