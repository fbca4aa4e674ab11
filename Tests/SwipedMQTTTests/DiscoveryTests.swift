import CardData
import Foundation
import SwipeProtocol
import TestSupport
import Testing

@testable import SwipedMQTT

/// What Home Assistant is told, against what its documentation of MQTT discovery allows.
@Suite struct DiscoveryTests {
    /// What may stand in a message, and what must: "MQTT discovery", "Device discovery payload", and the pages of the platforms
    /// (home-assistant.io/integrations/mqtt, sensor.mqtt, binary_sensor.mqtt, event.mqtt, tag.mqtt; read in 2026).
    private struct Form {
        /// What a member has to be.
        enum Kind {
            case text, topic, truth, whole, texts, object
            case word([String])
            case template

            func allows(_ value: JSONValue) -> Bool {
                switch self {
                case .text: value.string?.isEmpty == false
                case .topic: value.string.map { !$0.isEmpty && !$0.contains { "+#".contains($0) } } ?? false
                case .truth: value.bool != nil
                case .whole: value.integer.map { $0 >= 0 } ?? false
                case .texts: value.array.map { !$0.isEmpty && $0.allSatisfy { $0.string != nil } } ?? false
                case .object: value.object != nil
                case .word(let words): value.string.map(words.contains) ?? false
                case .template: value.string.map { $0.contains("{{") && $0.contains("}}") } ?? false
                }
            }
        }

        var required: [String: Kind]
        var optional: [String: Kind]

        private static let qos = Kind.whole
        static let message = Form(
            required: ["device": .object, "origin": .object, "components": .object],
            optional: [
                "availability_mode": .word(["all", "any", "latest"]), "availability_template": .template,
                "availability_topic": .topic, "command_topic": .topic, "encoding": .text,
                "payload_available": .text, "payload_not_available": .text, "qos": qos, "state_topic": .topic,
            ])
        static let device = Form(
            required: ["identifiers": .texts],
            optional: [
                "configuration_url": .text, "hw_version": .text, "manufacturer": .text, "model": .text,
                "model_id": .text, "name": .text, "serial_number": .text, "suggested_area": .text,
                "sw_version": .text, "via_device": .text,
            ])
        static let origin = Form(
            required: ["name": .text], optional: ["support_url": .text, "sw_version": .text])
        private static let entity: [String: Kind] = [
            "availability_topic": .topic, "entity_category": .word(["config", "diagnostic"]),
            "expire_after": .whole, "icon": .text, "json_attributes_template": .template,
            "json_attributes_topic": .topic, "name": .text, "qos": qos, "value_template": .template,
        ]
        private static func platform(
            _ name: String, _ required: [String: Kind], _ optional: [String: Kind]
        ) -> Form {
            Form(
                required: required.merging(["platform": .word([name])]) { $1 },
                optional: optional.merging(entity) { $1 })
        }
        static let platforms = [
            "sensor": platform(
                "sensor", ["unique_id": .text, "state_topic": .topic],
                [
                    "device_class": .word(["enum", "timestamp", "duration"]), "force_update": .truth,
                    "options": .texts,
                ]),
            "binary_sensor": platform(
                "binary_sensor", ["unique_id": .text, "state_topic": .topic],
                [
                    "device_class": .word(["connectivity", "problem", "running"]), "force_update": .truth,
                    "off_delay": .whole, "payload_off": .text, "payload_on": .text,
                ]),
            "event": platform(
                "event", ["unique_id": .text, "state_topic": .topic, "event_types": .texts],
                ["device_class": .word(["button", "doorbell", "motion"])]),
            "tag": Form(
                required: ["platform": .word(["tag"]), "topic": .topic],
                optional: ["value_template": .template]),
        ]

        func complaint(_ value: JSONValue?) -> String? {
            guard let members = value?.object?.members else { return "no object" }
            let names = members.map(\.name)
            if let missing = required.keys.first(where: { !names.contains($0) }) { return "no \(missing)" }
            return members.first { !((required[$0.name] ?? optional[$0.name])?.allows($0.value) ?? false) }
                .map { "\($0.name): \($0.value)?" }
        }
    }

    private static func discovery() throws -> Discovery {
        Discovery(prefix: "homeassistant", topics: try HostTopics(Topics(), host: "till 7"))
    }

