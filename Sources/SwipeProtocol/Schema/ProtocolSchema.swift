import CardData

/// The JSON Schema (2020-12) of every line of the protocol, both ways, made from the types.
package enum ProtocolSchema {
    private typealias Part = SchemaParts

    static let dialect = "https://json-schema.org/draft/2020-12/schema"
    static let identifier = "urn:swiped:swipe-1"

    /// The schema: a line is one from the daemon or a request.
    package static let document: JSONValue = [
        "$schema": .string(dialect),
        "$id": .string(identifier),
        "title": "swipe/1: a line between swiped and a client",
        "oneOf": [
            SchemaParts.named("hello"), SchemaParts.named("reply"), SchemaParts.named("event"),
            SchemaParts.named("request"),
        ],
        "$defs": .object(JSONObject(definitions.map { JSONObject.Member($0.0, $0.1) })),
    ]

    /// The same as the text of an answer: writing it out costs as much as a thousand events.
    package static let encoded = EncodedJSON(document)

    private static var definitions: [(String, JSONValue)] {
        [
            ("hello", Part.object([("hello", Hello.schema)])),
            (
                "reply",
                Part.oneOf([
                    Part.object([("id", id), ("result", Part.named("result"))]),
                    Part.object([("id", id), ("error", ErrorReply.schema)]),
                ])
            ),
            ("result", anyResult),
            ("event", Part.oneOf(EventKind.allCases.map(event))),
            ("request", Part.oneOf(Method.allCases.map(request))),
        ] + objects.compactMap { type in type.definition.map { ($0, type.blank.described.object) } } + [
            ("server_stats", ServerFigures.blank.described.object),
            ("reader_stats", ReaderFigures.blank.described.object),
        ] + results
    }

    private static let id: JSONValue = ["type": ["string", "number", "null"]]

    /// What has a definition of its own, in the order of the schema.
    private static var objects: [any WireObject.Type] {
        [
            ReaderInfo.self, Prompt.self, Claimant.self, SwipeData.self, CardInfo.self, TrackInfo.self,
            SwipeEncryption.self, SwipeQuality.self, AudioInputInfo.self, UnusedInputInfo.self,
            SettingsInForce.self, SoundLevel.self,
        ]
    }

    /// An event by its name: whether it has a number depends on it.
    private static func event(_ kind: EventKind) -> JSONValue {
        var members: [(String, JSONValue)] = [("event", Part.constant(kind.rawValue))]
        if !kind.isOfConnection { members.append(("seq", Part.count)) }
        if kind == .gap { members.append(("seq?", Part.count)) }
        return Part.object(members + Event.blank(kind.traits.blank()).described.members.dropFirst(2))
    }

    // MARK: Requests

    private static func request(_ method: Method) -> JSONValue {
        let parameters = Call.blank(method).described
        let needsThem = parameters.members.contains { !$0.0.hasSuffix("?") }
        return Part.object([
            ("id?", id), ("method", Part.constant(method.rawValue)),
            (needsThem ? "params" : "params?", parameters.object),
        ])
    }

    /// The parameters of each method.
    static let parameters: [Method: JSONValue] = Dictionary(
        uniqueKeysWithValues: Method.allCases.map { ($0, Call.blank($0).described.object) })

    /// The name of a member that the schema of its object does not have, with the way to it.
    ///
    /// - Parameter depth: how many objects inside are looked at, one in the other.
    static func unknown(in object: JSONObject, _ schema: JSONValue, depth: Int) -> String? {
        let known = schema.object?["properties"]?.object
        for member in object.members {
            guard let inside = known?[member.name] else { return String(member.name.prefix(40)) }
            guard depth > 0, let value = member.value.object, inside.object?["properties"] != nil else {
                continue
            }
            if let name = unknown(in: value, inside, depth: depth - 1) { return "\(member.name).\(name)" }
        }
        return nil
    }
}
