import SwipeProtocol
import Testing

@testable import SwipedMQTT

/// What is news to the bridge, and what is over.
@Suite struct BridgeNewsTests {
    /// The same reason again and again is no news; another one is, and so is what was lost of ours.
    @Test func theLogHearsWhatIsNews() throws {
        var scene = try BridgeScene("[swipes]\nqueue = 1\n")
        for why in ["refused", "refused", "no name", "no name"] {
            scene.tell(.broker(connection: 1, .lost(why, retryIn: .seconds(1))))
        }
        #expect(scene.actions.count { $0.says("mqtt.disconnected") } == 2)
        scene.pass(2)
        for why in ["not there", "not there", "denied"] { scene.tell(.daemonLost(why)) }
        #expect(scene.actions.count { $0.says("mqtt.daemon_lost") } == 2)
        scene.connectDaemon()
        for sequence in UInt64(1)...3 { scene.swipe(sequence) }
        #expect(!scene.actions.contains { $0.says("mqtt.loss") })
        scene.connectBroker()
        #expect(scene.actions.count { $0.says("mqtt.loss") } == 1)
        for _ in 0..<2 { scene.tell(.broker(connection: 1, .subscriptionRefused)) }
        #expect(scene.actions.count { $0.says("mqtt.deaf") } == 1)
    }

    /// Each time that a side goes is told, though it goes for the same reason; that it stays away is not.
    @Test func eachLossOfASideIsTold() throws {
        var scene = try BridgeScene()
        scene.pass(2)
        for _ in 0..<2 {
            scene.connectDaemon()
            for _ in 0..<3 { scene.tell(.daemonLost("gone")) }
            scene.connectBroker()
            for _ in 0..<3 { scene.loseBroker() }
        }
        #expect(scene.actions.count { $0.says("mqtt.daemon_lost") } == 2)
        #expect(scene.actions.count { $0.says("mqtt.disconnected") } == 2)
    }

    /// An answer of a daemon that is gone by now says nothing of the readers.
    @Test func whatADaemonOfBeforeSaysIsOver() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.tell(.daemonLost("gone"))
        scene.tell(.readers([]))
        #expect(scene.texts("reader/r/state").last?.isEmpty == false)
    }

    /// What a connection that is gone by now has confirmed was not this one's, whose numbers begin anew.
    @Test func whatABrokerOfBeforeSaysIsOver() throws {
        var scene = try BridgeScene()
        scene.pass(2)
        scene.connectDaemon()
        scene.connectBroker()
        scene.loseBroker()
        scene.isAnswered = false
        scene.connectBroker()
        scene.swipe(1)
        for message in Int32(1)...30 {
            scene.tell(.broker(connection: 1, .settled(message, isRefused: false)))
        }
        #expect(scene.bridge.outbox.waiting == 1)
        for message in Int32(1)...30 {
            scene.tell(.broker(connection: 2, .settled(message, isRefused: false)))
        }
        #expect(scene.bridge.outbox.waiting == 0)
    }
}
