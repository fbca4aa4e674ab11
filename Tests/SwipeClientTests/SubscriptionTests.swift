import CardData
import EventServer
import SwipeClient
import SwipeProtocol
import Testing

/// A client asks the daemon for what its streams want, and for nothing more.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionTests {
    private let reader = ReaderInfo(
        id: "magtek-B05A9C4", kind: "magtek", model: "Dynamag", bus: .usb, state: .ready)

    private func publish(_ body: EventBody, _ server: EventServer) {
        server.publish(Publication(reader: reader, body))
    }

    /// Swipes, until the daemon says that nobody took one.
    private func awaitUntaken(_ server: EventServer, _ path: String) async throws {
        var untaken = SwipeClient(path: path).events([.connect, .swipeUntaken]).makeAsyncIterator()
        #expect(try await untaken.next()?.body == .connect(reader))
        publish(.swipe(SwipeData(tracks: [])), server)
        let said = try await untaken.next()
        #expect(said?.body == .swipeUntaken(.noSubscriber, swipe: (said?.sequence ?? 0) - 1))
    }

    @Test func aDashboardTakesNoSwipes() async throws {
        try await withServer(roles: [.masked]) { server, path async throws in
            publish(.connect(reader), server)
            let client = SwipeClient(path: path)
            var readers = client.events([.connect]).makeAsyncIterator()
            #expect(try await readers.next()?.body == .connect(reader))
            try await awaitUntaken(server, path)
            publish(.connect(reader), server)
            #expect(try await readers.next()?.body == .connect(reader))
        }
    }

    @Test func aStreamThatIsGoneTakesNoSwipes() async throws {
        try await withServer { server, path async throws in
            publish(.connect(reader), server)
            let client = SwipeClient(path: path)
            for try await _ in client.events([.connect, .swipe]) { break }
            try await client.ping()
            try await awaitUntaken(server, path)
        }
    }

    @Test func eachStreamOfAClientGetsItsOwn() async throws {
        try await withServer { server, path async throws in
            publish(.connect(reader), server)
            let client = SwipeClient(path: path)
            var first = client.events([.connect, .ready], readers: [reader.id]).makeAsyncIterator()
            #expect(try await first.next()?.body == .connect(reader))
            var second = client.events([.connect, .swipeStart]).makeAsyncIterator()
            #expect(try await second.next()?.body == .connect(reader))
            publish(.swipeStart, server)
            publish(.ready(expiresAt: nil), server)
            #expect(try await first.next()?.body == .ready(expiresAt: nil))
            #expect(try await second.next()?.body == .swipeStart)
        }
    }

    /// A `gap` that answers one stream's wish for what is kept is not for the others.
    @Test func aGapIsForTheStreamThatAsked() async throws {
        var limits = ServerLimits()
        limits.eventsKept = 8
        try await withServer(limits: limits) { server, path async throws in
            publish(.connect(reader), server)
            let client = SwipeClient(path: path)
            var live = client.events().makeAsyncIterator()
            #expect(try await live.next()?.body == .connect(reader))
            for _ in 0..<20 {
                publish(.ready(expiresAt: nil), server)
                #expect(try await live.next()?.body == .ready(expiresAt: nil))
            }
            var kept = client.events(from: .kept).makeAsyncIterator()
            #expect(try await kept.next()?.body == .gap(from: 1, to: 21, .ring))
            #expect(try await kept.next()?.body == .connect(reader))
            publish(.unready(.cancelled), server)
            #expect(try await live.next()?.body == .unready(.cancelled))
            #expect(try await kept.next()?.body == .unready(.cancelled))
        }
    }

    @Test func aGapInAReplayIsForTheStreamThatAsked() async throws {
        try await withServer { server, path async throws in
            publish(.connect(reader), server)
            let client = SwipeClient(path: path)
            var live = client.events().makeAsyncIterator()
            #expect(try await live.next()?.body == .connect(reader))
            publish(.swipe(SwipeData(tracks: [])), server)
            #expect(try await live.next()?.body == .swipe(SwipeData(tracks: [])))
            var kept = client.events(from: .kept).makeAsyncIterator()
            #expect(try await kept.next()?.body == .connect(reader))
            #expect(try await kept.next()?.body == .gap(from: 2, to: 2, .notKept))
            publish(.unready(.cancelled), server)
            #expect(try await live.next()?.body == .unready(.cancelled))
        }
    }

    /// The connection breaks in the middle of a replay: it goes on, and nobody gets anything twice.
    @Test func aReplayThatBreaksGoesOn() async throws {
        let daemon = try ScriptedDaemon()
        let client = SwipeClient(path: daemon.path)
        let live = client.events()
        let first = Task { try await live.nextArrival()?.event.sequence }
        var peer = await daemon.accept()
        peer.greet(5)
        try await peer.answer("subscribe", #"{"seq":5,"readers":[]}"#)
        peer.event("ready", 6, #"{"expires_at":null}"#)
        #expect(try await first.value == 6)
        let kept = client.events(from: .kept)
        let second = Task { try await kept.nextArrival()?.event.sequence }
        try await peer.answer("subscribe", #"{"seq":0}"#)
        peer.event("ready", 1, #"{"expires_at":null}"#)
        #expect(try await second.value == 1)
        peer.leave()
        peer = await daemon.accept()
        peer.greet(7)
        let request = try await peer.answer("subscribe", #"{"seq":1}"#)
        #expect(request["params"]?.object?["since"]?.object?["seq"] == 1)
        for sequence in 2...7 { peer.event("ready", sequence, #"{"expires_at":null}"#) }
        #expect(try await live.nextArrival()?.event.sequence == 7)
        for sequence in 2...7 { #expect(try await kept.nextArrival()?.event.sequence == UInt64(sequence)) }
        client.close()
    }

    @Test func aSubscriptionThatIsRefusedEndsTheStream() async throws {
        try await withServer { _, path async throws in
            let client = SwipeClient(path: path)
            let name = String(repeating: "x", count: ProtocolLimits.name + 1)
            await #expect {
                for try await _ in client.events(readers: [name]) {}
            } throws: {
                ($0 as? SwipeClientError)?.code == .refused
            }
            try await client.ping()
        }
    }
}
