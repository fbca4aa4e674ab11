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
            ("hello", Part.object([("hello", hello)])),
            (
                "reply",
                Part.oneOf([
                    Part.object([("id", id), ("result", Part.named("result"))]),
                    Part.object([("id", id), ("error", error)]),
                ])
            ),
            ("result", anyResult),
            ("event", Part.oneOf(EventKind.allCases.map(event))),
            ("request", Part.oneOf(Method.allCases.map(request))),
            ("reader", reader), ("prompt", prompt), ("claimant", claimant), ("swipe", swipe), ("card", card),
            ("track", track),
            ("encryption", encryption), ("quality", quality), ("audio_input", audioInput),
            ("unused_input", unusedInput), ("settings", settings),
            ("server_stats", serverStatistics), ("reader_stats", readerStatistics),
        ] + results
    }

    private static let id: JSONValue = ["type": ["string", "number", "null"]]

    private static var hello: JSONValue {
        Part.object([
            ("protocol", Part.constant(ProtocolVersion.current)), ("daemon", Part.string),
            ("instance", Part.string), ("seq", Part.count),
            (
                "you",
                Part.object([
                    ("uid", Part.count), ("roles", Part.array(Part.words(Role.self))),
                    ("connection", Part.count),
                ])
            ),
            ("limits", Part.object([("line_in", Part.count), ("line_out", Part.count)])),
        ])
    }

    /// The code is open: a later daemon may send others.
    private static var error: JSONValue {
        Part.object([("code", Part.string), ("message", Part.string), ("retryable", Part.boolean)])
    }

    // MARK: Events

    private static func event(_ kind: EventKind) -> JSONValue {
        var members: [(String, JSONValue)] = [("event", Part.constant(kind.rawValue))]
        if !kind.isOfConnection { members.append(("seq", Part.count)) }
        if kind == .gap { members.append(("seq?", Part.count)) }
        members += [("time", Part.time), ("mono_ns", Part.count)]
        members += [("reader?", Part.string), ("attachment?", Part.count), ("simulated?", Part.boolean)]
        return Part.object(members + [("data", data(of: kind))])
    }

    private static func data(of kind: EventKind) -> JSONValue {
        switch kind {
        case .connect, .update: Part.named("reader")
        case .disconnect: Part.object([("reason", Part.words(DisconnectReason.self))])
        case .activate: Part.object([("result", Part.words(ActivationOutcome.self)), ("why?", Part.string)])
        case .deactivate: Part.object([("reason", Part.words(DeactivationReason.self))])
        case .ready: Part.object([("expires_at", Part.orNull(Part.time))])
        case .unready: Part.object([("reason", Part.words(UnreadyCause.self)), ("why?", Part.string)])
        case .swipeStart, .autodetectStart: Part.empty
        case .swipe: Part.named("swipe")
        case .autodetectComplete: Part.object([("result", Part.words(AutodetectResult.self))])
        case .testComplete: Part.object([("answered", Part.boolean), ("why?", Part.string)])
        case .prompt: Part.named("prompt")
        case .promptClosed:
            Part.object([("id", Part.string), ("end", Part.words(PromptEnd.self)), ("answer?", Part.string)])
        case .claimRequested: Part.object([("by", Part.named("claimant")), ("deadline", Part.time)])
        case .claimReleased:
            Part.object([("why", Part.words(ClaimEnd.self)), ("holder", Part.named("claimant"))])
        case .swipeUntaken:
            Part.object([("reason", Part.words(UntakenReason.self)), ("swipe_seq", Part.count)])
        case .gap:
            Part.object([("from", Part.count), ("to", Part.count), ("reason", Part.words(GapReason.self))])
        case .bye: Part.object([("code", Part.words(ByeCode.self))])
        }
    }

    // MARK: Requests

    private static func request(_ method: Method) -> JSONValue {
        let parameters = ProtocolSchema.parameters(of: method)
        let needsThem = parameters.contains { !$0.0.hasSuffix("?") }
        return Part.object([
            ("id?", id), ("method", Part.constant(method.rawValue)),
            (needsThem ? "params" : "params?", Part.object(parameters)),
        ])
    }

    private static let wildcard = JSONValue.string(Subscription.wildcard)
    private static let events = EventKind.allCases.map { JSONValue.string($0.rawValue) }

    /// The names of each method's parameters.
    static let parameterNames: [Method: Set<String>] = Dictionary(
        uniqueKeysWithValues: Method.allCases.map { method in
            (method, Set(parameters(of: method).map { String($0.0.prefix { $0 != "?" }) }))
        })

    private static func parameters(of method: Method) -> [(String, JSONValue)] {
        let reader: (String, JSONValue) = ("reader", Part.name())
        let seconds = Part.integer(in: ProtocolLimits.swipeTimeoutSeconds)
        switch method {
        case .subscribe:
            return [
                ("events?", Part.orAll(Part.array(["enum": .array([wildcard] + events)]))),
                ("readers?", Part.orAll(Part.array(Part.name(), maximum: ProtocolLimits.readersNamed))),
                ("snapshot?", Part.boolean),
                ("since?", Part.object([("instance", Part.name()), ("seq", Part.count)])),
            ]
        case .unsubscribe, .readers, .schema, .barrier, .ping, .reload: return []
        case .stats: return [("reader?", Part.name())]
        case .claim: return [reader, ("mode?", Part.words(ClaimMode.self)), ("token?", Part.name())]
        case .release, .retain, .activate, .deactivate, .cancelActivation, .cancelSwipe, .testCommunication,
            .autodetect, .get:
            return [reader]
        case .requestSwipe: return [reader, ("timeout_s?", seconds)]
        case .set:
            return [
                reader, ("always_accept_swipe?", Part.boolean), ("activate_on_attach?", Part.boolean),
                ("volume_to_max?", Part.boolean), ("activate_without_prompting?", Part.boolean),
                ("swipe_timeout_s?", seconds),
            ]
        case .setAudioReader: return [reader, ("type", Part.words(AudioReaderType.self))]
        case .answerPrompt: return [reader, ("prompt", Part.name()), ("answer", Part.name())]
        case .propertyGet: return [reader, ("name", Part.name())]
        case .propertySet: return [reader, ("name", Part.name()), ("value", .object(JSONObject()))]
        case .simulate:
            return [reader, ("action", Part.words(SimulatedAction.Kind.self)), ("card?", Part.name())]
        case .logLevel: return [("level?", Part.words(LogLevel.self))]
        }
    }
}
