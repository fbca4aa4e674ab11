import EventServer
import Glibc
import SwipeProtocol
import TestSupport
import Testing

/// Each limit of docs/protocol.md, at it and one over it.
@Suite(.timeLimit(.minutes(5))) struct LimitTests {
    private func ping(padding: Int) -> String {
        #"{"id":1,"method":"ping","params":{}"# + String(repeating: " ", count: padding) + "}"
    }

    @Test func theLongestLineIsTakenAndOneByteMoreIsNot() async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            _ = try await client.message()
            let room = ProtocolLimits.lineIn - ping(padding: 0).utf8.count
            client.send(ping(padding: room) + "\n")
            #expect(try await client.message()["result"] != nil)
            client.send(ping(padding: room + 1) + "\n")
            #expect(try await client.message().at("error", "code") == "line.too_long")
            #expect(try await client.message().at("data", "code") == "too_long")
            #expect(try await client.line() == nil)
        }
    }

    @Test(arguments: [
        (16, "params.invalid"), (17, "line.invalid"),
    ]) func nestingIsLimited(_ depth: Int, _ code: String) async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            // The request itself and its parameters are two levels.
            let value = String(repeating: "[", count: depth - 2) + String(repeating: "]", count: depth - 2)
            let reply = try await client.request("ping", "{\"x\":\(value)}")
            // At the limit the line is read, and its parameter refused.
            #expect(reply.at("error", "code")?.string == (code == "params.invalid" ? "params.unknown" : code))
        }
    }

    @Test(arguments: [(256, "reader.unknown"), (257, "params.invalid")])
    func namesAreLimited(_ length: Int, _ code: String) async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            let name = String(repeating: "r", count: length)
            let reply = try await client.request("activate", "{\"reader\":\"\(name)\"}")
            #expect(reply.at("error", "code")?.string == code)
        }
    }

    @Test(arguments: [(64, nil), (65, "params.invalid")] as [(Int, String?)])
    func readersOfASubscriptionAreLimited(_ count: Int, _ code: String?) async throws {
        try await withServer { _, path in
            let client = try TestClient(path: path)
            let names = (0..<count).map { "\"r\($0)\"" }.joined(separator: ",")
            let reply = try await client.request("subscribe", "{\"readers\":[\(names)]}")
            #expect(reply.at("error", "code")?.string == code)
        }
    }

    /// A busy machine may keep a client of a test from reading for longer than a stall may last.
    private static let patient: ServerLimits = {
        var limits = ServerLimits()
        limits.stall = .seconds(300)
        return limits
    }()

    /// Forty thousand requests of which no answer is read at first: none is lost, and the daemon keeps little.
    @Test func requestsWaitWhileRepliesAreNotRead() async throws {
        try await withServer(limits: Self.patient) { _, path in
            let client = try TestClient(path: path)
            let count = 40_000
            startThread {
                for id in 0..<count where !client.send(#"{"id":\#(id),"method":"ping"}"# + "\n") { return }
            }
            _ = try await client.message()
            for id in 0..<count {
                guard try await client.line() == #"{"id":\#(id),"result":{}}"# else {
                    Issue.record("reply \(id) is missing")
                    return
                }
            }
        }
    }

    /// Long replies that are not read, then the end: all of them come.
    @Test func longRepliesWaitToo() async throws {
        try await withServer(limits: Self.patient) { _, path in
            let client = try TestClient(path: path)
            for id in 0..<100 { client.send(#"{"id":\#(id),"method":"schema"}"# + "\n") }
            client.shutdownWrite()
            _ = try await client.message()
            for id in 0..<100 { #expect(try await client.message()["id"]?.integer == Int64(id)) }
            #expect(try await client.line() == nil)
        }
    }

    /// What a client has sent when it shuts down its sending side is read at once, to the end: up to a limit it is answered.
    @Test(arguments: [(0, false), (400, true)])
    func requestsThatWaitAtTheEndAreLimited(_ tooMany: Int, _ isCutOff: Bool) async throws {
        try await withServer(limits: Self.patient) { server, path in
            let client = try TestClient(path: path)
            _ = try await client.message()
            let limit = 128 * 1_024
            // A turn of four is answered before the rest has come.
            let ping = #"{"id":1,"method":"ping"}"# + "\n"
            let count = (limit + tooMany) / ping.utf8.count
            // On the server's loop: it finds all of it at once. It fits the sockets.
            server.whenSent {
                client.send(String(repeating: ping, count: count))
                client.shutdownWrite()
            }
            let lines = try await client.rest()
            guard isCutOff else {
                return #expect(lines == Array(repeating: #"{"id":1,"result":{}}"#, count: count))
            }
            #expect(lines.last?.contains(#""code":"too_long""#) == true)
            #expect(lines.count <= 5)
        }
    }

    /// Whoever is cut off still gets whole lines only, and the last one says why.
    @Test func theLastLineOfASlowClientIsItsBye() async throws {
        try await withServer { server, path in
            let deaf = try TestClient(path: path)
            _ = try await deaf.request("subscribe")
            let watcher = try TestClient(path: path)
            _ = try await watcher.message()
            while try await watcher.request("stats").at("result", "server", "slow_clients") == 0 {
                for index in 0..<100 {
                    server.publish(Publication(reader: .sample("r\(index)"), .swipe(SwipeData(tracks: []))))
                }
            }
            let lines = try await deaf.rest()
            #expect(lines.last?.contains(#""event":"bye""#) == true)
            #expect(lines.last?.contains(#""code":"slow_client""#) == true)
        }
    }

    /// A swipe as long as most are.
    private func longSwipe() -> Publication {
        Publication(
            reader: .sample(),
            .swipe(
                SwipeData(
                    tracks: [TrackInfo(track: 2, status: .ok, masked: String(repeating: "*", count: 330))])))
    }

    /// What docs/protocol.md says of a burst: so many swipes at once wait for whoever reads nothing meanwhile.
    @Test func aBurstOfSwipesWaitsForWhoReadsLater() async throws {
        let burst = 430
        try await withServer(limits: Self.patient) { server, path in
            let client = try TestClient(path: path)
            _ = try await client.request("subscribe")
            for _ in 0..<burst { server.publish(longSwipe()) }
            let fence = try TestClient(path: path)
            _ = try await fence.request("ping")
            for expected in 1...burst {
                let line = try await client.line() ?? ""
                #expect(line.contains(#""seq":\#(expected),"#) && (550...609).contains(line.utf8.count))
            }
        }
    }

    @Test func whoTakesNothingForTooLongIsCutOff() async throws {
        var limits = ServerLimits()
        limits.stall = .milliseconds(50)
        try await withServer(limits: limits) { server, path in
            let deaf = try TestClient(path: path)
            _ = try await deaf.request("subscribe")
            let watcher = try TestClient(path: path)
            // Enough to fill the socket and not the queue.
            for _ in 0..<1_200 {
                server.publish(
                    Publication(
                        reader: .sample(), .activate(.failed, why: String(repeating: "x", count: 300))))
            }
            while try await watcher.request("stats").at("result", "server", "slow_clients") == 0 {}
            #expect(try await deaf.rest().last?.contains(#""code":"slow_client""#) == true)
        }
    }

    @Test func connectionsAreLimitedInAll() async throws {
        var limits = ServerLimits()
        limits.connections = 2
        try await withServer(limits: limits) { _, path in
            let first = try (0..<2).map { _ in try TestClient(path: path) }
            for client in first { _ = try await client.message() }
            #expect(try await TestClient(path: path).message().at("data", "code") == "too_many")
            let stats = try await first[0].request("stats").at("result", "server")?.object
            #expect(stats?["connections_refused"] == 1)
            #expect(stats?["connections_open"] == 2)
        }
    }

    @Test func anEventThatFitsNoLineBecomesAGap() async throws {
        try await withServer { server, path in
            let client = try TestClient(path: path)
            _ = try await client.request("subscribe")
            let long = String(repeating: "x", count: ProtocolLimits.lineOut)
            server.publish(Publication(reader: .sample(), .activate(.failed, why: long)))
            let gap = try await client.message()
            #expect(gap["event"] == "gap")
            #expect(gap.at("data", "reason") == "too_long")
            #expect(gap.at("data", "from") == 1)
        }
    }

    private static func attach(_ names: some Sequence<String>, to server: EventServer) {
        for reader in names.map({ ReaderInfo.sample($0) }) {
            server.publish(Publication(reader: reader, .connect(reader)))
        }
    }

    @Test func aReplyThatFitsNoLineIsRefused() async throws {
        try await withServer { server, path in
            Self.attach((0..<600).map { "reader-\($0)" }, to: server)
            let client = try TestClient(path: path)
            #expect(try await client.request("readers").at("error", "code") == "reply.too_long")
        }
    }

    /// What docs/protocol.md says of a machine with more readers than fit an answer: some 200 do, and 64 by name always.
    @Test func readersByNameFitAnAnswer() async throws {
        let serials = (0..<600).map { "magtek-B05A\(100 + $0)" }
        try await withServer { server, path in
            Self.attach(serials[0..<200], to: server)
            let client = try TestClient(path: path)
            let all = try await client.request("readers").at("result", "readers")?.array
            #expect(all?.count == 200)
            Self.attach(serials[200..<600], to: server)
            await server.allSent()
            #expect(try await client.request("readers").at("error", "code") == "reply.too_long")
            let names = serials[500..<564].map { "\"\($0)\"" }.joined(separator: ",")
            let reply = try await client.request("subscribe", "{\"readers\":[\(names)],\"snapshot\":true}")
            #expect(reply.at("result", "readers")?.array?.count == 64)
            #expect(try await client.request("subscribe").at("error") == nil, "all, without a snapshot")
        }
    }

    /// A subscription that is refused, since its answer fits no line, changes nothing: the one before it holds.
    @Test(arguments: [#"{"snapshot":true}"#, #"{"since":{"instance":"another","seq":7}}"#])
    func aSubscriptionWhoseAnswerFitsNoLineChangesNothing(_ parameters: String) async throws {
        try await withServer { server, path in
            Self.attach((0..<600).map { "reader-\($0)" }, to: server)
            let client = try TestClient(path: path)
            let modest = #"{"events":["ready"],"readers":["reader-1"]}"#
            #expect(try await client.request("subscribe", modest)["result"] != nil)
            client.send(#"{"id":2,"method":"subscribe","params":\#(parameters)}"# + "\n")
            #expect(try await client.message().at("error", "code") == "reply.too_long")
            server.publish(Publication(reader: .sample("reader-1"), .swipeStart))
            server.publish(Publication(reader: .sample("reader-2"), .ready(expiresAt: nil)))
            server.publish(Publication(reader: .sample("reader-1"), .ready(expiresAt: nil)))
            let next = try await client.message()
            #expect(next["event"] == "ready" && next["reader"] == "reader-1")
        }
    }

    /// However many readers come and go, the counters of the latest ones fit an answer.
    @Test func countersAreKeptForAFewReadersOnly() async throws {
        try await withServer { server, path in
            for index in 0..<200 {
                let reader = ReaderInfo.sample("reader-\(index)")
                server.publish(Publication(reader: reader, .connect(reader)))
                server.publish(Publication(reader: reader, .disconnect(.unplugged)))
            }
            let client = try TestClient(path: path)
            let readers = try await client.request("stats").at("result", "readers")?.object
            #expect(readers?.members.count == 64)
            #expect(readers?["reader-199"] != nil)
        }
    }

    /// A client that asks for the same replay again and again, and does not read, gets one of them at a time.
    ///
    /// Whether a replay is through when the next one is asked for depends on how much the socket takes and how busy the
    /// machine is, so it is tried with replays of different lengths.
    @Test func oneReplayWaitsAtATime() async throws {
        try await withServer { server, path in
            for _ in 0..<1_024 { server.publish(Publication(reader: .sample(), .swipeStart)) }
            var refused = 0
            for length in stride(from: 1_024, to: 400, by: -16) where refused == 0 {
                refused = try await replaysRefused(ofEight: length, path)
            }
            #expect(refused > 0)
        }
    }

    /// Asks eight times for so many of 1,024 events, reads nothing for a while, then everything; how many replays there
    /// were not.
    private func replaysRefused(ofEight length: Int, _ path: String) async throws -> Int {
        let client = try TestClient(path: path)
        _ = try await client.message()
        let since = #"{"since":{"instance":"test","seq":\#(1_024 - length)}}"#
        for _ in 0..<8 { client.send(#"{"id":1,"method":"subscribe","params":\#(since)}"# + "\n") }
        client.send(#"{"id":"last","method":"ping"}"# + "\n")
        // Until the server has come by, nothing is read: the socket is full then.
        let other = try TestClient(path: path)
        for _ in 0..<3 { _ = try await other.request("ping") }
        var (refused, replayed, isThrough) = (0, 0, false)
        while !isThrough, let line = try await client.line() {
            if line.contains(#""event":"gap""#) {
                #expect(line.contains("not_kept"))
                refused += 1
            }
            if line.contains(#""event":"swipe_start""#) { replayed += 1 }
            isThrough = line.hasPrefix(#"{"id":"last""#)
        }
        // On a machine without time for this test the client is cut off before it reads, which tells nothing.
        guard isThrough else { return 0 }
        #expect(replayed == (8 - refused) * length)
        return refused
    }

    /// A number that no event has had yet is a client's mistake; a gap up to it would tell of events that never were.
    @Test func sinceTheFutureIsRefused() async throws {
        try await withServer { server, path in
            server.publish(Publication(reader: .sample(), .swipeStart))
            let client = try TestClient(path: path)
            _ = try await client.message()
            client.send(
                #"{"id":1,"method":"subscribe","params":{"since":{"instance":"test","seq":2}}}"# + "\n")
            #expect(try await client.message().at("error", "code") == "params.invalid")
        }
    }

    /// 1,024 events are kept; who comes back from further away is told so.
    @Test(arguments: [(1_024, nil), (1_025, "ring")] as [(Int, String?)])
    func eventsAreKeptForAWhile(_ behind: Int, _ reason: String?) async throws {
        try await withServer { server, path in
            for _ in 0..<3_000 { server.publish(Publication(reader: .sample(), .swipeStart)) }
            let client = try TestClient(path: path)
            _ = try await client.message()
            client.send(
                #"{"id":1,"method":"subscribe","params":{"since":{"instance":"test","seq":\#(3_000 - behind)}}}"#
                    + "\n")
            let first = try await client.message()
            if let reason {
                #expect(first.at("data", "reason")?.string == reason)
                #expect(first.at("data", "from")?.integer == Int64(3_000 - behind + 1))
                #expect(first.at("data", "to") == 3_000)
                #expect(try await client.message().at("result", "readers") != nil)
            } else {
                #expect(first.at("result", "seq")?.integer == Int64(3_000 - behind))
                for expected in (3_000 - behind + 1)...3_000 {
                    #expect(try await client.message()["seq"]?.integer == Int64(expected))
                }
            }
        }
    }
}
