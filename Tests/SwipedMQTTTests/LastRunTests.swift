import SwipeProtocol
import Testing

@testable import SwipedMQTT

/// What a run that has ended had not told any more, in every order of deaths.
@Suite struct LastRunTests {
    private static let word = #"{"bridge":"b0","instance":"abc","seq":7}"#

    /// The connection broke before the broker could say it: the next one asks again, and nothing of ours has taken its place meanwhile.
    @Test func itIsAskedForAgain() throws {
        var scene = try BridgeScene()
        scene.isAnswered = false
        scene.connectBroker()
        scene.loseBroker()
        scene.pass(2)
        scene.connectDaemon(sequence: 20)
        scene.actions = []
        scene.isAnswered = true
        scene.connectBroker()
        #expect(scene.actions.contains(.subscribe("swiped/till/bridge")))
        #expect(scene.texts("bridge").isEmpty)
        scene.hear(Self.word)
        #expect(scene.texts("loss").first?.contains(#""bridge_restart","at_most":13"#) == true)
        scene.pass(1)
        #expect(scene.texts("bridge").last?.contains(#""seq":20"#) == true)
        // Its own report is not another run's, and what was heard once is not counted twice.
        scene.hear(#"{"bridge":"b1","instance":"abc","seq":3}"#)
        scene.hear(Self.word)
        #expect(scene.texts("loss").count == 1)
    }

    /// What is said to be how far it has come never goes back, also where an event with a number of before comes once more.
    @Test func itNeverGoesBack() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.hear(Self.word)
        scene.connectDaemon(sequence: 7)
        for number in [UInt64(9), 8] { scene.swipe(number) }
        scene.pass(1)
        #expect(scene.texts("bridge").last?.contains(#""seq":9"#) == true)
    }

    /// The broker has half a second to say how far the last run has come, on each connection, before this one's report takes its place.
    @Test func noReportComesBeforeTheBrokersWord() throws {
        var scene = try BridgeScene()
        func wait(_ milliseconds: UInt64) {
            scene.now += milliseconds * 1_000_000
            scene.tell(.tick)
        }
        scene.connectBroker()
        scene.connectDaemon(sequence: 20)
        wait(400)
        #expect(scene.texts("bridge").isEmpty)
        scene.loseBroker()
        wait(300)
        scene.connectBroker()
        wait(200)
        #expect(scene.texts("bridge").isEmpty)
        wait(300)
        #expect(scene.texts("bridge").count == 1)
        // And one a second from then on, however much happens.
        scene.swipe(21)
        wait(900)
        #expect(scene.texts("bridge").count == 1)
        wait(100)
        #expect(scene.texts("bridge").count == 2)
    }

    @Test func nothingIsMissingWhereNothingHappened() throws {
        var scene = try BridgeScene()
        scene.pass(3)
        scene.connectDaemon(sequence: 7)
        scene.connectBroker()
        scene.hear(Self.word)
        #expect(scene.texts("loss").isEmpty)
    }

    /// The number is none that this daemon has, whichever of the two was heard first.
    @Test(arguments: [true, false]) func aNumberToComeIsALoss(brokerFirst: Bool) throws {
        var scene = try BridgeScene()
        scene.pass(3)
        if !brokerFirst { scene.connectDaemon(sequence: 5) }
        scene.connectBroker()
        scene.hear(Self.word)
        if brokerFirst { scene.connectDaemon(sequence: 5) }
        #expect(scene.texts("loss").first?.contains(#""reason":"bridge_restart""#) == true)
    }

    /// It is not held up for ever by a broker that has nothing to say.
    @Test func withoutAWordItReportsToo() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon(sequence: 20)
        scene.pass(1)
        #expect(scene.texts("bridge").last?.contains(#""seq":20"#) == true)
        scene.hear(#"{"bridge":"b1","instance":"abc","seq":3}"#)
        scene.pass(5)
        #expect(scene.texts("loss").isEmpty)
        #expect(scene.actions.count { $0.says("mqtt.no_last_run") } == 1)
    }

    /// The daemon came after the broker's word, which had come too late to ask it.
    @Test func theWordMayComeBeforeTheDaemon() throws {
        var scene = try BridgeScene()
        scene.pass(3)
        scene.connectBroker()
        scene.hear(Self.word)
        #expect(scene.texts("loss").isEmpty)
        scene.connectDaemon(sequence: 9)
        #expect(scene.texts("loss").first?.contains(#""bridge_restart","at_most":2"#) == true)
    }

    /// Both were started anew, and the broker came last.
    @Test func anotherRunOfTheDaemonIsTold() throws {
        var scene = try BridgeScene()
        scene.pass(3)
        scene.connectDaemon("other")
        scene.connectBroker()
        scene.hear(Self.word)
        #expect(scene.texts("loss").map { $0.contains(#""reason":"restart","lost""#) } == [true])
    }

    /// Swipes of the daemon's run before wait for the broker: no report may name the new run, or they would be forgotten with this
    /// program.
    @Test func noReportRunsAhead() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon(sequence: 4)
        scene.pass(1)
        scene.loseBroker()
        scene.swipe(5)
        scene.tell(.daemonLost("gone"))
        scene.connectDaemon("other", sequence: 1)
        scene.pass(1)
        scene.published = []
        scene.connectBroker()
        #expect(scene.texts("bridge").first?.contains(#""instance":"abc","seq":4"#) == true)
        #expect(scene.texts("reader/reader/swipe").count == 1)
        scene.pass(1)
        #expect(scene.texts("bridge").last?.contains(#""instance":"other","seq":1"#) == true)
    }

    /// A number that the daemon has not reached is somebody else's, and is not reported again.
    @Test func aNumberThatIsNoneIsLetGo() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.hear(#"{"instance":"abc","seq":9000}"#)
        scene.connectDaemon(sequence: 20)
        #expect(scene.texts("loss").map { $0.contains(#""reason":"bridge_restart","lost""#) } == [true])
        scene.swipe(21)
        scene.pass(1)
        #expect(scene.texts("bridge").last?.contains(#""seq":21"#) == true)
    }

    /// Everything that is confirmed in the end is in the last report.
    @Test func theLastReportIsWhole() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.isAnswered = false
        scene.swipe(1)
        scene.tell(.stop)
        scene.isAnswered = true
        var ended = false
        for message in Int32(1)...30 {
            let told = scene.tell(.broker(connection: 1, .settled(message, isRefused: false)))
            ended = ended || told.contains(.end)
        }
        #expect(ended)
        #expect(scene.texts("bridge").last?.contains(#""seq":1,"swipes":1"#) == true)
        #expect(scene.texts("availability").last == "offline")
    }

    @Test func leftoversAreNotWithoutEnd() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        for number in 0..<(LastRun.maximumLeftovers + 10) { scene.hear("{}", at: "reader/r\(number)/state") }
        #expect(scene.bridge.lastRun.leftovers.count == LastRun.maximumLeftovers)
    }
}
