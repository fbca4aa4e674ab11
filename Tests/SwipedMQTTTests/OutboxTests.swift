import SwipeProtocol
import Testing

@testable import SwipedMQTT

/// What waits for the broker, and what is lost of it.
@Suite struct OutboxTests {
    private static let second: UInt64 = 1_000_000_000

    private static func swipe(_ sequence: UInt64, deadline: UInt64 = 60) -> Outbox.Swipe {
        Outbox.Swipe(
            topic: "t", payload: Array("\(sequence)".utf8), instance: "abc", sequence: sequence,
            deadline: deadline * second)
    }

    /// What is sent now, in order, each under a number from there on.
    private func drain(_ outbox: inout Outbox, at now: UInt64 = 0, from first: Int32 = 1) -> [Outbox.Outgoing]
    {
        var sent: [Outbox.Outgoing] = []
        while let outgoing = outbox.next(
            at: now * Self.second, lossTopic: "loss",
            describe: { entry, _ in Array("\(entry.loss.reason) \(entry.loss.count)".utf8) })
        {
            outbox.sent(outgoing, as: first + Int32(sent.count))
            sent.append(outgoing)
        }
        return sent
    }

    private func texts(_ sent: [Outbox.Outgoing]) -> [String] {
        sent.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test func nothingIsSentWithoutAConnection() {
        var outbox = Outbox(limit: 10)
        outbox.add(Self.swipe(1))
        outbox.retain("state", [1])
        #expect(drain(&outbox).isEmpty && !outbox.isEmpty)
        outbox.connected(first: "a")
        #expect(drain(&outbox).map(\.topic) == ["state", "t"])
        #expect(outbox.settled(1, isRefused: false) == .state)
        #expect(outbox.settled(2, isRefused: false) == .swipe)
        #expect(outbox.settled(2, isRefused: false) == .unknown)
        #expect(outbox.isEmpty && outbox.losses.totals.isEmpty)
    }

    @Test func theOldestGoesAndIsTold() {
        var outbox = Outbox(limit: 3)
        for sequence in UInt64(1)...5 { outbox.add(Self.swipe(sequence)) }
        outbox.connected(first: "a")
        #expect(texts(drain(&outbox)) == ["queueFull 2", "3", "4", "5"])
        #expect(outbox.losses.totals == [.queueFull: 2])
    }

    @Test func whatIsTooOldGoesAndIsTold() {
        var outbox = Outbox(limit: 10)
        outbox.add(Self.swipe(1, deadline: 10))
        outbox.add(Self.swipe(2, deadline: 20))
        outbox.connected(first: "a")
        let sent = drain(&outbox, at: 15)
        #expect(texts(sent) == ["expired 1", "2"])
        #expect(sent.map(\.expiry) == [nil, 5])
    }

    /// The same swipe, with less time left: the application drops what it has already.
    @Test func whatWasOnItsWayIsSentAgain() {
        var outbox = Outbox(limit: 10)
        outbox.connected(first: "a")
        for sequence in UInt64(1)...3 { outbox.add(Self.swipe(sequence)) }
        #expect(texts(drain(&outbox)) == ["1", "2", "3"])
        _ = outbox.settled(2, isRefused: false)
        outbox.disconnected()
        outbox.add(Self.swipe(4))
        #expect(drain(&outbox, at: 5).isEmpty)
        outbox.connected(first: "a")
        let again = drain(&outbox, at: 10, from: 100)
        #expect(texts(again) == ["1", "3", "4"] && again.first?.expiry == 50)
        // An answer on the connection before names another message, or none.
        #expect(outbox.settled(1, isRefused: false) == .unknown)
    }

    @Test func aLossThatIsNotHeardIsToldAgain() {
        var outbox = Outbox(limit: 1)
        for sequence in UInt64(1)...3 { outbox.add(Self.swipe(sequence)) }
        outbox.connected(first: "a")
        #expect(texts(drain(&outbox)) == ["queueFull 2", "3"])
        outbox.disconnected()
        outbox.connected(first: "a")
        #expect(texts(drain(&outbox)) == ["queueFull 2", "3"])
        #expect(outbox.losses.totals == [.queueFull: 2])
    }

    /// An application that drops copies by their number must not drop what came later: it has a number of its own.
    @Test func whatWasSaidIsNotSaidOtherwise() {
        var ledger = LossLedger()
        ledger.add(Loss(.expired, instance: "abc", from: 1, to: 1))
        let first = ledger.takeFirst()
        #expect(first?.loss.count == 1)
        if let first { ledger.giveBack(first) }
        for number in UInt64(2)...3 { ledger.add(Loss(.expired, instance: "abc", from: number, to: number)) }
        let again = ledger.takeFirst()
        let later = ledger.takeFirst()
        #expect(again?.number == 1 && again?.loss == first?.loss)
        #expect(later?.number == 2 && later?.loss.count == 2 && later?.loss.from == 2)
        #expect(ledger.isEmpty)
    }

    /// What comes back with the connection has the queue's limit too: the oldest goes.
    @Test func whatComesBackHasALimitToo() {
        var outbox = Outbox(limit: 3)
        outbox.connected(first: "a")
        for sequence in UInt64(1)...3 { outbox.add(Self.swipe(sequence)) }
        #expect(drain(&outbox).count == 3)
        for sequence in UInt64(4)...6 { outbox.add(Self.swipe(sequence)) }
        outbox.disconnected()
        #expect(outbox.waiting == 3 && outbox.losses.totals == [.queueFull: 3])
        outbox.connected(first: "a")
        #expect(texts(drain(&outbox, from: 100)) == ["queueFull 3", "4", "5", "6"])
    }

    /// Nobody waits any more for what comes too late, or was asked on another connection.
    @Test func anOldAnswerIsNotSent() {
        var outbox = Outbox(limit: 1)
        func answer(_ text: String, deadline: UInt64) -> Outbox.Answer {
            Outbox.Answer(topic: "answer", payload: Array(text.utf8), deadline: deadline * Self.second)
        }
        outbox.connected(first: "a")
        outbox.add(answer("late", deadline: 10))
        outbox.add(answer("in time", deadline: 20))
        #expect(texts(drain(&outbox, at: 15)) == ["in time"])
        outbox.add(answer("of before", deadline: 60))
        outbox.disconnected()
        outbox.connected(first: "a")
        #expect(drain(&outbox, at: 16, from: 100).isEmpty)
    }

    @Test func aRefusedSwipeIsALoss() {
        var outbox = Outbox(limit: 1)
        outbox.add(Self.swipe(1))
        outbox.connected(first: "a")
        _ = drain(&outbox)
        #expect(outbox.settled(1, isRefused: true) == .refused(.swipe, topic: "t"))
        #expect(texts(drain(&outbox)) == ["refused 1"])
    }

    /// A broker may be another one, or have forgotten all: each connection begins with every state, availability first.
    @Test func statesAreSentToEachConnection() {
        var outbox = Outbox(limit: 1)
        outbox.retain("z", [1])
        outbox.retain("availability", [2])
        outbox.retain("b", [3])
        outbox.connected(first: "availability")
        #expect(drain(&outbox).map(\.topic) == ["availability", "b", "z"])
        for message in Int32(1)...3 { _ = outbox.settled(message, isRefused: false) }
        outbox.retain("b", [3])
        #expect(drain(&outbox).isEmpty)
        outbox.retain("b", [4])
        outbox.retain("b", [])
        #expect(drain(&outbox).map(\.payload) == [[]])
        _ = outbox.settled(1, isRefused: false)
        outbox.disconnected()
        outbox.connected(first: "availability")
        #expect(drain(&outbox).map(\.topic) == ["availability", "z"])
    }

    /// Readers that come and go while there is no broker leave nothing behind; one that the broker knows is taken back.
    @Test func whatWasNeverThereIsNotTakenBack() {
        var outbox = Outbox(limit: 1)
        outbox.retain("known", [1])
        outbox.connected(first: "a")
        _ = drain(&outbox)
        outbox.disconnected()
        outbox.retain("old", [1])
        outbox.isKnown("old")
        for number in 0..<100 { outbox.retain("r\(number)", [1]) }
        for topic in ["known", "old"] + (0..<100).map({ "r\($0)" }) { outbox.retain(topic, []) }
        outbox.connected(first: "a")
        #expect(drain(&outbox).map(\.topic) == ["known", "old"])
    }

    @Test func noMoreIsOnItsWayThanAWindow() {
        var outbox = Outbox(limit: 100)
        outbox.connected(first: "a")
        for sequence in UInt64(1)...100 { outbox.add(Self.swipe(sequence)) }
        #expect(drain(&outbox).count == Outbox.window)
        #expect(drain(&outbox).isEmpty)
        _ = outbox.settled(1, isRefused: false)
        #expect(texts(drain(&outbox, from: 200)) == ["17"])
    }

    /// Where a run of the program that comes after this one has to go on.
    @Test func itKnowsHowFarItHasCome() {
        var outbox = Outbox(limit: 2)
        #expect(outbox.settledUpTo(9, of: "abc") == 9)
        for sequence in UInt64(4)...6 { outbox.add(Self.swipe(sequence)) }
        #expect(outbox.settledUpTo(9, of: "abc") == 3)
        #expect(outbox.settledUpTo(9, of: "other") == 9)
        outbox.connected(first: "a")
        _ = drain(&outbox)
        #expect(outbox.settledUpTo(9, of: "abc") == 3)
        _ = outbox.settled(1, isRefused: false)
        #expect(outbox.settledUpTo(9, of: "abc") == 4)
        _ = outbox.settled(2, isRefused: false)
        #expect(outbox.settledUpTo(9, of: "abc") == 5)
        _ = outbox.settled(3, isRefused: false)
        #expect(outbox.settledUpTo(9, of: "abc") == 9)
    }

    /// However many losses there are, few messages tell of them.
    @Test func lossesAreToldTogether() {
        var ledger = LossLedger()
        for number in UInt64(0)..<1_000 {
            ledger.add(Loss(.notKept, instance: "run \(number)", from: 1, to: 2))
        }
        var told: UInt64 = 0
        var messages = 0
        while let entry = ledger.takeFirst() {
            told += entry.loss.count
            messages += 1
        }
        #expect(told == 2_000 && messages <= LossLedger.maximumWaiting)
        #expect(ledger.totals == [.notKept: 2_000])
    }
}
