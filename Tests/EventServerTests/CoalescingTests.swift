import ReaderTesting
import SwipeProtocol
import Testing

@testable import EventServer

/// What is left out for a client that is behind leaves nothing behind that could fill its queue.
@Suite(.timeLimit(.minutes(5))) struct CoalescingTests {
    private static func flap(_ reader: ReaderInfo) -> [Publication] {
        [
            Publication(reader: reader, .connect(reader)), Publication(reader: reader, .activate(.success)),
            Publication(reader: reader, .ready(expiresAt: nil)), Publication(reader: reader, .update(reader)),
            Publication(reader: reader, .swipeStart), Publication(reader: reader, .unready(.error)),
            Publication(reader: reader, .deactivate(.disconnected)),
            Publication(reader: reader, .disconnect(.unplugged)),
        ]
    }

    /// Readers come and go in any order, thousands of times; one subscriber reads nothing meanwhile. It is not cut off, and
    /// hears of each number once, or that it was left out.
    @Test(arguments: [1, 8, 24]) func readersThatFlapHaveNobodyCutOff(_ readers: Int) async throws {
        var limits = ServerLimits()
        limits.stall = .seconds(300)
        try await withServer(limits: limits) { server, path in
            let (slow, fence) = (try TestClient(path: path), try TestClient(path: path))
            _ = try await slow.request("subscribe")
            var random = SeededGenerator(state: UInt64(readers))
            var waiting = (0..<readers).map { Self.flap(.sample("r\($0)"))[...] }
            let total = 20_000
            for _ in 0..<total {
                let index = Int.random(in: 0..<readers, using: &random)
                if waiting[index].isEmpty { waiting[index] = Self.flap(.sample("r\(index)"))[...] }
                if let next = waiting[index].popFirst() { server.publish(next) }
            }
            await server.allSent()
            #expect(try await fence.request("stats").at("result", "server", "slow_clients") == 0)
            var expected: Int64 = 1
            while expected <= total {
                let message = try await slow.message()
                if message["event"] == "gap" {
                    #expect(message.at("data", "from")?.integer == expected)
                    expected = (message.at("data", "to")?.integer ?? 0) + 1
                } else {
                    guard message["seq"]?.integer == expected else {
                        Issue.record("not \(expected): \(message)")
                        return
                    }
                    expected += 1
                }
            }
        }
    }

    private static func delivery(_ sequence: UInt64, _ reader: String, _ event: EventBody) -> Delivery {
        var writer = JSONWriter()
        writer.write(sequence)
        return Delivery(writer.finish(), sequence: sequence, state: StateKey(reader: reader, event))
    }

    /// A `gap` of its own numbers, to be told from an event.
    private static func gap(_ from: UInt64, _ to: UInt64) -> Delivery {
        var writer = JSONWriter()
        writer.write("\(from)-\(to)")
        return Delivery(writer.finish())
    }

    private static func text(_ queue: OutboundQueue) -> [String] {
        var lines: [String] = []
        queue.withFrontLines(maximum: queue.count) { _, bytes in
            lines.append(String(decoding: bytes.dropLast(), as: UTF8.self))
        } then: { _ in
        }
        return lines
    }

    @Test func aGapTakesInTheOneBeforeIt() {
        var queue = OutboundQueue()
        for sequence in UInt64(1)...4 { queue.append(Self.delivery(sequence, "r", .swipeStart)) }
        #expect(queue.coalesce(for: 1, gap: Self.gap) == 2)
        #expect(Self.text(queue) == ["1", "\"2-3\"", "4"])
        for sequence in UInt64(5)...6 { queue.append(Self.delivery(sequence, "r", .swipeStart)) }
        #expect(queue.coalesce(for: 1, gap: Self.gap) == 2)
        #expect(Self.text(queue) == ["1", "\"2-5\"", "6"])
    }

    /// A replay that begins at lower numbers again is no reason for a gap that ends before it begins.
    @Test func gapsNeverRunBackwards() {
        var queue = OutboundQueue()
        for sequence: UInt64 in [100, 101, 102, 50, 51, 52] {
            queue.append(Self.delivery(sequence, "r", .swipeStart))
        }
        _ = queue.coalesce(for: 1, gap: Self.gap)
        #expect(Self.text(queue) == ["100", "\"101-102\"", "\"50-51\"", "52"])
    }

    /// What was before a reader came or went is replaced by that; how a test or a question ended is not.
    @Test func anArrivalReplacesWhatWasBefore() {
        var queue = OutboundQueue()
        let events: [EventBody] = [
            .swipe(SwipeData(tracks: [])), .connect(.sample("r")), .activate(.success),
            .testComplete(answered: true), .ready(expiresAt: nil), .disconnect(.unplugged),
        ]
        for (index, event) in events.enumerated() {
            queue.append(Self.delivery(UInt64(index + 1), "r", event))
        }
        queue.append(Self.delivery(7, "other", .swipeStart))
        _ = queue.coalesce(for: 1, gap: Self.gap)
        #expect(Self.text(queue) == ["1", "\"2-3\"", "4", "\"5-5\"", "6", "7"])
    }

    /// Whoever connects anew for each claim fills nobody's queue; that a client lost its own reader stays.
    @Test func claimsOfOthersAreOneMatter() {
        var queue = OutboundQueue()
        for sequence in UInt64(1)...1_000 {
            let holder = Claimant(uid: 1, pid: 1, connection: sequence)
            queue.append(Self.delivery(sequence, "r", .claimReleased(.disconnected, holder: holder)))
        }
        _ = queue.coalesce(for: 500, gap: Self.gap)
        #expect(Self.text(queue) == ["1", "\"2-499\"", "500", "\"501-999\"", "1000"])
    }

    /// However often it happens: the newest states, and a gap before each.
    @Test(arguments: UInt64(1)...20) func whatIsLeftIsBoundedByTheReaders(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var queue = OutboundQueue()
        var sequence: UInt64 = 0
        let readers = Int.random(in: 1...12, using: &random)
        for _ in 0..<200 {
            for _ in 0..<Int.random(in: 1...200, using: &random) {
                sequence += 1
                let name = "r\(Int.random(in: 0..<readers, using: &random))"
                let event =
                    [
                        .connect(.sample(name)), .update(.sample(name)), .activate(.success), .swipeStart,
                        .testComplete(answered: true), .autodetectStart, .promptClosed(id: "1", .withdrawn),
                    ].randomElement(using: &random) ?? EventBody.swipeStart
                queue.append(Self.delivery(sequence, name, event))
            }
            if Bool.random(using: &random) {
                queue.advance(min(queue.bytes, Int.random(in: 0...40, using: &random)))
            }
            _ = queue.coalesce(for: 1, gap: Self.gap)
            // Seven aspects that were published, and the line that may have begun.
            #expect(queue.count <= 2 * (7 * readers) + 2)
        }
    }
}
