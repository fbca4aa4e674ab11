import ReaderTesting
import SwipeProtocol
import Testing

@testable import EventServer

/// The limits on what waits for one connection hold at every moment, replays besides.
@Suite(.timeLimit(.minutes(5))) struct OutboundQueueTests {
    private static let limits: ServerLimits = {
        var limits = ServerLimits()
        limits.queueEvents = 8
        limits.queueBytes = 400
        return limits
    }()

    /// A line of so many bytes, the newline included.
    private static func line(_ bytes: Int, sequence: UInt64? = nil, state: StateKey? = nil) -> Delivery {
        var writer = JSONWriter()
        writer.write(String(repeating: "x", count: max(0, bytes - 3)))
        return Delivery(writer.finish(), sequence: sequence, state: state)
    }

    /// Once the replay is through, the limits are what they were, although the queue was never empty.
    @Test func aReplayWidensTheLimitsOnlyUntilItIsThrough() {
        var queue = OutboundQueue()
        for _ in 0..<20 { queue.append(Self.line(10), isExempt: true) }
        for _ in 0..<8 {
            #expect(queue.hasRoom(for: Self.line(10), within: Self.limits))
            queue.append(Self.line(10))
        }
        #expect(!queue.hasRoom(for: Self.line(10), within: Self.limits))
        queue.advance(20 * 10)
        #expect(queue.exempt == 0)
        #expect(
            !queue.hasRoom(for: Self.line(10), within: Self.limits), "the replay's places are gone with it")
        queue.advance(10)
        #expect(queue.hasRoom(for: Self.line(10), within: Self.limits))
    }

    /// Who comes back to long lines is not cut off by the first event after them.
    @Test func aLongReplayLeavesRoomForWhatComesBehindIt() {
        var queue = OutboundQueue()
        for _ in 0..<5 { queue.append(Self.line(200), isExempt: true) }
        #expect(queue.bytes > Self.limits.queueBytes)
        #expect(queue.hasRoom(for: Self.line(400), within: Self.limits))
        queue.append(Self.line(390))
        #expect(!queue.hasRoom(for: Self.line(11), within: Self.limits))
    }

    /// A client that takes all it is sent, and never so fast that nothing waits: the queue does not grow with its lines.
    @Test func aClientThatNeverCatchesUpTakesNoMorePlaces() {
        var queue = OutboundQueue()
        queue.append(Self.line(10))
        for _ in 0..<10_000 {
            queue.append(Self.line(10))
            queue.advance(10)
            #expect(queue.count == 1)
            #expect(queue.places <= OutboundQueue.sentPlacesKept + 1)
        }
        #expect(queue.linesTaken == 10_000)
    }

    /// What one reader's news replace: nothing that a client has to know whatever others do, and everything that another can
    /// bring about without end.
    @Test func theLatestNewsReplaceTheOnesBefore() {
        let (own, other) = (Claimant(uid: 1, pid: 1, connection: 1), Claimant(uid: 2, pid: 2, connection: 2))
        let prompt = Prompt(id: "1", kind: .timeout, text: "", answers: ["ok"])
        func key(_ event: EventBody) -> StateKey? { StateKey(reader: "r", event) }
        #expect(key(.claimReleased(.taken, holder: own)) == key(.claimReleased(.released, holder: own)))
        #expect(key(.claimReleased(.taken, holder: own)) != key(.claimReleased(.released, holder: other)))
        #expect(key(.claimRequested(by: own, deadline: .init(microseconds: 0))) != nil)
        #expect(key(.prompt(prompt)) == key(.promptClosed(id: "1", .withdrawn)))
        #expect(key(.testComplete(answered: true)) != nil)
        for event: EventBody in [
            .swipe(SwipeData(tracks: [])), .swipeUntaken(.noSubscriber, swipe: 1), .bye(.shutdown),
        ] {
            #expect(key(event) == nil)
        }
    }

    /// Random use: what the queue says of itself is what is in it, and what is of no replay stays within the limits.
    @Test(arguments: UInt64(1)...40) func theLimitsHoldWhateverHappens(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var queue = OutboundQueue()
        // What is in it, beside it: bytes left, and whether they are of a replay.
        var model: [(left: Int, isExempt: Bool)] = []
        var sequence: UInt64 = 0
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0 where queue.exempt == 0:
                for _ in 0..<Int.random(in: 1...30, using: &random) {
                    let bytes = Int.random(in: 3...300, using: &random)
                    queue.append(Self.line(bytes), isExempt: true)
                    model.append((bytes, true))
                }
            case 0...9:
                sequence += 1
                let bytes = Int.random(in: 3...120, using: &random)
                let delivery = Self.line(
                    bytes, sequence: sequence, state: StateKey(reader: "r", .ready(expiresAt: nil)))
                guard queue.hasRoom(for: delivery, within: Self.limits) else { continue }
                queue.append(delivery)
                model.append((bytes, false))
            case 10...17:
                let taken = min(queue.bytes, Int.random(in: 0...250, using: &random))
                queue.advance(taken)
                Self.take(taken, from: &model)
            case 18:
                _ = queue.coalesce(for: 1) { _, _ in Self.line(60) }
                // States go, a `gap` comes for each run: what is left is what the queue says.
                #expect(queue.limitedBytes >= 0)
                model = []
                queue.removeAll()
            case _:
                queue.removeWhatHasNotBegun()
                let begun = queue.isInsideLine ? model.first : nil
                model = begun.map { [$0] } ?? []
            }
            #expect(queue.bytes == model.reduce(0) { $0 + $1.left })
            #expect(queue.count == model.count)
            #expect(queue.exempt == model.filter(\.isExempt).count)
            #expect(queue.limitedCount <= Self.limits.queueEvents)
            #expect(queue.limitedBytes <= Self.limits.queueBytes)
        }
    }

    private static func take(_ bytes: Int, from model: inout [(left: Int, isExempt: Bool)]) {
        var bytes = bytes
        while let first = model.first, bytes >= first.left {
            bytes -= first.left
            model.removeFirst()
        }
        if bytes > 0, !model.isEmpty { model[0].left -= bytes }
    }
}
