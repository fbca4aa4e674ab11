import CardData
import EventServer
import SwipeProtocol
import Testing

/// Every race for a reader, over the real socket.
@Suite(.timeLimit(.minutes(5))) struct ClaimTests {
    private static let reader = "magtek-B05A9C4"
    private static let claim = #"{"reader":"magtek-B05A9C4"}"#

    private func client(_ path: String, subscribed: Bool = false) async throws -> TestClient {
        let client = try TestClient(path: path)
        _ = try await client.message()
        if subscribed { _ = try await client.request("subscribe", #"{"snapshot":true}"#, id: 99) }
        return client
    }

    /// A holder has the time to retain, however busy the machine is.
    private static let patient: ServerLimits = {
        var limits = ServerLimits()
        limits.retain = .seconds(60)
        return limits
    }()

    private func withReader(
        limits: ServerLimits = Self.patient, roles: Set<Role> = [.full],
        _ body: (EventServer, String) async throws -> Void
    ) async throws {
        try await withServer(limits: limits, roles: roles) { server, path in
            server.publish(Publication(reader: .sample(), .connect(.sample())))
            try await body(server, path)
        }
    }

    private func code(_ reply: JSONObject) -> String? { reply.at("error", "code")?.string }

    private func swipe() -> Publication {
        Publication(reader: .sample(), kind: .swipe) { view in
            .swipe(
                SwipeData(
                    card: CardInfo(kind: .other),
                    tracks: [
                        TrackInfo(
                            track: 2, status: .ok, masked: view == .status ? nil : ";****?",
                            text: view == .full ? SensitiveText(";1234?") : nil)
                    ]))
        }
    }

    @Test func aFreeReaderIsGranted() async throws {
        try await withReader { _, path in
            let client = try await client(path)
            #expect(code(try await client.request("activate", Self.claim)) == "claim.required")
            #expect(
                try await client.request("claim", Self.claim).at("result", "token")?.string?.isEmpty == false)
            #expect(try await client.request("activate", Self.claim).at("result", "warning") == "activate")
            let listed = try await client.request("readers").at("result", "readers")?.array?.first?.object
            #expect(listed?.at("claimed_by", "connection") == 1)
        }
    }

    /// Whatever a connection may see: more than states, or control readers anyway.
    @Test(
        arguments: [
            ([.status], "access.denied"), ([.masked], nil), ([.full], nil), ([.admin], nil),
            ([.status, .admin], nil),
        ] as [(Set<Role>, String?)])
    func whoMayClaim(_ roles: Set<Role>, _ refusal: String?) async throws {
        try await withReader(roles: roles) { _, path in
            let client = try await client(path)
            let reply = try await client.request("claim", Self.claim)
            #expect(code(reply) == refusal)
        }
    }

    @Test func theHolderLosesAReaderItDoesNotRetain() async throws {
        var limits = ServerLimits()
        limits.retain = .milliseconds(50)
        try await withReader(limits: limits) { _, path in
            let (first, second) = (try await client(path), try await client(path))
            _ = try await first.request("claim", Self.claim)
            #expect(try await second.request("claim", Self.claim).at("result", "token") != nil)
            // Told without having subscribed.
            #expect(try await first.event("claim_requested").at("data", "by", "connection") == 2)
            #expect(try await first.event("claim_released").at("data", "why") == "taken")
            #expect(code(try await first.request("activate", Self.claim)) == "claim.required")
            #expect(code(try await first.request("retain", Self.claim)) == "claim.not_held")
        }
    }

    @Test func theHolderKeepsAReaderItRetains() async throws {
        try await withReader { _, path in
            let (first, second) = (try await client(path), try await client(path))
            _ = try await first.request("claim", Self.claim)
            second.send(#"{"id":7,"method":"claim","params":{"reader":"magtek-B05A9C4"}}"# + "\n")
            _ = try await first.event("claim_requested")
            #expect(try await first.request("retain", Self.claim).at("result") != nil)
            #expect(code(try await second.message()) == "claim.held")
            #expect(try await first.request("activate", Self.claim).at("result") != nil)
        }
    }

    @Test func aRetainThatNobodyAskedForIsRefused() async throws {
        try await withReader { _, path in
            let client = try await client(path)
            #expect(code(try await client.request("retain", Self.claim)) == "claim.not_held")
            _ = try await client.request("claim", Self.claim)
            #expect(code(try await client.request("retain", Self.claim)) == "claim.not_contested")
        }
    }

    @Test func aRetainAfterTheDeadlineComesTooLate() async throws {
        var limits = ServerLimits()
        limits.retain = .milliseconds(1)
        try await withReader(limits: limits) { _, path in
            let holder = try await client(path)
            let challenger = try await client(path)
            _ = try await holder.request("claim", Self.claim)
            #expect(try await challenger.request("claim", Self.claim).at("result", "token") != nil)
            var late = try await holder.request("retain", Self.claim)
            while late["event"] != nil { late = try await holder.message() }
            #expect(code(late) == "claim.not_held")
        }
    }

    @Test func aHolderThatListensToAnotherReaderIsAskedAllTheSame() async throws {
        try await withReader { _, path in
            let holder = try await client(path)
            _ = try await holder.request("subscribe", #"{"readers":["another"]}"#, id: 98)
            _ = try await holder.request("claim", Self.claim)
            let challenger = try await client(path)
            #expect(
                challenger.send(#"{"id":7,"method":"claim","params":{"reader":"magtek-B05A9C4"}}"# + "\n"))
            #expect(try await holder.event("claim_requested")["reader"]?.string == Self.reader)
            _ = try await holder.request("retain", Self.claim)
        }
    }

    @Test func tryingDoesNotAskTheHolder() async throws {
        try await withReader { _, path in
            let (first, second) = (try await client(path), try await client(path))
            _ = try await first.request("claim", Self.claim)
            let reply = try await second.request("claim", #"{"reader":"magtek-B05A9C4","mode":"try"}"#)
            #expect(code(reply) == "claim.held")
            #expect(reply.at("error", "retryable") == true)
        }
    }

    @Test func aThirdClientIsRefusedWhileTwoContend() async throws {
        try await withReader { _, path in
            let (first, second, third) = (
                try await client(path), try await client(path), try await client(path)
            )
            _ = try await first.request("claim", Self.claim)
            second.send(#"{"id":7,"method":"claim","params":{"reader":"magtek-B05A9C4"}}"# + "\n")
            _ = try await first.event("claim_requested")
            #expect(code(try await third.request("claim", Self.claim)) == "claim.held")
            _ = try await first.request("release", Self.claim)
            #expect(try await second.message().at("result", "token") != nil)
        }
    }

    @Test func releasingTwiceIsRefused() async throws {
        try await withReader { _, path in
            let client = try await client(path)
            _ = try await client.request("claim", Self.claim)
            #expect(try await client.request("release", Self.claim).at("result") != nil)
            #expect(code(try await client.request("release", Self.claim)) == "claim.not_held")
        }
    }

    /// A reader that is not there is unknown to every method alike; so is one that was, to whom it was taken from.
    @Test(arguments: ["release", "retain", "claim", "activate"])
    func aReaderThatIsNotThereIsUnknown(method: String) async throws {
        try await withReader { server, path in
            let client = try await client(path)
            #expect(code(try await client.request(method, #"{"reader":"nope"}"#)) == "reader.unknown")
            _ = try await client.request("claim", Self.claim)
            server.publish(Publication(reader: .sample(), .disconnect(.unplugged)))
            await server.allSent()
            #expect(code(try await client.request(method, Self.claim)) == "reader.unknown")
        }
    }

    @Test func aHolderThatVanishesGivesWay() async throws {
        try await withReader { _, path in
            let second = try await client(path, subscribed: true)
            do {
                let first = try await client(path)
                _ = try await first.request("claim", Self.claim)
            }
            #expect(try await second.event("claim_released").at("data", "why") == "disconnected")
            #expect(try await second.request("claim", Self.claim).at("result", "token") != nil)
        }
    }

    /// Nobody who has waited for the reader waits on for somebody who is gone, whatever `swipe_hold` is.
    @Test func aContestedHolderThatVanishesIsNotHeldFor() async throws {
        var limits = Self.patient
        limits.swipeHold = .seconds(60)
        try await withReader(limits: limits) { server, path in
            let second = try await client(path, subscribed: true)
            do {
                let first = try await client(path)
                _ = try await first.request("claim", Self.claim)
                second.send(#"{"id":7,"method":"claim","params":{"reader":"magtek-B05A9C4"}}"# + "\n")
                _ = try await first.event("claim_requested")
            }
            #expect(try await second.event("claim_released").at("data", "why") == "disconnected")
            let granted = try await second.message()
            #expect(granted["id"] == 7)
            #expect(granted.at("result", "token") != nil)
            server.publish(swipe())
            #expect(try await second.event("swipe").at("data", "tracks")?.array?.count == 1)
        }
    }

    /// Somebody who is away can neither be asked nor lose the reader before the time is over.
    @Test func aReaderThatIsKeptForSomebodyIsNotGivenToOthers() async throws {
        var limits = Self.patient
        limits.swipeHold = .seconds(60)
        try await withReader(limits: limits) { _, path in
            let other = try await client(path)
            do {
                let first = try await client(path)
                _ = try await first.request("claim", Self.claim)
            }
            while try await other.request("stats").at("result", "server", "connections_open") != 1 {}
            for mode in ["ask", "try"] {
                let asked = #"{"reader":"magtek-B05A9C4","mode":"\#(mode)","token":"wrong"}"#
                #expect(code(try await other.request("claim", asked)) == "claim.held")
            }
        }
    }

    @Test func aChallengerThatVanishesChangesNothing() async throws {
        try await withReader { _, path in
            let (first, third) = (try await client(path), try await client(path))
            _ = try await first.request("claim", Self.claim)
            do {
                let second = try await client(path)
                second.send(#"{"id":7,"method":"claim","params":{"reader":"magtek-B05A9C4"}}"# + "\n")
                _ = try await first.event("claim_requested")
            }
            while try await third.request("stats").at("result", "server", "connections_open") != 2 {}
            // The next challenger gets its own full time.
            third.send(#"{"id":8,"method":"claim","params":{"reader":"magtek-B05A9C4"}}"# + "\n")
            #expect(try await first.event("claim_requested").at("data", "by", "connection") == 2)
            #expect(try await first.request("retain", Self.claim).at("result") != nil)
            #expect(code(try await third.message()) == "claim.held")
        }
    }

    @Test func unpluggingEndsAClaim() async throws {
        try await withReader { server, path in
            let client = try await client(path, subscribed: true)
            _ = try await client.request("claim", Self.claim)
            server.publish(Publication(reader: .sample(), .disconnect(.unplugged)))
            #expect(try await client.event("claim_released").at("data", "why") == "reader_gone")
            #expect(code(try await client.request("claim", Self.claim)) == "reader.unknown")
        }
    }

    @Test func unpluggingWhileTwoContendIsToldToBoth() async throws {
        try await withReader { server, path in
            let (holder, challenger) = (try await client(path, subscribed: true), try await client(path))
            _ = try await holder.request("claim", Self.claim)
            challenger.send(#"{"id":7,"method":"claim","params":{"reader":"magtek-B05A9C4"}}"# + "\n")
            _ = try await holder.event("claim_requested")
            server.publish(Publication(reader: .sample(), .disconnect(.unplugged)))
            #expect(try await holder.event("claim_released").at("data", "why") == "reader_gone")
            let refused = try await challenger.message()
            #expect(refused["id"] == 7)
            #expect(code(refused) == "reader.gone")
        }
    }

    @Test func aHolderWhoReleasesWhileTwoContendGivesWay() async throws {
        try await withReader { _, path in
            let (holder, challenger) = (try await client(path, subscribed: true), try await client(path))
            _ = try await holder.request("claim", Self.claim)
            challenger.send(#"{"id":7,"method":"claim","params":{"reader":"magtek-B05A9C4"}}"# + "\n")
            _ = try await holder.event("claim_requested")
            #expect(try await holder.request("release", Self.claim).at("result") != nil)
            #expect(try await holder.event("claim_released").at("data", "why") == "released")
            #expect(try await challenger.message().at("result", "token") != nil)
            #expect(code(try await holder.request("retain", Self.claim)) == "claim.not_held")
        }
    }

    @Test func onlyTheClaimantSeesCardsInFull() async throws {
        try await withReader { server, path in
            let (holder, other) = (
                try await client(path, subscribed: true), try await client(path, subscribed: true)
            )
            _ = try await holder.request("claim", Self.claim)
            server.publish(swipe())
            let full = try await holder.event("swipe").at("data", "tracks")?.array?.first?.object
            let masked = try await other.event("swipe").at("data", "tracks")?.array?.first?.object
            #expect(full?["text"] == ";1234?")
            #expect(masked?["text"] == nil)
            #expect(masked?["masked"] == ";****?")
        }
    }

    @Test func aSwipeThatNobodyTakesIsSaidAndCounted() async throws {
        try await withReader { server, path in
            let (holder, other) = (try await client(path), try await client(path, subscribed: true))
            _ = try await holder.request("claim", Self.claim)
            server.publish(swipe())
            let swiped = try await other.event("swipe")["seq"]
            let said = try await other.event("swipe_untaken")
            #expect(said.at("data", "reason") == "no_subscriber")
            #expect(swiped != nil && said.at("data", "swipe_seq") == swiped)
            let counts = try await other.request("stats").at("result", "readers", "magtek-B05A9C4")?.object
            #expect(counts?["untaken_swipes"] == 1)
            #expect(counts?["GoodReadCount"] == 1)
        }
    }

    @Test func aSwipeIsHeldForAClaimantThatComesBack() async throws {
        var limits = ServerLimits()
        limits.swipeHold = .seconds(600)
        try await withReader(limits: limits) { server, path in
            let token: String
            let watcher = try await client(path, subscribed: true)
            do {
                let holder = try await client(path)
                token = try #require(
                    try await holder.request("claim", Self.claim).at("result", "token")?.string)
            }
            // Connection 2 is gone when the listing says so.
            while try await watcher.request("readers").at("result", "readers")?.array?.first?.object?
                .at("claimed_by", "connection") != 0
            {}
            server.publish(swipe())
            let number = try #require(try await watcher.event("swipe")["seq"]?.integer)
            server.publish(Publication(reader: .sample(), .ready(expiresAt: nil)))
            #expect(code(try await watcher.request("claim", Self.claim)) == "claim.held")
            let back = try TestClient(path: path)
            let greeted = try await back.message().at("hello", "seq")?.integer ?? 0
            _ = try await back.request("claim", "{\"reader\":\"magtek-B05A9C4\",\"token\":\"\(token)\"}")
            let kept = try await back.event("swipe")
            #expect(kept.at("data", "tracks")?.array?.first?.object?["text"] == ";1234?")
            #expect(kept["seq"]?.integer == number && number < greeted, "the number that it had")
        }
    }
}
