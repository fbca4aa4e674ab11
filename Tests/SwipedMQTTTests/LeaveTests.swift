import SwipeProtocol
import Testing

@testable import SwipedMQTT

/// The end of the program: what is said before it, and what the will says.
@Suite struct LeaveTests {
    @Test func itEndsWhenAllIsSaid() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        #expect(scene.tell(.stop).contains(.end))
        #expect(scene.texts("availability").last == "offline")
        // Without a broker there is nothing to wait for.
        var alone = try BridgeScene()
        #expect(alone.tell(.stop) == [.end])
    }

    /// The daemon lets in a moment after the word to end: what is kept says that nobody is there.
    @Test func whoTakesLeaveIsNotOnline() throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.tell(.daemonLost("gone"))
        scene.isAnswered = false
        scene.swipe(1)
        scene.tell(.stop)
        scene.connectDaemon()
        #expect(scene.texts("availability").last == "offline")
        scene.isAnswered = true
        scene.pass(2)
        #expect(scene.texts("availability").last == "offline")
    }

    /// What the broker has not confirmed in time it may not have: its will says that nobody is there, so no leave is taken.
    @Test(arguments: [false, true]) func whatIsNotSaidInTimeTheWillSays(isAnswered: Bool) throws {
        var scene = try BridgeScene()
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.isAnswered = isAnswered
        scene.actions = []
        scene.tell(.stop)
        scene.pass(1)
        // The word to end, said again, gives no more time.
        scene.tell(.stop)
        scene.pass(1)
        #expect(scene.actions.contains(.giveUpBroker(connection: 1)) == !isAnswered)
        #expect(scene.actions.contains(.end))
    }
}
