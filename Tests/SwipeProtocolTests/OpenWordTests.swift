import CardData
import SwipeProtocol
import Testing

/// A later daemon may say words that this version does not know: what holds them is read all the same.
struct OpenWordTests {
    private func body(_ name: String, _ data: String) throws -> EventBody {
        var body = EventBody(blank: name)
        try body.read(try JSONReader.value(of: Array(data.utf8)))
        return body
    }

    static let claimant = Claimant(uid: 1, pid: 2, connection: 3)
    static let prompt = Prompt(
        id: "p", kind: .unrecognized, text: "Sing?", answers: ["accept", "decline"])

    @Test(
        arguments: [
            ("disconnect", #"{"reason":"word"}"#, .disconnect(.unrecognized)),
            ("activate", #"{"result":"word","why":"w"}"#, .activate(.unrecognized, why: "w")),
            ("deactivate", #"{"reason":"word"}"#, .deactivate(.unrecognized)),
            ("unready", #"{"reason":"word"}"#, .unready(.unrecognized)),
            ("autodetect_complete", #"{"result":"word"}"#, .autodetectComplete(.unrecognized)),
            (
                "prompt",
                #"{"id":"p","kind":"word","text":"Sing?","answers":["accept","decline"],"expires_at":null}"#,
                .prompt(OpenWordTests.prompt)
            ),
            ("prompt_closed", #"{"id":"p","end":"word"}"#, .promptClosed(id: "p", .unrecognized)),
            (
                "claim_released", #"{"why":"word","holder":{"uid":1,"pid":2,"connection":3}}"#,
                .claimReleased(.unrecognized, holder: OpenWordTests.claimant)
            ),
            ("swipe_untaken", #"{"reason":"word","swipe_seq":3}"#, .swipeUntaken(.unrecognized, swipe: 3)),
            ("gap", #"{"from":1,"to":2,"reason":"word"}"#, .gap(from: 1, to: 2, .unrecognized)),
            ("bye", #"{"code":"word"}"#, .bye(.unrecognized)),
        ] as [(String, String, EventBody)])
    func anEventKeepsTheRest(_ name: String, _ data: String, _ expected: EventBody) throws {
        #expect(try body(name, data) == expected)
        // A value that is no word at all is no later version's.
        #expect(throws: WireError.self) { try body(name, data.replacing(#""word""#, with: "7")) }
    }

    /// Whoever shows states or sells must not be told more than the daemon said.
    @Test(arguments: [
        ("ready", "false", "false", ReaderState.ready), ("dreaming", "true", "true", .ready),
        ("dreaming", "true", "false", .active), ("dreaming", "false", "false", .connected),
    ])
    func aReaderKeepsItsConditions(
        _ state: String, _ isActivated: String, _ isReady: String, _ expected: ReaderState
    ) throws {
        let event = try body(
            "connect",
            """
            {"id":"r","kind":"k","model":"m","serial":null,"bus":"wifi","held":"chained","encryption":"quantum","state":"\(state)",
            "is_connected":true,"is_activated":\(isActivated),"is_ready_for_swipe":\(isReady),"attachment":1}
            """)
        let reader = ReaderInfo(
            id: "r", kind: "k", model: "m", bus: .other, encryption: .unknown, state: expected)
        #expect(event == .connect(reader))
    }

    @Test func aSwipeKeepsItsCard() throws {
        let event = try body(
            "swipe",
            """
            {"card":{"kind":"loyalty","format":"f"},"tracks":[{"track":2,"status":"faint","masked":";1?"}],
            "encryption":null,"quality":{"direction":"sideways","repaired_bits":1,"hint":"wet"}}
            """)
        let swipe = SwipeData(
            card: CardInfo(kind: .other, format: "f"),
            tracks: [TrackInfo(track: 2, status: .malformed, masked: ";1?")],
            quality: SwipeQuality(repairedBits: 1))
        #expect(event == .swipe(swipe))
    }

    @Test func noWordOfOursIsTheOneForUnknownOnes() {
        #expect(ByeCode.words == ["shutdown", "slow_client", "too_long", "too_many", "denied"])
    }

    /// The greeting of another version need not have anything else that this one knows.
    @Test func anotherVersionIsRecognized() throws {
        let line = Array(#"{"hello":{"protocol":"swipe/2","you":7}}"#.utf8)
        #expect(try ServerMessage(line: line) == .otherVersion("swipe/2"))
    }
}
