import EventServer
import SwipeClient
import SwipeProtocol
import Testing

/// A claim notices that its reader was taken, or pulled out.
@Suite(.timeLimit(.minutes(5))) struct LostClaimTests: OneReader {
    private func unplug(_ server: EventServer) {
        server.publish(Publication(reader: reader, .disconnect(.unplugged)))
    }

    /// The role `full` controls a reader only while it holds it. Who says nothing when it is asked loses it at once.
    private func withReader(_ body: (EventServer, String) async throws -> Void) async throws {
        var limits = ServerLimits()
        limits.retain = .milliseconds(1)
        try await withServer(roles: [.full], limits: limits) { server, path async throws in
            plugIn(server)
            try await body(server, path)
        }
    }

    private func expectLoss(
        _ words: String = "another client has", sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        await #expect(sourceLocation: sourceLocation) {
            try await body()
        } throws: { error in
            (error as? SwipeClientError)?.code == .claimLost && "\(error)".contains(words)
        }
    }

    /// Claims the reader, which its holder does not retain.
    private func take(_ path: String, _ body: () async throws -> Void) async throws {
        try await SwipeClient(path: path).withClaim(reader.id) { _ in try await body() }
    }

    /// Returns when the connection was cut and is made again.
    private func interrupt(_ path: String, _ news: AsyncStream<Interruption>) async {
        cutConnections(to: path)
        for await interruption in news {
            if case .ended = interruption { return }
        }
    }

    /// Returns when the reader obeys, which it does its claimant only.
    private func awaitClaim(_ claimed: ClaimedReader) async throws {
        while (try? await claimed.control(.activate)) == nil { try Task.checkCancellation() }
    }

    @Test func aTakenReaderEndsTheSwipesAfterTheLast() async throws {
        try await withReader { server, path async throws in
            let client = SwipeClient(path: path)
            try await client.withClaim(reader.id) { claimed async throws in
                try await claimed.requestSwipe()
                publish(1, server)
                await server.allSent()
                try await take(path) { () async throws in
                    #expect(try await claimed.nextSwipe() == swipe(1))
                    for _ in 0..<2 { await expectLoss { _ = try await claimed.nextSwipe() } }
                }
            }
        }
    }

    @Test func aTakenReaderEndsTheCallThatWaits() async throws {
        try await withReader { _, path async throws in
            let client = SwipeClient(path: path)
            try await client.withClaim(reader.id) { claimed async throws in
                let waiting = Task { try await claimed.nextSwipe() }
                try await take(path) { await expectLoss { _ = try await waiting.value } }
            }
        }
    }

    @Test func aTakenReaderIsNotClaimedAgain() async throws {
        try await withReader { _, path async throws in
            let (news, told) = AsyncStream<Interruption>.makeStream()
            let client = SwipeClient(path: path) { told.yield($0) }
            try await client.withClaim(reader.id) { claimed async throws in
                try await take(path) { await expectLoss { _ = try await claimed.nextSwipe() } }
                // Somebody listens: the connection is made again.
                var events = client.events([.connect]).makeAsyncIterator()
                #expect(try await events.next()?.reader == reader.id)
                await interrupt(path, news)
                #expect(try await client.readers().map(\.claimedBy) == [nil])
                await expectLoss { _ = try await claimed.nextSwipe() }
            }
        }
    }

    @Test(arguments: [false, true]) func anUnpluggedReaderIsClaimedAgain(isBackAtOnce: Bool) async throws {
        try await withReader { server, path async throws in
            let client = SwipeClient(path: path)
            let ours = try await client.connect().you.connection
            try await client.withClaim(reader.id) { claimed async throws in
                try await claimed.requestSwipe()
                unplug(server)
                await server.allSent()
                if !isBackAtOnce { for _ in 0..<2 { try await client.ping() } }
                plugIn(server)
                await server.allSent()
                try await awaitClaim(claimed)
                #expect(try await client.readers().map(\.claimedBy?.connection) == [ours])
                publish(2, server)
                #expect(try await claimed.nextSwipe() == swipe(2))
            }
            #expect(try await client.readers().map(\.claimedBy) == [nil])
        }
    }

    @Test func aReaderThatIsAwayOverAnInterruptionIsClaimedAgain() async throws {
        try await withReader { server, path async throws in
            let (news, told) = AsyncStream<Interruption>.makeStream()
            let client = SwipeClient(path: path) { told.yield($0) }
            try await client.withClaim(reader.id) { claimed async throws in
                unplug(server)
                await server.allSent()
                try await client.ping()
                await interrupt(path, news)
                try await client.ping()
                plugIn(server)
                await server.allSent()
                try await awaitClaim(claimed)
            }
        }
    }

    @Test func aReaderThatAnotherClaimedMeanwhileEndsTheSwipes() async throws {
        try await withReader { _, path async throws in
            let gate = Gate()
            let client = SwipeClient(path: path) { if case .began = $0 { gate.wait() } }
            try await client.withClaim(reader.id) { claimed async throws in
                cutConnections(to: path)
                try await take(path) { () async throws in
                    gate.open()
                    await expectLoss("claimed") { _ = try await claimed.nextSwipe() }
                }
            }
        }
    }

    @Test func streamsOfAClaimEndWithIt() async throws {
        try await withReader { _, path async throws in
            let client = SwipeClient(path: path)
            let claimed = try await client.withClaim(reader.id) { claimed async throws in
                var early = claimed.events([.connect, .claimReleased]).makeAsyncIterator()
                #expect(try await early.next()?.body.kind == .connect)
                try await take(path) { () async throws in
                    let last = try await early.next()
                    #expect(last?.body.kind == .claimReleased)
                    await expectLoss { _ = try await early.next() }
                    var late = claimed.events().makeAsyncIterator()
                    await expectLoss { _ = try await late.next() }
                }
                return claimed
            }
            await expectLoss { _ = try await claimed.nextSwipe() }
            let second = try await client.withClaim(reader.id) { $0 }
            var after = second.events().makeAsyncIterator()
            #expect(try await after.next() == nil)
        }
    }

    /// Two parts of a program may need the same reader: the first that is done does not give it back.
    @Test func theLastOfTwoClaimsOfAClientGivesTheReaderBack() async throws {
        try await withReader { server, path async throws in
            let client = SwipeClient(path: path)
            try await client.withClaim(reader.id) { outer async throws in
                try await client.withClaim(reader.id) { _ async throws in }
                try await outer.requestSwipe()
                publish(3, server)
                #expect(try await outer.nextSwipe() == swipe(3))
            }
            #expect(try await client.readers().map(\.claimedBy) == [nil])
        }
    }
}
