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
        case .logLevel: Part.object([("level", Part.words(LogLevel.self))])
        case .get: Part.object([("settings", Part.named("settings"))])
        case .subscribe:
            Part.object([("seq", Part.count), ("readers?", Part.array(Part.named("reader")))])
        case .readers:
            Part.object([
                ("readers", Part.array(Part.named("reader"))),
                ("audio_inputs?", Part.array(Part.named("audio_input"))),
                ("unused_inputs?", Part.array(Part.named("unused_input"))),
            ])
        case .claim: Part.object([("reader", Part.string), ("token", Part.string)])
        case .stats:
            Part.object([
                ("server", Part.named("server_stats")), ("readers", Part.map(Part.named("reader_stats"))),
            ])
        case .schema: schemaItself
        case .activate, .deactivate, .cancelActivation, .requestSwipe, .cancelSwipe, .set, .testCommunication,
            .setAudioReader, .autodetect, .answerPrompt:
            Part.object([("warning?", Part.string)])
        case .propertyGet, .propertySet:
            Part.object([("name", Part.string), ("value", ["type": ["string", "integer"]])])
        case .simulate: Part.object([("card?", Part.string)])
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

    static var serverStatistics: JSONValue {
        Part.object(
            ServerCounter.allCases.map { ($0.rawValue, Part.count) } + [("memory_locked", Part.boolean)])
    }

    static var readerStatistics: JSONValue {
        let tracks = Part.object(TrackStatus.allCases.map { ($0.rawValue, Part.count) })
        return Part.object(ReaderCounter.allCases.map { ($0.rawValue, Part.count) } + [("tracks", tracks)])
    }

    static var audioInput: JSONValue {
        Part.object([
            ("id", Part.string), ("device", Part.string), ("type", Part.words(AudioReaderType.self)),
            ("jack", Part.orNull(Part.string)), ("plugged_in", Part.orNull(Part.boolean)),
            ("microphone", ["enum": ["open", "closed"]]), ("why", Part.string),
            ("profile", Part.orNull(Part.string)), ("acoustics", ["enum": ["assumed", "given"]]),
        ])
    }

    static var unusedInput: JSONValue {
        Part.object([("section", Part.string), ("device", Part.string), ("why", Part.string)])
    }

    static var settings: JSONValue {
        Part.object(
            [("type", setting(Part.words(AudioReaderType.self)))]
                + [
                    "always_accept_swipe", "activate_on_attach", "volume_to_max",
                    "activate_without_prompting",
                ].map { ($0, setting(Part.boolean)) }
                + ["swipe_timeout_s", "prompt_timeout_s"].map { ($0, setting(Part.count)) })
    }

    private static func setting(_ value: JSONValue) -> JSONValue {
        Part.object([("value", value), ("source", Part.words(SettingSource.self))])
    }
}
