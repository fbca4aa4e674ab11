import SwipeProtocol
import Testing

/// What each method answers, held against the schema of its own answer: right ones fit, those of other methods do not.
@Suite struct ResultSchemaTests {
    private static let empty = EmptyResult()
    private static let input = AudioInputInfo(
        id: "audio-Headset", device: "hw:CARD=Headset", type: .unimag, jack: "Mic Jack", isPluggedIn: false,
        isListening: false, why: "nothing is in the jack", isAssumed: true)

    private static let settings = SettingsInForce(
        type: SettingInForce(.unimag, from: .found), alwaysAcceptSwipe: SettingInForce(true, from: .set),
        activateOnAttach: SettingInForce(false, from: .configuration),
        volumeToMax: SettingInForce(true, from: .configuration),
        activateWithoutPrompting: SettingInForce(true, from: .set),
        swipeTimeoutSeconds: SettingInForce(3, from: .set),
        promptTimeoutSeconds: SettingInForce(600, from: .configuration))

    /// What is written is read back, and what a later daemon says besides breaks nothing.
    @Test func settingsAreReadBack() throws {
        var writer = JSONWriter()
        Self.settings.write(to: &writer)
        let text = writer.finish().text
        #expect(try SettingsInForce(json: JSONReader.value(of: Array(text.utf8))) == Self.settings)
        let later = text.replacing(#""unimag","source":"found""#, with: #""square","source":"guessed""#)
        let read = try SettingsInForce(json: JSONReader.value(of: Array(later.utf8)))
        #expect(read.type == SettingInForce(.autodetect, from: .unrecognized))
    }

    /// Every form an answer can have, by method.
    private static func answers(of method: Method) -> [any JSONEncodable] {
        switch method {
        case .unsubscribe, .release, .retain, .barrier, .ping, .reload: [empty]
        case .logLevel: [ControlResult.logLevel(.debug)]
        case .get: [ControlResult.settings(settings)]
        case .levels: [ControlResult.levels([]), ControlResult.levels(Samples.levels)]
        case .subscribe:
            [Snapshot(sequence: 3, readers: nil), Snapshot(sequence: 3, readers: [Samples.reader])]
        case .narrow: [Hello.You(uid: 1000, roles: [.status], connection: 7)]
        case .readers:
            [
                ReaderList(readers: [], audioInputs: []),
                ReaderList(readers: [Samples.reader], audioInputs: [input]),
                ReaderList(
                    readers: [], audioInputs: [],
                    unusedInputs: [UnusedInputInfo(section: "a", device: "b", why: "c")]),
            ]
        case .claim: [ClaimGrant(reader: "x", token: "5f0c")]
        case .stats: [SampleStatistics()]
        case .schema: [ProtocolSchema.document]
        case .activate, .deactivate, .cancelActivation, .requestSwipe, .cancelSwipe, .set, .testCommunication,
            .setAudioReader, .autodetect, .answerPrompt:
            [ControlResult.taken(), ControlResult.taken(warning: "loud")]
        case .propertyGet, .propertySet:
            [ControlResult.property(name: "x", value: "y"), ControlResult.property(name: "x", value: 7)]
        case .simulate: [ControlResult.taken(), ControlResult.swiped(card: "visa")]
        }
    }

    /// What `stats` answers.
    private struct SampleStatistics: JSONEncodable {
        func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.field("server", ServerFigures(isMemoryLocked: true) { _ in 1 })
            writer.name("readers")
            writer.beginObject()
            writer.field("a", ReaderFigures(tracks: [.ok: 1]) { _ in 1 })
            writer.endObject()
            writer.endObject()
        }
    }

    private static func json(_ answer: any JSONEncodable) throws -> JSONValue {
        try JSONReader.value(of: Array(Reply.line(id: .integer(1), result: answer).text.utf8))
    }

    @Test(arguments: Method.allCases) func whatAMethodAnswersFits(_ method: Method) throws {
        for answer in Self.answers(of: method) {
            let line = try Self.json(answer)
            #expect(SchemaChecker().complaint(about: line) == nil)
            let result = try #require(line.object?["result"])
            #expect(SchemaChecker().complaint(about: result, answering: method) == nil)
        }
    }

    @Test(arguments: Method.allCases) func whatAnotherMethodAnswersDoesNot(_ method: Method) throws {
        let own = Set(try Self.answers(of: method).map { try Self.json($0) })
        var foreign: Set<JSONValue> = []
        for other in Method.allCases {
            foreign.formUnion(try Self.answers(of: other).map { try Self.json($0) })
        }
        var refused = 0
        for answer in foreign.subtracting(own) {
            let result = try #require(answer.object?["result"])
            if SchemaChecker().complaint(about: result, answering: method) != nil { refused += 1 }
        }
        // Where nothing has to be in it, an empty one fits as well; it is among the method's own then.
        #expect(refused == foreign.subtracting(own).count)
    }

    @Test(arguments: [
        (Method.ping, "1"), (.ping, #"{"done":true}"#), (.claim, #"{"reader":"x"}"#),
        (.claim, #"{"reader":"x","token":7}"#), (.subscribe, "{}"), (.subscribe, #"{"seq":-1}"#),
        (.readers, #"{"readers":[{"id":"x"}]}"#), (.stats, #"{"server":{},"readers":{}}"#),
        (.activate, #"{"warning":null}"#), (.propertyGet, #"{"name":"x"}"#),
        (.propertyGet, #"{"name":"x","value":[1]}"#), (.simulate, #"{"card":1}"#), (.schema, "{}"),
        (.schema, "[]"),
    ]) func aWrongAnswerDoesNotFit(_ method: Method, _ result: String) throws {
        let value = try JSONReader.value(of: Array(result.utf8))
        #expect(SchemaChecker().complaint(about: value, answering: method) != nil)
    }

    /// A result without a schema of its own would fit anything.
    @Test func noDefinitionLetsEverythingThrough() throws {
        let definitions = try #require(ProtocolSchema.document.object?["$defs"]?.object)
        for member in definitions.members {
            let checker = SchemaChecker(member.value)
            #expect(checker.complaint(about: ["nobody_has_this": 1]) != nil, "\(member.name)")
        }
    }

    /// A rule that the checker does not know must not pass for a rule that is kept.
    @Test func aRuleThatIsNotKnownIsNotKept() {
        #expect(SchemaChecker(["multipleOf": 2]).complaint(about: 4) != nil)
    }
}
