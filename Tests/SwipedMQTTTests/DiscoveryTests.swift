import SwipeProtocol
import Testing

@testable import SwipedMQTT

/// What Home Assistant is told, against what its documentation of MQTT discovery allows.
@Suite struct DiscoveryTests {
    /// What may stand in a message, and what must: "MQTT discovery", "Device discovery payload", and the pages of the platforms
    /// (home-assistant.io/integrations/mqtt, sensor.mqtt, binary_sensor.mqtt, event.mqtt, tag.mqtt; read in 2026).
    private struct Form {
        var required: [String]
        var optional: [String]

        static let message = Form(
            required: ["device", "origin", "components"],
            optional: [
                "availability", "availability_mode", "availability_template", "availability_topic",
                "command_topic", "encoding", "payload_available", "payload_not_available", "qos",
                "state_topic",
            ])
        static let device = Form(
            required: ["identifiers"],
            optional: [
                "configuration_url", "connections", "hw_version", "manufacturer", "model", "model_id", "name",
                "serial_number", "suggested_area", "sw_version", "via_device",
            ])
        static let origin = Form(required: ["name"], optional: ["support_url", "sw_version"])
        private static let entity = [
            "availability_topic", "entity_category", "expire_after", "icon", "json_attributes_template",
            "json_attributes_topic", "name", "qos", "value_template",
        ]
        static let platforms = [
            "sensor": Form(
                required: ["platform", "unique_id", "state_topic"],
                optional: entity + ["device_class", "force_update", "options", "state_class"]),
            "binary_sensor": Form(
                required: ["platform", "unique_id", "state_topic"],
                optional: entity + ["device_class", "force_update", "off_delay", "payload_off", "payload_on"]),
            "event": Form(
                required: ["platform", "unique_id", "state_topic", "event_types"],
                optional: entity + ["device_class"]),
            "tag": Form(required: ["platform", "topic"], optional: ["value_template"]),
        ]

        func complaint(_ value: JSONValue?) -> String? {
            guard let members = value?.object?.members else { return "no object" }
            let names = members.map(\.name)
            if let missing = required.first(where: { !names.contains($0) }) { return "no \(missing)" }
            return names.first { !required.contains($0) && !optional.contains($0) }.map { "\($0)?" }
        }
    }

    private static func discovery() throws -> Discovery {
        Discovery(prefix: "homeassistant", topics: try HostTopics(Topics(), host: "till 7"))
    }

    private static func check(_ payload: [UInt8]) throws -> JSONObject {
        let message = try JSONReader.value(of: payload)
        #expect(Form.message.complaint(message) == nil)
        let object = try #require(message.object)
        #expect(Form.device.complaint(object["device"]) == nil)
        #expect(Form.origin.complaint(object["origin"]) == nil)
        for component in try #require(object["components"]?.object).members {
            let platform = try #require(component.value.object?["platform"]?.string)
            let form = try #require(Form.platforms[platform])
            #expect(form.complaint(component.value) == nil, "\(component.name)")
        }
        return object
    }

    @Test func messagesAreAsDocumented() throws {
        let discovery = try Self.discovery()
        #expect(discovery.hostTopic == "homeassistant/device/swiped_till_7/config")
        #expect(discovery.topic(of: "a/b:ü") == "homeassistant/device/swiped_till_7_a_b__/config")
        let machine = try Self.check(discovery.machine)
        let host = machine["device"]?.object?["identifiers"]?.array?.first
        var info = BridgeReaders.reader
        (info.name, info.serial, info.firmware) = ("Till 7", "B05A9C4", "1.2")
        let reader = try Self.check(discovery.reader(info, .usual))
        #expect(reader["device"]?.object?["via_device"] == host)
        #expect(reader["availability_topic"]?.string == "swiped/till 7/availability")
        let components = try #require(reader["components"]?.object)
        // "enum" wants options, and every state has to be one of them.
        let options = components["state"]?.object?["options"]?.array?.compactMap(\.string)
        #expect(options == ReaderState.allCases.map(\.rawValue))
        // What the template makes has an event_type of these.
        #expect(components["swipe"]?.object?["event_types"]?.array == [.string(EventKind.swipe.rawValue)])
        #expect(
            components["swipe"]?.object?["value_template"]?.string?.contains("event_type=value_json.event")
                == true)
        #expect(components["tag"] == nil)
        let tagged = try Self.check(discovery.reader(info, FieldSet([.hash])))
        #expect(tagged["components"]?.object?["tag"]?.object?["platform"]?.string == "tag")
    }
}

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
        #expect(throws: MQTTConfigurationFault.self) {
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
