/// The schema of what each method answers, made from the types that write it.
extension ProtocolSchema {
    private typealias Part = SchemaParts

    /// The name of a method's answer among the definitions.
    package static func resultName(of method: Method) -> String { "result_\(method.rawValue)" }

    /// By method: a client that knows what it asked can hold the answer against exactly one of them.
    static var results: [(String, JSONValue)] {
        Method.allCases.map { (resultName(of: $0), result(of: $0)) }
    }

    /// The answer to something; which one, only the `id` tells.
    static var anyResult: JSONValue {
        ["anyOf": .array(Method.allCases.map { Part.named(resultName(of: $0)) })]
    }

    private static func result(of method: Method) -> JSONValue {
        switch method {
        case .unsubscribe, .release, .retain, .barrier, .ping, .reload: Part.empty
        case .logLevel: ControlResult.logLevel(.info).described.object
        case .get: ControlResult.settings(.blank).described.object
        case .levels: ControlResult.levels([]).described.object
        case .subscribe: Snapshot.schema
        case .narrow: Hello.You.schema
        case .readers: ReaderList.schema
        case .claim: ClaimGrant.schema
        case .stats:
            Part.object([
                ("server", Part.named("server_stats")), ("readers", Part.map(Part.named("reader_stats"))),
            ])
        case .schema: schemaItself
        case .activate, .deactivate, .cancelActivation, .requestSwipe, .cancelSwipe, .set, .testCommunication,
            .setAudioReader, .autodetect, .answerPrompt:
            ControlResult.taken().described.object
        case .propertyGet, .propertySet: ControlResult.property(name: "", value: "").described.object
        case .simulate: ControlResult.swiped(card: "").described.object
        }
    }

    /// A schema that names itself as this one does.
    private static var schemaItself: JSONValue {
        [
            "type": "object",
            "properties": ["$schema": Part.constant(dialect), "$id": Part.constant(identifier)],
            "required": ["$schema", "$id", "oneOf", "$defs"],
        ]
    }
}
