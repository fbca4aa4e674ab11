import SwipeProtocol
import Testing

@testable import SwipedMQTT

/// What the bridge decides, without a daemon and a broker.
@Suite struct BridgeTests {
    private static func gap(_ from: UInt64, _ to: UInt64, _ reason: GapReason) -> BridgeInput {
        .event(
            Event(
                sequence: nil, time: WallTime(microseconds: 0), monotonicNanoseconds: 0,
                body: .gap(from: from, to: to, reason)))
    }

    @Test func itBeginsWithTheBrokersWord() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        #expect(scene.actions.contains(.subscribe("swiped/till/bridge")))
        let word = #"{"instance":"abc","seq":7}"#
        let told = scene.tell(
            .broker(
                connection: 1,
                .received(topic: "swiped/till/bridge", payload: Array(word.utf8), isRetained: true)))
        #expect(told == [.beginDaemon(after: Subscription.Point(instance: "abc", sequence: 7))])
        scene.pass(3)
        #expect(scene.actions.count { if case .beginDaemon = $0 { true } else { false } } == 1)
    }

    @Test func itBeginsWithoutABrokerToo() throws {
        var scene = try BridgeScene()
        scene.pass(1)
        #expect(scene.actions.isEmpty)
        scene.pass(1)
        #expect(scene.actions == [.beginDaemon(after: nil)])
        scene.connectDaemon(sequence: 20)
        scene.swipe(21)
        scene.connectBroker()
        // What the run before this one had not told of is missing, and cannot be asked for any more.
        let word = #"{"instance":"abc","seq":7}"#
        scene.tell(
            .broker(
                connection: 1,
                .received(topic: "swiped/till/bridge", payload: Array(word.utf8), isRetained: true)))
        let loss = try #require(scene.texts("loss").first)
        #expect(loss.contains(#""reason":"bridge_restart","at_most":13,"instance":"abc","from":8,"to":20"#))
        #expect(scene.texts("reader/reader/swipe").count == 1)
    }

    @Test func statesAreRetainedAndSwipesNever() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        #expect(scene.texts("availability") == ["offline"])
        scene.connectDaemon()
        #expect(scene.texts("availability") == ["offline", "online"])
        let state = try #require(scene.texts("reader/r/state").last)
        #expect(state.contains(#""state":"ready""#) && !state.contains("claimed_by"))
        scene.swipe(1)
        #expect(scene.texts("reader/reader/swipe").count == 1)
        for message in scene.published {
            #expect(message.isRetained == !message.topic.hasSuffix("swipe"), "\(message.topic)")
        }
        // A broker that has forgotten all gets it again, but for the swipe.
        scene.published = []
        scene.loseBroker()
        scene.connectBroker()
        #expect(scene.published.first?.text == "online")
        #expect(scene.texts("reader/r/state").count == 1 && scene.texts("reader/reader/swipe").isEmpty)
        scene.tell(.daemonLost("gone"))
        #expect(scene.texts("availability").last == "offline")
    }

    @Test func aReaderThatIsGoneIsTakenBack() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.tell(
            .event(
                Event(
                    sequence: 3, time: WallTime(microseconds: 0), monotonicNanoseconds: 0, reader: "r",
                    body: .disconnect(.unplugged))))
        #expect(scene.actions.last == .askReaders)
        scene.tell(.readers([]))
        #expect(scene.texts("reader/r/state").last == "")
    }

    /// States of readers that were there in another life.
    @Test func leftoversAreTakenBack() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        for reader in ["r", "old"] {
            scene.tell(
                .broker(
                    connection: 1,
                    .received(
                        topic: "swiped/till/reader/\(reader)/state", payload: [0x7B], isRetained: true)))
        }
        scene.pass(1)
        scene.connectDaemon()
        #expect(scene.texts("reader/old/state") == [""])
        #expect(scene.texts("reader/r/state").first?.isEmpty == false)
        scene.pass(5)
        #expect(scene.actions.contains(.unsubscribe("swiped/till/reader/+/state")))
        // What still comes then is not of a run before this one.
        scene.hear("{}", at: "reader/late/state")
        #expect(scene.texts("reader/late/state").isEmpty)
    }

    /// The broker knows of a reader that is there again, and goes before this run has said anything of it.
    @Test func aReaderThatWasThereBeforeIsTakenBack() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.hear("{}", at: "reader/r/state")
        scene.loseBroker()
        scene.pass(2)
        scene.connectDaemon()
        scene.tell(.readers([]))
        scene.connectBroker()
        #expect(scene.texts("reader/r/state") == [""])
    }

    @Test func manyChangesAreOneQuestion() throws {
        var scene = try BridgeScene()
        scene.pass(2)
        scene.tell(
            .daemonConnected(
                Hello(
                    daemon: "d", instance: "abc", sequence: 0,
                    you: Hello.You(uid: 1, roles: [.masked], connection: 1))))
        for sequence in UInt64(1)...50 {
            scene.tell(
                .event(
                    Event(
                        sequence: sequence, time: WallTime(microseconds: 0), monotonicNanoseconds: 0,
                        reader: "r", body: .swipeStart)))
        }
        scene.tell(.readers([BridgeReaders.reader]))
        #expect(scene.actions.count { $0 == .askReaders } == 2)
    }

    @Test(arguments: [
        (
            GapReason.notKept, UInt64(4), UInt64(6),
            #""reason":"not_kept","at_most":3,"instance":"abc","from":4,"to":6"#
        ),
        (.ring, 1, 1_000, #""reason":"ring","at_most":1000"#),
        (.restart, 0, 0, #""reason":"restart","lost""#),
        (.tooLong, 3, 3, #""reason":"too_long","at_most":1"#),
    ]) func whatTheDaemonLeavesOutIsTold(reason: GapReason, from: UInt64, to: UInt64, part: String) throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.tell(Self.gap(from, to, reason))
        #expect(scene.texts("loss").count == 1)
        let loss = try #require(scene.texts("loss").first)
        #expect(loss.contains(part) && loss.hasPrefix(#"{"loss_id":"b1:1""#), "\(loss)")
        scene.tell(Self.gap(9, 9, .coalesced))
        #expect(scene.texts("loss").count == 1)
    }

    @Test func itsOwnStateSaysHowFarItHasCome() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.swipe(5)
        scene.pass(1)
        #expect(
            scene.texts("bridge").last?.contains(#""instance":"abc","seq":5,"swipes":1,"lost":{}"#) == true)
        let count = scene.texts("bridge").count
        scene.pass(1)
        #expect(scene.texts("bridge").count == count)
        scene.loseBroker()
        scene.swipe(6)
        scene.swipe(7)
        scene.pass(1)
        scene.connectBroker()
        #expect(scene.texts("bridge").dropFirst(count).first?.contains(#""seq":5"#) == true)
        scene.pass(1)
        #expect(scene.texts("bridge").last?.contains(#""seq":7,"swipes":3"#) == true)
    }

    @Test func aDaemonThatShowsAllIsNotUsed() throws {
        var scene = try BridgeScene()
        scene.pass(2)
        #expect(scene.tell(.daemonUnsuited("full")).last == .fail)
        let hello = Hello(
            daemon: "d", instance: "i", sequence: 0,
            you: Hello.You(uid: 1, roles: [.status, .full], connection: 1))
        #expect(DaemonSide.complaint(hello)?.contains("[access] full") == true)
    }

    /// What the daemon leaves of the roles is looked at, and not believed: neither more than was asked for, nor less.
    @Test func theRolesAreThoseThatWereAskedFor() {
        let cases: [(asked: Role, left: Set<Role>, isMore: Bool, isLess: Bool)] = [
            (.masked, [.status, .masked], false, false), (.status, [.status], false, false),
            (.masked, [.status], false, true), (.masked, [], false, true), (.status, [], false, true),
            (.masked, [.status, .masked, .full], true, false),
            (.masked, [.status, .masked, .admin], true, false), (.status, [.status, .masked], true, false),
        ]
        for (asked, left, isMore, isLess) in cases {
            #expect((left.excess(beyond: asked) != nil) == isMore)
            #expect((DaemonSide.want(left, asked) != nil) == isLess)
            #expect(DaemonSide.want(left, asked)?.contains("[access] \(asked)") != false)
        }
    }

    /// It is told once, as an error, and is over when the daemon gives the role.
    @Test func aRoleThatIsTooSmallIsTold() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(2)
        for _ in 0..<3 { scene.tell(.daemonShowsTooLittle("too little")) }
        #expect(scene.actions.count { $0.says("mqtt.role_too_small") } == 1)
        #expect(scene.texts("availability") == ["offline"])
        scene.connectDaemon()
        #expect(scene.texts("availability").last == "online")
    }

    @Test func statisticsAreTheDaemons() throws {
        var scene = try BridgeScene("[stats]\ninterval = 10")
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.pass(1)
        #expect(scene.actions.contains(.askStatistics))
        scene.tell(.statistics(["server": ["requests": 3]]))
        #expect(scene.texts("stats") == [#"{"server":{"requests":3}}"#])
    }

    /// Home Assistant has started: it is told again what there is, and of a reader that goes, that it is gone.
    @Test func homeAssistantIsToldAgain() throws {
        var scene = try BridgeScene("[discovery]\nenabled = yes\n")
        scene.connectBroker()
        #expect(scene.actions.contains(.subscribe("homeassistant/status")))
        scene.pass(1)
        scene.connectDaemon()
        func told() -> [String] {
            scene.published.filter { $0.topic.hasPrefix("homeassistant/device/") }.map(\.topic)
        }
        #expect(told().count == 2)
        let status = BrokerNews.received(
            topic: "homeassistant/status", payload: Array("online".utf8), isRetained: false)
        scene.tell(.broker(connection: 1, status))
        #expect(told().count == 4)
        scene.tell(.readers([]))
        scene.tell(
            .event(
                Event(
                    sequence: 3, time: WallTime(microseconds: 0), monotonicNanoseconds: 0, reader: "r",
                    body: .disconnect(.unplugged))))
        scene.tell(.readers([]))
        #expect(scene.published.last { $0.topic.contains("swiped_till_r") }?.text == "")
    }

    @Test func aReportThatIsNoneIsNotRead() {
        for text in ["", "{}", #"{"instance":"","seq":1}"#, #"{"instance":"a","seq":-1}"#, "[1]", "x"] {
            #expect(BridgeReport.position(Array(text.utf8)) == nil)
        }
    }

    /// However it is asked, no more than a time's worth of a swipe's life is left after that time.
    @Test(arguments: [(UInt64(0), UInt64(0), 1), (61, 0, 0), (0, 3_600, 0), (20, 30, 1), (20, 50, 0)])
    func noSwipeArrivesLate(age: UInt64, sleep: UInt64, count: Int) throws {
        var scene = try BridgeScene("[swipes]\nexpiry = 60\n")
        (scene.now, scene.slept) = (10_000_000_000_000, 0)
        scene.pass(2)
        scene.connectDaemon()
        scene.swipe(1, age: age)
        scene.now += sleep * 1_000_000_000
        scene.slept += sleep * 1_000_000_000
        scene.connectBroker()
        #expect(scene.texts("reader/reader/swipe").count == count)
        #expect(scene.texts("loss").count == 1 - count)
    }

    /// A message that the broker does not take at all is refused, and holds up no other.
    @Test func whatCannotBeSentIsALoss() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.handing = .never
        scene.swipe(1)
        #expect(scene.bridge.outbox.losses.totals == [.refused: 1])
        // The message of it is refused as well, and nothing waits.
        #expect(scene.bridge.outbox.isEmpty)
        #expect(scene.actions.count { $0.says("mqtt.refused") } == 2)
        // The log hears of the first of each kind.
        scene.swipe(2)
        #expect(scene.actions.count { $0.says("mqtt.refused") } == 2)
        scene.handing = nil
        scene.swipe(3)
        #expect(scene.texts("reader/reader/swipe").count == 1)
    }

    /// What a connection that stays does not take now is handed to it again.
    @Test func whatIsNotTakenNowIsHandedAgain() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.handing = .notNow
        scene.swipe(1)
        scene.handing = nil
        #expect(scene.texts("reader/reader/swipe").isEmpty)
        scene.pass(1)
        #expect(scene.texts("reader/reader/swipe").count == 1)
    }

    /// A broker that does not say whether it has a message is given up, as a silent one is.
    @Test func whatIsNotConfirmedEndsTheConnection() throws {
        var scene = try BridgeScene("[broker]\nkeepalive = 10\n")
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.pass(30)
        #expect(!scene.actions.contains(.giveUpBroker(connection: 1)))
        scene.isAnswered = false
        scene.swipe(1)
        scene.pass(19)
        #expect(!scene.actions.contains(.giveUpBroker(connection: 1)))
        scene.pass(1)
        #expect(scene.actions.contains(.giveUpBroker(connection: 1)))
        scene.isAnswered = true
        scene.loseBroker()
        scene.connectBroker()
        #expect(scene.texts("reader/reader/swipe").count == 2)
        scene.actions = []
        scene.pass(30)
        #expect(!scene.actions.contains(.giveUpBroker(connection: 2)))
    }

    /// A daemon that does not say which readers there are is asked again.
    @Test func readersAreAskedForAgain() throws {
        var scene = try BridgeScene()
        scene.pass(2)
        scene.tell(
            .daemonConnected(
                Hello(
                    daemon: "d", instance: "abc", sequence: 0,
                    you: Hello.You(uid: 1, roles: [.masked], connection: 1))))
        scene.tell(.readers(nil))
        scene.pass(1)
        #expect(scene.actions.count { $0 == .askReaders } == 2)
    }

    @Test func metricsAreWellFormed() throws {
        let text = BridgeMetrics(
            BridgeCounts(), lost: [.expired: 3], waiting: 2, isBrokerThere: true, isDaemonThere: false,
            version: "1"
        ).text
        #expect(text.contains("swiped_mqtt_lost_total{reason=\"expired\"} 3\n"))
        #expect(text.contains("swiped_mqtt_broker_connected 1\n"))
        #expect(text.contains("swiped_mqtt_swipes_waiting 2\n"))
    }
}