    private static func check(_ payload: [UInt8]) throws -> JSONObject {
        let message = try JSONReader.value(of: payload)
        #expect(Form.message.complaint(message) == nil)
        let object = try #require(message.object)
        #expect((0...2).contains(object["qos"]?.integer ?? 0))
        #expect(Form.device.complaint(object["device"]) == nil)
        #expect(Form.origin.complaint(object["origin"]) == nil)
        for component in try #require(object["components"]?.object).members {
            let platform = try #require(component.value.object?["platform"]?.string)
            let form = try #require(Form.platforms[platform])
            #expect(form.complaint(component.value) == nil, "\(component.name)")
            // "options" and the device class "enum" go together (sensor.mqtt).
            let part = component.value.object
            #expect((part?["options"] != nil) == (part?["device_class"]?.string == "enum"))
        }
        return object
    }

    @Test func messagesAreAsDocumented() throws {
        let discovery = try Self.discovery()
        #expect(discovery.hostTopic == "homeassistant/device/swiped__till_207/config")
        // In a topic, `/` is `_`.
        #expect(
            discovery.topic(of: "a/b:ü") == "homeassistant/device/swiped__till_207__a_5fb_3a_c3_bc/config")
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

    /// Names that are plain stay as they are; no two machines or readers have one name, whatever they are called.
    @Test func noTwoThingsHaveOneName() {
        #expect(Discovery.identifier("till-7") == "swiped_till-7")
        #expect(Discovery.identifier("till-7", "virtual-a_b") == "swiped_till-7_virtual-a_b")
        #expect(Discovery.identifier("till", "magtek-1-1.2") == "swiped__till__magtek-1-1_2e2")
        #expect(Discovery.identifier("till_a", "b") == "swiped__till_5fa__b")
        // Each character that means something in a name, in each place.
        let signs = ["a", "_", "-", ".", "5", "f", "é", "\u{1}"]
        let names =
            signs
            + signs.flatMap { one in signs.flatMap { two in [one + two, one + two + "_", one + two + "5f"] } }
        let pairs = names.flatMap { host in
            [Discovery.identifier(host)] + names.map { Discovery.identifier(host, $0) }
        }
        #expect(Set(pairs).count == names.count * (names.count + 1))
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
        #expect(pairs.allSatisfy { $0.allSatisfy(allowed.contains) })
    }

    /// In the messages too: machine `till` with reader `a_b`, and machine `till_a` with reader `b`.
    @Test func noTwoMessagesHaveOneName() throws {
        var names: [String] = []
        var topics: Set<String> = []
        for (host, id) in [("till", "a_b"), ("till_a", "b")] {
            let discovery = Discovery(prefix: "homeassistant", topics: try HostTopics(Topics(), host: host))
            var info = BridgeReaders.reader
            info.id = id
            topics.formUnion([discovery.hostTopic, discovery.topic(of: id)])
            for payload in [discovery.machine, discovery.reader(info, .usual)] {
                let message = try Self.check(payload)
                names += message["device"]?.object?["identifiers"]?.array?.compactMap(\.string) ?? []
                names += try #require(message["components"]?.object).members.compactMap {
                    $0.value.object?["unique_id"]?.string
                }
            }
        }
        #expect(topics.count == 4 && names.count == 10 && Set(names).count == 10)
    }

    private static let homeAssistant = ProcessInfo.processInfo.environment["SWIPED_HOME_ASSISTANT"]

    /// By Home Assistant's own code, where the environment's SWIPED_HOME_ASSISTANT names a Python that has it.
    @Test(.enabled(if: homeAssistant != nil, "SWIPED_HOME_ASSISTANT names no Python"))
    func homeAssistantAcceptsThem() throws {
        let discovery = try Self.discovery()
        var card = CardInfo(kind: .payment)
        card.hash = "0123-4567"
        let line = try PublishedSwipes.text(SwipeData(card: card, tracks: []), FieldSet([.hash]))
        let reader = discovery.reader(BridgeReaders.reader, FieldSet([.hash]))
        let messages = [discovery.machine, reader].map { String(decoding: $0, as: UTF8.self) }
        let input = FileManager.default.temporaryDirectory.appending(path: "discovery-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: input) }
        try "[\(messages.joined(separator: ","))]\n\(line)\n".write(
            to: input, atomically: true, encoding: .utf8)
        let script = Programs.root.appending(path: "scripts/lib/home_assistant.py").path
        let python = try #require(Self.homeAssistant)
        let run = try Programs.run(
            at: "/bin/sh", ["-c", "exec \"$0\" \"$1\" <\"$2\"", python, script, input.path])
        #expect(run.status == 0, "\(run.said)")
        #expect(run.said.contains(#""event_type": "swipe""#) && run.said.contains(#""event_id": "abc:7""#))
        #expect(run.said.contains("tag 0123-4567\n"))
    }
}
