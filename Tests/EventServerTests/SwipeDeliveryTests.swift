import CardData
import EventServer
import Glibc
import SwipeProtocol
import Testing

/// A swipe reaches whom it is for, or the daemon says that nobody took it.
@Suite(.timeLimit(.minutes(5))) struct SwipeDeliveryTests {
    private static let claim = #"{"reader":"magtek-B05A9C4"}"#

    private func swipe(_ mark: String = "1234", attachment: UInt64 = 1) -> Publication {
        var reader = ReaderInfo.sample()
        reader.attachment = attachment
        return Publication(reader: reader, kind: .swipe) { view in
            .swipe(
                SwipeData(
                    card: view == .status ? nil : CardInfo(kind: .other),
                    tracks: [
                        TrackInfo(
                            track: 2, status: .ok, masked: view == .status ? nil : ";****?",
                            text: view == .full ? SensitiveText(";\(mark)?") : nil)
                    ]))
        }
    }

    private func client(_ path: String, _ subscription: String? = nil) async throws -> TestClient {
        let client = try TestClient(path: path)
        _ = try await client.message()
        if let subscription { _ = try await client.request("subscribe", subscription, id: 99) }
        return client
    }

    private func event(_ name: String, _ client: TestClient) async throws -> JSONObject {
        while true {
            let message = try await client.message()
            if message["event"]?.string == name { return message }
        }
    }

    private func track(_ message: JSONObject) -> JSONObject? {
        message.at("data", "tracks")?.array?.first?.object
    }

    /// Who holds the reader; 0 while that one is away, nil where nobody does.
    private func connectionOfHolder(_ watcher: TestClient) async throws -> Int64? {
        try await watcher.request("readers").at("result", "readers")?.array?.first?.object?
            .at("claimed_by", "connection")?.integer
    }

    /// Until the server has noticed that the holder is gone.
    private func awaitAway(_ watcher: TestClient) async throws {
        while try await connectionOfHolder(watcher) != 0 {}
    }

    private func withHold(
        roles: Set<Role> = [.full], seconds: Duration = .seconds(60),
        _ body: (EventServer, String) async throws -> Void
    ) async throws {
        var limits = ServerLimits()
        limits.swipeHold = seconds
        // No client is cut off because a busy machine keeps its test from reading.
        limits.stall = .seconds(600)
        try await withServer(limits: limits, roles: roles) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            try await body(server, path)
        }
    }

    /// Claims, is gone, and gives the token.
    private func holderThatVanishes(_ path: String) async throws -> String {
        let holder = try await client(path, "{}")
        return try #require(try await holder.request("claim", Self.claim).at("result", "token")?.string)
    }

    @Test func aSwipeInTheQueueOfAClaimantThatIsCutOffIsSaid() async throws {
        var limits = ServerLimits()
        limits.stall = .milliseconds(100)
        try await withServer(limits: limits, roles: [.full]) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            let watcher = try await client(path, #"{"events":["swipe_untaken","claim_released"]}"#)
            let holder = try await client(path, "{}")
            _ = try await holder.request("claim", Self.claim)
            // More than the socket takes, less than the queue: what is last waits in the queue.
            for index in 0..<700 {
                server.publish(
                    Publication(reader: .sample("other-\(index)"), .activate(.failed, why: filler)))
            }
            server.publish(swipe())
            let said = try await event("swipe_untaken", watcher)
            #expect(said.at("data", "reason") == "claimant_gone")
            #expect(said.at("data", "swipe_seq") == 702)
            let counts = try await watcher.request("stats", Self.claim).at("result", "readers")?.object
            #expect(counts?.members.first?.value.object?["untaken_swipes"] == 1)
            withExtendedLifetime(holder) {}
        }
    }

    @Test func aSwipeInTheQueueOfTheOnlySubscriberIsSaid() async throws {
        var limits = ServerLimits()
        limits.stall = .milliseconds(100)
        try await withServer(limits: limits, roles: [.masked]) { server, path in
            let watcher = try await client(path, #"{"events":["swipe_untaken"]}"#)
            let deaf = try await client(path, #"{"events":["activate","swipe"]}"#)
            for index in 0..<700 {
                server.publish(
                    Publication(reader: .sample("other-\(index)"), .activate(.failed, why: filler)))
            }
            server.publish(swipe())
            #expect(try await event("swipe_untaken", watcher).at("data", "reason") == "client_gone")
            withExtendedLifetime(deaf) {}
        }
    }

    private let filler = String(repeating: "x", count: 300)

    @Test func aClaimantWhoMaySeeMaskedCardsGetsAHeldOneMasked() async throws {
        try await withHold(roles: [.masked]) { server, path in
            let watcher = try await client(path)
            let token = try await holderThatVanishes(path)
            try await awaitAway(watcher)
            server.publish(swipe())
            let back = try await client(path)
            _ = try await back.request("claim", "{\"reader\":\"magtek-B05A9C4\",\"token\":\"\(token)\"}")
            let got = track(try await event("swipe", back))
            #expect(got?["masked"] == ";****?")
            #expect(got?["text"] == nil)
        }
    }

    @Test func aWrongTokenOrAnotherReaderGetsNothing() async throws {
        try await withHold { server, path in
            let watcher = try await client(path)
            _ = try await holderThatVanishes(path)
            try await awaitAway(watcher)
            server.publish(swipe())
            let thief = try await client(path)
            for token in ["", "0000000000000000", String(repeating: "f", count: 256)] {
                let reply = try await thief.request(
                    "claim", "{\"reader\":\"magtek-B05A9C4\",\"token\":\"\(token)\"}")
                #expect(reply.at("error", "code") == "claim.held")
            }
        }
    }

    @Test func ofTwoSwipesTheLastIsHeldAndTheOtherSaid() async throws {
        try await withHold { server, path in
            let watcher = try await client(path, #"{"events":["swipe_untaken"]}"#)
            let token = try await holderThatVanishes(path)
            try await awaitAway(watcher)
            server.publish(swipe("1111", attachment: 1))
            server.publish(swipe("2222", attachment: 2))
            let said = try await event("swipe_untaken", watcher)
            #expect(said.at("data", "reason") == "claimant_gone")
            #expect(said.at("data", "swipe_seq") == 2)
            #expect(said["attachment"] == 1, "that of the first")
            let back = try await client(path)
            _ = try await back.request("claim", "{\"reader\":\"magtek-B05A9C4\",\"token\":\"\(token)\"}")
            #expect(track(try await event("swipe", back))?["text"] == ";2222?")
        }
    }

    @Test func aHeldSwipeThatNobodyFetchesIsSaid() async throws {
        // Long enough that the card is swiped within it, on a busy machine too.
        try await withHold(seconds: .seconds(8)) { server, path in
            let watcher = try await client(path, #"{"events":["swipe_untaken","claim_released"]}"#)
            // On a busy machine the time may be over before the card is swiped: then it is kept for nobody, once more.
            while true {
                _ = try await holderThatVanishes(path)
                while try await connectionOfHolder(watcher) ?? 0 != 0 {}
                server.publish(swipe())
                let reason = try await event("swipe_untaken", watcher).at("data", "reason")
                if reason == "no_subscriber" { continue }
                #expect(reason == "claimant_gone")
                #expect(try await event("claim_released", watcher).at("data", "why") == "disconnected")
                return
            }
        }
    }

    @Test func aHeldSwipeIsForgottenWhenTheReaderGoes() async throws {
        try await withHold { server, path in
            let watcher = try await client(path, #"{"events":["swipe_untaken","claim_released"]}"#)
            _ = try await holderThatVanishes(path)
            try await awaitAway(watcher)
            server.publish(swipe())
            server.publish(Publication(reader: .sample(), .disconnect(.unplugged)))
            let said = try await event("swipe_untaken", watcher)
            #expect(said.at("data", "reason") == "claimant_gone")
            #expect(said.at("data", "swipe_seq") == 2)
            #expect(said["attachment"] == 1)
            #expect(try await event("claim_released", watcher).at("data", "why") == "reader_gone")
        }
    }

    /// What the socket holds for the client.
    private func waiting(_ client: TestClient) -> Int {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        return recv(
            client.descriptor, &bytes, bytes.count,
            Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    }

    /// Publishes until the client's socket takes no more, and a little of it waits in the server's queue.
    private func fill(_ client: TestClient, _ server: EventServer, _ watcher: TestClient) async throws {
        var (before, same) = (0, 0)
        while same < 3 {
            // No state, so that none replaces another.
            for _ in 0..<10 {
                server.publish(
                    Publication(reader: .sample("zz-other"), .swipeUntaken(.noSubscriber, swipe: 1)))
            }
            for _ in 0..<3 { _ = try await watcher.request("barrier") }
            let now = waiting(client)
            same = now == before && now > 0 ? same + 1 : 0
            before = now
        }
    }

    private func returnsAndDies(
        _ token: String, _ server: EventServer, _ path: String, _ watcher: TestClient
    ) async throws {
        let back = try await client(path, #"{"events":["swipe_untaken"]}"#)
        try await fill(back, server, watcher)
        let claim =
            "{\"id\":5,\"method\":\"claim\",\"params\":{\"reader\":\"magtek-B05A9C4\",\"token\":\"\(token)\"}}\n"
        try #require(back.send(claim))
        try await awaitHolder(watcher) { $0 != 0 }
        withExtendedLifetime(back) {}
    }

    /// Until the number of the connection that holds the reader is as wanted; 0 is that of one that is away.
    private func awaitHolder(_ watcher: TestClient, _ isWanted: (Int64) -> Bool) async throws {
        while true {
            let reply = try await watcher.request("readers")
            let reader = try #require(reply.at("result", "readers")?.array?.first?.object)
            if isWanted(reader.at("claimed_by", "connection")?.integer ?? -1) { return }
        }
    }

    @Test func aHeldSwipeWhoseClaimantDiesAgainBeforeItIsTakenIsKeptAgain() async throws {
        try await withHold { server, path in
            let watcher = try await client(path)
            let token = try await holderThatVanishes(path)
            try await awaitAway(watcher)
            server.publish(swipe())
            try await returnsAndDies(token, server, path, watcher)
            try await awaitHolder(watcher) { $0 == 0 }
            let second = try await client(path)
            _ = try await second.request("claim", "{\"reader\":\"magtek-B05A9C4\",\"token\":\"\(token)\"}")
            #expect(track(try await event("swipe", second))?["text"] == ";1234?")
        }
    }
}
