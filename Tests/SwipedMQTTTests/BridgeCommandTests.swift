import SwipeProtocol
import Testing

@testable import SwipedMQTT

/// What comes in over the broker, and what is answered.
@Suite struct BridgeCommandTests {
    /// A command that is named is done and answered; one that the broker has kept is not.
    @Test func commandsAreAnswered() throws {
        var scene = try BridgeScene("[commands]\nallow = request_swipe\n")
        scene.connectBroker()
        #expect(scene.actions.contains(.subscribe("swiped/till/reader/+/command")))
        scene.pass(1)
        scene.connectDaemon()
        func command(_ text: String, isRetained: Bool = false) -> BridgeInput {
            .broker(
                connection: 1,
                .received(
                    topic: "swiped/till/reader/r/command", payload: Array(text.utf8), isRetained: isRetained))
        }
        let request = #"{"id":5,"method":"request_swipe"}"#
        #expect(scene.tell(command(request, isRetained: true)).isEmpty)
        // It is taken back from the broker: no command, and nothing to answer.
        #expect(scene.tell(command("")).isEmpty && scene.texts("reader/r/response").isEmpty)
        guard case .perform(let asked)? = scene.tell(command(request)).last else {
            Issue.record("nothing is done")
            return
        }
        scene.tell(.answered(asked, .success([:])))
        #expect(scene.texts("reader/r/response") == [#"{"id":5,"result":{}}"#])
        scene.tell(command(#"{"id":6,"method":"activate"}"#))
        #expect(scene.texts("reader/r/response").last?.contains("access.denied") == true)
        for message in scene.published where message.topic.hasSuffix("response") {
            #expect(!message.isRetained)
        }
        for _ in 0..<100 {
            for case .perform(let more) in scene.tell(command(request)) {
                scene.tell(.answered(more, .success([:])))
            }
        }
        #expect(scene.actions.count { $0.says("mqtt.command") } == 10)
        #expect(scene.bridge.counts.commands == 102)
        let gone = Array(#"{"id":7,"method":"request_swipe"}"#.utf8)
        scene.tell(
            .broker(
                connection: 1,
                .received(topic: "swiped/till/reader/gone/command", payload: gone, isRetained: false)))
        #expect(scene.texts("reader/gone/response").last?.contains("reader.unknown") == true)
        let silent = try BridgeScene()
        #expect(silent.bridge.desk.allowed.isEmpty)
    }

    /// Without a daemon nobody knows the readers: the answer is that it is away, and not that there is no such reader.
    @Test func aCommandWithoutADaemonIsNoUnknownReader() throws {
        var scene = try BridgeScene("[commands]\nallow = request_swipe\n")
        scene.connectBroker()
        let command = Array(#"{"id":5,"method":"request_swipe"}"#.utf8)
        scene.tell(
            .broker(
                connection: 1,
                .received(topic: "swiped/till/reader/r/command", payload: command, isRetained: false)))
        #expect(scene.actions.contains { if case .perform = $0 { true } else { false } })
        #expect(scene.texts("reader/r/response").isEmpty)
    }

    /// A command was done, and the connection could not take its answer at that moment.
    @Test func anAnswerIsHandedAgain() throws {
        var scene = try BridgeScene("[commands]\nallow = request_swipe\n")
        scene.connectBroker()
        scene.pass(1)
        scene.connectDaemon()
        scene.handing = .notNow
        let command = Array(#"{"id":5,"method":"activate"}"#.utf8)
        scene.tell(
            .broker(
                connection: 1,
                .received(topic: "swiped/till/reader/r/command", payload: command, isRetained: false)))
        scene.handing = nil
        scene.pass(1)
        #expect(scene.texts("reader/r/response").count == 1)
    }
}
