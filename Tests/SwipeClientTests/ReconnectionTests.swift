import CardData
import EventServer
import SwipeClient
import SwipeProtocol
import Testing

/// What a client keeps over interruptions: its stream, its claims, and itself.
@Suite(.timeLimit(.minutes(5))) struct ReconnectionTests {
    private let reader = ReaderInfo(
        id: "magtek-B05A9C4", kind: "magtek", model: "Dynamag", bus: .usb, state: .ready)

    /// The README's lines: nobody holds the client but its stream.
    @Test func aStreamKeepsItsClient() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: reader, .connect(reader)))
            for try await event in SwipeClient(path: path).events() {
                #expect(event.body == .connect(reader))
                break
            }
        }
    }

    @Test func aClientIsOfUseAgainAfterTheConnectionWasLost() async throws {
        let folder = try temporaryFolder()
        let first = try await start(folder, instance: "first")
        let client = SwipeClient(path: folder + "/s.sock")
        try await client.ping()
        await first.stop()
        while (try? await client.ping()) != nil {}
        let second = try await start(folder, instance: "second")
        #expect(try await client.connect().instance == "second")
        try await client.ping()
        client.close()
        await #expect { try await client.ping() } throws: { ($0 as? SwipeClientError)?.code == .closed }
        await second.stop()
    }

    private func isBeginning(_ interruption: Interruption?) -> Bool {
        if case .began = interruption { true } else { false }
    }

    /// What `swipectl watch` tells people: that the daemon has ended, and that it is back, each once.
    @Test func anInterruptionIsTold() async throws {
        let folder = try temporaryFolder()
        let (news, told) = AsyncStream<Interruption>.makeStream()
        let first = try await start(folder, instance: "first")
        let client = SwipeClient(path: folder + "/s.sock") { told.yield($0) }
        first.publish(Publication(reader: reader, .connect(reader)))
        var events = client.events().makeAsyncIterator()
        #expect(try await events.next()?.body == .connect(reader))
        await first.stop()
        var next = news.makeAsyncIterator()
        #expect(isBeginning(await next.next()))
        let second = try await start(folder, instance: "second")
        #expect(await next.next() == .endedAnew)
        #expect(try await events.next()?.body == .gap(from: 0, to: 0, .restart))
        await second.stop()
        #expect(isBeginning(await next.next()))
        client.close()
    }

    /// The daemon is restarted while a reader is claimed; the new one finds the reader only later.
    @Test func aClaimOutlivesTheDaemon() async throws {
        let folder = try temporaryFolder()
        let first = try await start(folder, instance: "first", roles: [.full])
        first.publish(Publication(reader: reader, .connect(reader)))
        let client = SwipeClient(path: folder + "/s.sock")
        try await client.withClaim(reader.id) { claimed in
            _ = try await claimed.control(.activate)
            var events = client.events([.connect]).makeAsyncIterator()
            #expect(try await events.next()?.reader == reader.id)
            await first.stop()
            let second = try await start(folder, instance: "second", roles: [.full])
            #expect(try await events.next()?.body == .gap(from: 0, to: 0, .restart))
            await #expect { try await claimed.control(.activate) } throws: {
                ($0 as? SwipeClientError)?.code == .noSuchReader
            }
            second.publish(Publication(reader: reader, .connect(reader)))
            #expect(try await events.next()?.body == .connect(reader))
            while (try? await claimed.control(.activate)) == nil {}
            #expect(try await client.readers().first?.claimedBy != nil)
            await second.stop()
        }
    }

    /// A stream that shows the restart shows the readers that are there then.
    @Test func afterARestartTheReadersComeAgain() async throws {
        let folder = try temporaryFolder()
        let first = try await start(folder, instance: "first")
        let client = SwipeClient(path: folder + "/s.sock")
        first.publish(Publication(reader: reader, .connect(reader)))
        var events = client.events().makeAsyncIterator()
        #expect(try await events.next()?.body == .connect(reader))
        await first.stop()
        let second = try await start(
            folder, instance: "second", before: [Publication(reader: reader, .connect(reader))])
        #expect(try await events.next()?.body == .gap(from: 0, to: 0, .restart))
        let again = try await events.next()
        #expect(again?.body == .connect(reader))
        #expect(again?.sequence == nil)
        await second.stop()
    }

    /// A consumer that asks something while more events wait than its stream holds gets its answer.
    @Test func aRequestDoesNotWaitForItsOwnConsumer() async throws {
        try await withServer { server, path in
            let client = SwipeClient(path: path, timeout: .seconds(20))
            server.publish(Publication(reader: reader, .connect(reader)))
            var events = client.events([.connect, .swipeStart]).makeAsyncIterator()
            #expect(try await events.next()?.body == .connect(reader))
            for index in 0..<3_000 {
                server.publish(Publication(reader: reader, .swipeStart))
                if index.isMultiple(of: 300) { try await client.ping() }
            }
            try await client.ping()
            var seen = 0
            while seen < 3_000, let event = try await events.next() {
                if event.body == .swipeStart { seen += 1 }
            }
            #expect(seen == 3_000)
        }
    }

    @Test func theNextSwipeOfAClaimedReaderComes() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: reader, .connect(reader)))
            let client = SwipeClient(path: path)
            let swiping = Task {
                while !Task.isCancelled {
                    server.publish(Publication(reader: reader, .swipe(SwipeData(tracks: []))))
                    try await client.ping()
                }
            }
            let swipe = try await client.withClaim(reader.id) { try await $0.nextSwipe() }
            swiping.cancel()
            #expect(swipe == SwipeData(tracks: []))
        }
    }
}
