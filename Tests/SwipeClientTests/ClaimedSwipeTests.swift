import CardData
import EventServer
import SwipeClient
import SwipeProtocol
import Testing

/// No card that the daemon counts as taken is lost between two calls of a claim.
@Suite(.timeLimit(.minutes(5))) struct ClaimedSwipeTests: OneReader {
    private func withClaim(
        roles: Set<Role> = [.full, .admin],
        _ body: (EventServer, SwipeClient, ClaimedReader) async throws -> Void
    ) async throws {
        try await withServer(roles: roles) { server, path async throws in
            plugIn(server)
            let client = SwipeClient(path: path)
            try await client.withClaim(reader.id) { try await body(server, client, $0) }
        }
    }

    @Test func aSwipeBetweenTheRequestAndTheCallWaits() async throws {
        try await withClaim { server, client, claimed async throws in
            try await claimed.requestSwipe()
            publish(1, server)
            try await client.barrier()
            #expect(try await claimed.nextSwipe() == swipe(1))
        }
    }

    @Test func aSwipeBetweenTwoCallsWaits() async throws {
        try await withClaim { server, client, claimed async throws in
            try await claimed.requestSwipe()
            for track in 1...3 { publish(track, server) }
            try await client.barrier()
            #expect(try await claimed.nextSwipe() == swipe(1))
            publish(1, server)
            try await client.barrier()
            for track in [2, 3, 1] { #expect(try await claimed.nextSwipe() == swipe(track)) }
        }
    }

    @Test func aCallThatIsCancelledTakesNothingWithIt() async throws {
        try await withClaim { server, client, claimed async throws in
            let cancelled = Task { try await claimed.nextSwipe() }
            cancelled.cancel()
            #expect(try await cancelled.value == nil)
            try await client.barrier()
            publish(2, server)
            #expect(try await claimed.nextSwipe() == swipe(2))
        }
    }

    /// Who never takes any does not hold the connection up, nor keep every card.
    @Test func ofSwipesThatNobodyTakesTheLastWait() async throws {
        try await withClaim { server, client, claimed async throws in
            try await claimed.requestSwipe()
            for _ in 0..<20 { publish(1, server) }
            publish(2, server)
            try await client.barrier()
            for _ in 0..<15 { #expect(try await claimed.nextSwipe() == swipe(1)) }
            #expect(try await claimed.nextSwipe() == swipe(2))
        }
    }

    @Test func afterTheClaimThereIsNoSwipe() async throws {
        try await withServer { server, path async throws in
            plugIn(server)
            let claimed = try await SwipeClient(path: path).withClaim(reader.id) { $0 }
            #expect(try await claimed.nextSwipe() == nil)
        }
    }

    /// What the daemon held while the connection was broken comes between two calls, when nobody listens.
    @Test func aHeldSwipeWaits() async throws {
        var limits = ServerLimits()
        limits.swipeHold = .seconds(60)
        try await withServer(roles: [.full], limits: limits) { server, path async throws in
            plugIn(server)
            let gate = Gate()
            let client = SwipeClient(path: path) { if case .began = $0 { gate.wait() } }
            try await client.withClaim(reader.id) { claimed async throws in
                cutConnections(to: path)
                let watcher = SwipeClient(path: path)
                while try await watcher.readers().first?.claimedBy?.connection != 0 {}
                publish(3, server)
                try await watcher.barrier()
                gate.open()
                // It is ours again when it obeys.
                while (try? await claimed.control(.activate)) == nil {}
                #expect(try await claimed.nextSwipe() == swipe(3))
            }
        }
    }
}
