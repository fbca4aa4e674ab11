import ServiceSupport
import SwipeProtocol

@testable import SwipedMQTT

/// A bridge, and both its sides.
struct BridgeScene {
    var bridge: Bridge
    var now: UInt64 = 1_000_000_000
    /// How long the machine has slept meanwhile.
    var slept: UInt64 = 0
    /// What the connection does with what it is handed, and whether the broker answers.
    var handing: Handing?
    var isAnswered = true
    var broker = 0
    /// What the broker has: the messages in order, and the states.
    var published: [(topic: String, text: String, isRetained: Bool)] = []
    var actions: [BridgeAction] = []
    private var message: Int32 = 0

    init(_ text: String = "") throws {
        let configuration = try MQTTConfiguration(text)
        let topics = try HostTopics(configuration.topics, host: "till")
        bridge = Bridge(
            configuration, topics: topics, identifier: "b1",
            at: Moment(monotonic: now, awake: now, wall: WallTime(microseconds: 0)))
    }

    @discardableResult
    mutating func tell(_ input: BridgeInput) -> [BridgeAction] {
        let moment = Moment(
            monotonic: now, awake: now - slept, wall: WallTime(microseconds: Int64(now / 1_000)))
        var done = bridge.handle(input, at: moment)
        while let outgoing = bridge.next(at: moment) {
            message += 1
            done += bridge.handed(outgoing, handing ?? .sent(message), at: moment)
            guard handing == nil else { continue }
            published.append(
                (
                    outgoing.topic, String(decoding: outgoing.payload, as: UTF8.self),
                    outgoing.isRetained
                ))
            guard isAnswered else { continue }
            done += bridge.handle(
                .broker(connection: broker, .settled(message, isRefused: false)), at: moment)
        }
        actions += done
        return done
    }

    mutating func pass(_ seconds: UInt64) {
        now += seconds * 1_000_000_000
        tell(.tick)
    }

    mutating func connectBroker() {
        broker += 1
        tell(.broker(connection: broker, .connected))
    }

    mutating func loseBroker() {
        tell(.broker(connection: broker, .lost("gone", retryIn: .seconds(1))))
    }

    mutating func connectDaemon(_ instance: String = "abc", sequence: UInt64 = 0) {
        tell(
            .daemonConnected(
                Hello(
                    daemon: "swiped 0.1.0", instance: instance, sequence: sequence,
                    you: Hello.You(uid: 1, roles: [.status, .masked], connection: 1))))
        tell(.readers([BridgeReaders.reader]))
    }

    mutating func swipe(_ sequence: UInt64, age: UInt64 = 0) {
        var event = PublishedSwipes.event(SwipeData(tracks: []), sequence: sequence)
        event.monotonicNanoseconds = now - slept - age * 1_000_000_000
        tell(.event(event))
    }

    /// The broker says what a run before this one has left at a topic.
    @discardableResult
    mutating func hear(_ text: String, at topic: String = "bridge") -> [BridgeAction] {
        let payload = Array(text.utf8)
        return tell(
            .broker(
                connection: broker,
                .received(topic: "swiped/till/\(topic)", payload: payload, isRetained: true)))
    }

    func texts(_ topic: String) -> [String] {
        published.filter { $0.topic == "swiped/till/\(topic)" }.map(\.text)
    }
}

extension BridgeAction {
    /// Whether it is a line of the log for that event.
    func says(_ event: String) -> Bool {
        if case .log(let line) = self { line.event == event } else { false }
    }
}
