import Glibc
import Logging
import SwipeProtocol
import TestSupport
import Testing

@testable import EventServer

/// Who connects without end takes neither the loop's time nor the others' turn.
@Suite(.timeLimit(.minutes(5))) struct LobbyTests {
    private static func guest(_ uid: UInt32, _ number: Int32) -> Guest {
        Guest(descriptor: number, peer: PeerCredentials(pid: 1, uid: uid, gid: 1))
    }

    @Test func usersTakeTurns() {
        var lobby = Lobby()
        for number: Int32 in 1...100 { lobby.append(Self.guest(1, number)) }
        lobby.append(Self.guest(2, 200))
        lobby.append(Self.guest(3, 300))
        lobby.append(Self.guest(3, 301))
        let order = (0..<6).compactMap { _ in lobby.next()?.descriptor }
        #expect(order == [1, 200, 300, 2, 301, 3])
        for _ in 0..<97 { #expect(lobby.next()?.peer.uid == 1) }
        #expect(lobby.isEmpty && lobby.next() == nil)
    }

    @Test func lettingInHasItsShareOfTheTime() {
        var lobby = Lobby()
        let start: UInt64 = 1_000_000_000
        #expect(lobby.pause(at: start) == nil)
        lobby.spend(from: start, to: start + Lobby.shareNanoseconds)
        let pause = lobby.pause(at: start + Lobby.shareNanoseconds)
        #expect(pause == Lobby.windowNanoseconds - Lobby.shareNanoseconds)
        #expect(lobby.pause(at: start + Lobby.windowNanoseconds) == nil)
    }

    @Test func placesAreCountedUntilTheyAreGivenBack() {
        var limits = ServerLimits()
        (limits.connections, limits.connectionsPerUser) = (3, 2)
        let door = Door(limits: limits, access: { $0.uid == 9 ? [] : [.full] }, logger: .init(label: "test"))
        func enter(_ uid: UInt32) -> ByeCode? { door.enter(PeerCredentials(pid: 1, uid: uid, gid: 1)) }
        #expect([enter(1), enter(1), enter(1)] == [nil, nil, .tooMany])
        #expect([enter(2), enter(3)] == [nil, .tooMany])
        door.leave(1)
        #expect([enter(9), enter(3), enter(2)] == [.denied, nil, .tooMany])
        door.close()
        door.leave(2)
        #expect(enter(2) == .shutdown)
        #expect(door.refused == 5)
    }

    /// Whoever is gone before it is let in costs no channel; whoever has only shut down its sending side is answered.
    @Test func whoIsGoneIsNotLetIn() throws {
        func pair() -> (Int32, Int32) {
            var ends: [Int32] = [0, 0]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            return (ends[0], ends[1])
        }
        let (here, there) = pair()
        #expect(!Self.guest(1, here).isGone)
        shutdown(there, Int32(SHUT_WR))
        #expect(!Self.guest(1, here).isGone)
        close(there)
        #expect(Self.guest(1, here).isGone)
        close(here)
        let (asked, asker) = pair()
        _ = write(asker, "x", 1)
        close(asker)
        #expect(!Self.guest(1, asked).isGone, "what it said is read")
        close(asked)
    }

    /// Many connect and go without a word while another asks: it is answered, and in the end no place is taken.
    @Test func aStormLeavesNothingBehind() async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            _ = try await client.message()
            let storm = (0..<4).map { _ in
                Task {
                    await onThread {
                        for _ in 0..<1_000 { _ = try? TestClient(path: path) }
                    }
                }
            }
            for _ in 0..<100 { #expect(try await client.request("ping")["result"] != nil) }
            for task in storm { await task.value }
            while try await client.request("stats").at("result", "server", "connections_open") != 1 {}
            // All places are free again: as many as one user may have come in.
            var others: [TestClient] = []
            while others.count < ServerLimits().connectionsPerUser - 1 {
                let other = try TestClient(path: path)
                if try await other.message()["hello"] != nil { others.append(other) }
            }
            #expect(try await TestClient(path: path).message().at("data", "code") == "too_many")
        }
    }
}
