import ServiceSupport
import SwipeProtocol
import Testing

@testable import SwipedMQTT

/// What may be asked over the broker.
@Suite struct CommandTests {
    private static func take(
        _ text: String, _ allowed: Set<SwipeProtocol.Method> = [.requestSwipe]
    ) -> Result<CommandDesk.Command, CommandDesk.Refusal> {
        var desk = CommandDesk(allowed: allowed)
        return desk.take(Array(text.utf8), reader: "r")
    }

    @Test func aRequestOfTheProtocolIsOne() throws {
        let command = try Self.take(#"{"id":7,"method":"request_swipe","params":{"timeout_s":5}}"#).get()
        #expect(command.reader == "r" && command.request == .requestSwipe(timeoutSeconds: 5))
        // The topic says of which reader, whatever else is said.
        let other = try Self.take(#"{"id":7,"method":"request_swipe","params":{"reader":"other"}}"#).get()
        #expect(other.reader == "r")
    }

    @Test(arguments: [
        ("", ErrorCode.lineInvalid), ("[]", .lineInvalid), (#"{"id":1}"#, .requestInvalid),
        (#"{"id":1,"method":"cancel_swipe"}"#, .accessDenied),
        (#"{"id":1,"method":"readers"}"#, .parameterUnknown),
        (#"{"id":1,"method":"activate"}"#, .accessDenied),
        (#"{"id":1,"method":"request_swipe","params":{"timeout_s":99}}"#, .parameterInvalid),
        (#"{"id":1,"method":"request_swipe","params":{"x":1}}"#, .parameterUnknown),
    ]) func nothingElseIs(text: String, code: ErrorCode) {
        guard case .failure(let refusal) = Self.take(text) else {
            Issue.record("it is taken")
            return
        }
        #expect(refusal.reply.code == code)
    }

    @Test func notTooManyAtOnce() throws {
        var desk = CommandDesk(allowed: [.cancelSwipe])
        let text = Array(#"{"id":1,"method":"cancel_swipe"}"#.utf8)
        for _ in 0..<CommandDesk.maximumAtOnce { _ = try desk.take(text, reader: "r").get() }
        guard case .failure(let refusal) = desk.take(text, reader: "r") else {
            Issue.record("it is taken")
            return
        }
        #expect(refusal.reply.code == .readerBusy)
        desk.done()
        _ = try desk.take(text, reader: "r").get()
    }

    @Test(arguments: ["simulate", "reload", "property_set", "claim", "nothing"])
    func theConfigurationCannotNameEverything(method: String) {
        #expect(throws: ConfigurationFault.self) {
            try MQTTConfiguration("[commands]\nallow = \(method)")
        }
    }

    @Test func theConfigurationNamesThem() throws {
        let configuration = try MQTTConfiguration(
            "[commands]\nallow = request_swipe cancel_swipe\n[swipes]\nfields = none\n"
                + "[discovery]\nenabled = yes\nprefix = ha")
        #expect(configuration.commands == [.requestSwipe, .cancelSwipe] && configuration.role == .masked)
        #expect(configuration.discovery == "ha")
        #expect(try MQTTConfiguration("[discovery]\nprefix = ha").discovery == nil)
    }
}
