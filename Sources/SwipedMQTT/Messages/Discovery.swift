internal import SwipeProtocol

/// What Home Assistant is told of this machine and its readers, so that they show up there by themselves: a device for each, in one
/// message (MQTT discovery, "device discovery payload"; since Home Assistant 2024.11).
struct Discovery: Sendable {
    let prefix: String
    let topics: HostTopics

    /// Where Home Assistant says that it is there: what it has not kept it has to be told again.
    var statusTopic: String { "\(prefix)/status" }
    static let statusOnline = Array("online".utf8)

    private var host: String { Self.identifier(topics.host) }
    /// By its level in topics: of readers of an earlier run no more is known.
    private func identifier(_ reader: String) -> String {
        Self.identifier(topics.host, TopicTemplate.level(reader))
    }

    /// A name of its own for each machine and each reader of it, whatever they are called, in letters, digits, `_` and `-`, as a
    /// discovery topic wants it:
    ///
    ///     swiped_HOST, swiped_HOST_READER          where that is plain, and the first _ behind HOST is the one that ends it
    ///     swiped__HOST, swiped__HOST__READER       else; in a name, _ and two digits stand for another byte
    static func identifier(_ host: String, _ reader: String? = nil) -> String {
        let names = [host, reader].compactMap(\.self)
        let isKept =
            host.utf8.allSatisfy(isPlain)
            && (reader ?? "").split(separator: "_").allSatisfy { $0.utf8.allSatisfy(isPlain) }
        guard isKept else { return "swiped__" + names.map(escaped).joined(separator: "__") }
        return (["swiped"] + names).joined(separator: "_")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        case _: false
        }
    }

    private static func escaped(_ name: String) -> String {
        name.utf8.map { byte in
            if isPlain(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16)
            return (digits.utf8.count == 1 ? "_0" : "_") + digits
        }.joined()
    }

    var hostTopic: String { "\(prefix)/device/\(host)/config" }
    func topic(of reader: String) -> String { "\(prefix)/device/\(identifier(reader))/config" }

    /// The machine, and whether it is there.
    var machine: [UInt8] {
        let connected: JSONValue = [
            "platform": "binary_sensor", "unique_id": .string(host + "_online"), "name": "Card readers",
            "device_class": "connectivity", "state_topic": .string(topics.topic(.availability)),
            "payload_on": "online", "payload_off": "offline",
        ]
        let device: JSONValue = [
            "identifiers": [.string(host)], "name": .string(topics.host), "manufacturer": "swiped",
            "sw_version": .string(PackageVersion.current),
        ]
        return payload(device, [("online", connected)], availability: nil)
    }

    /// A reader: its state, and its last swipe.
    func reader(_ reader: ReaderInfo, _ fields: FieldSet) -> [UInt8] {
        let name = identifier(reader.id)
        let stateTopic = JSONValue.string(topics.topic(.state, reader: reader.id))
        let swipeTopic = JSONValue.string(topics.topic(.swipe, reader: reader.id))
        let state: JSONValue = [
            "platform": "sensor", "unique_id": .string(name + "_state"), "name": "State",
            "device_class": "enum", "options": .array(ReaderState.allCases.map { .string($0.rawValue) }),
            "state_topic": stateTopic, "value_template": "{{ value_json.state }}",
            "json_attributes_topic": stateTopic,
        ]
        let swipe: JSONValue = [
            "platform": "event", "unique_id": .string(name + "_swipe"), "name": "Swipe",
            "icon": "mdi:credit-card-outline", "event_types": ["swipe"], "state_topic": swipeTopic,
            "value_template": .string(Self.swipeTemplate),
        ]
        // A card that is known again is what Home Assistant calls a tag.
        let tag: JSONValue = [
            "platform": "tag", "topic": swipeTopic, "value_template": .string(Self.tagTemplate),
        ]
        var members: [JSONObject.Member] = [
            .init("identifiers", [.string(name)]), .init("name", .string(reader.name ?? reader.id)),
            .init("model", .string(reader.model)), .init("manufacturer", .string(reader.kind)),
            .init("via_device", .string(host)),
        ]
        if let serial = reader.serial { members.append(.init("serial_number", .string(serial))) }
        if let firmware = reader.firmware { members.append(.init("sw_version", .string(firmware))) }
        return payload(
            .object(JSONObject(members)),
            [("state", state), ("swipe", swipe)] + (fields.contains(.hash) ? [("tag", tag)] : []),
            availability: topics.topic(.availability))
    }

    /// An event's attributes: what the protocol has under `data`, and the id to know a second copy by.
    private static let swipeTemplate =
        "{{ dict(value_json.data, event_type=value_json.event, event_id=value_json.event_id) | tojson }}"

    private static let tagTemplate = "{{ (value_json.data.card or {}).get('hash', '') }}"

    private func payload(
        _ device: JSONValue, _ components: [(String, JSONValue)], availability: String?
    ) -> [UInt8] {
        var members: [JSONObject.Member] = [
            .init("device", device),
            .init(
                "origin", ["name": "swiped-mqtt", "sw_version": .string(PackageVersion.current)]),
            .init("components", .object(JSONObject(components.map { .init($0.0, $0.1) }))),
            .init("qos", 1),
        ]
        if let availability { members.append(.init("availability_topic", .string(availability))) }
        return BridgeReport.encoded(JSONValue.object(JSONObject(members)))
    }
}
