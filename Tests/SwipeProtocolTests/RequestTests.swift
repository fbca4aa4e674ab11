import SwipeProtocol
import Testing

@Suite struct RequestTests {
    @Test(arguments: [
        (
            #"{"id":1,"method":"subscribe","params":{"events":["swipe"],"readers":["a"],"snapshot":true}}"#,
            "subscribe"
        ),
        (#"{"id":"x","method":"ping"}"#, "ping"),
        (#"{"method":"claim","params":{"reader":"a","mode":"try"}}"#, "claim"),
        (#"{"id":2,"method":"request_swipe","params":{"reader":"a","timeout_s":20}}"#, "request_swipe"),
        (#"{"id":2,"method":"set","params":{"reader":"a","swipe_timeout_s":3}}"#, "set"),
        (
            #"{"id":2,"method":"property_set","params":{"reader":"a","name":"n","value":[1,{"b":null}]}}"#,
            "property_set"
        ),
        (#"{"id":2,"method":"set","params":{"reader":"a","activate_without_prompting":true}}"#, "set"),
        (#"{"id":2,"method":"get","params":{"reader":"a"}}"#, "get"),
        (#"{"id":3,"method":"log_level","params":{"level":"debug"}}"#, "log_level"),
        (#"{"id":3,"method":"log_level","params":{}}"#, "log_level"),
    ]) func isTaken(_ line: String, as method: String) throws {
        let request = try Request(line: Array(line.utf8))
        #expect(request.call.method.rawValue == method)
        #expect(try Request(line: Array(request.line().text.utf8)) == request)
    }

    @Test(arguments: [
        ("", "line.invalid"), ("[]", "line.invalid"), ("{", "line.invalid"), ("\u{0}", "line.invalid"),
        (#"{"id":1,"id":2}"#, "line.invalid"), (#"{"id":01}"#, "line.invalid"),
        (#"{"a":"\ud800"}"#, "line.invalid"),
        ("{}", "request.invalid"), (#"{"id":true,"method":"ping"}"#, "request.invalid"),
        (#"{"id":1,"method":"ping","x":1}"#, "request.invalid"), (#"{"method":7}"#, "request.invalid"),
        (#"{"method":"reboot"}"#, "method.unknown"),
        (#"{"method":"ping","params":{"a":1}}"#, "params.unknown"),
        (#"{"method":"ping","params":[]}"#, "params.invalid"), (#"{"method":"claim"}"#, "params.invalid"),
        (#"{"method":"request_swipe","params":{"reader":"a","timeout_s":2}}"#, "params.invalid"),
        (
            #"{"method":"request_swipe","params":{"reader":"a","timeout_s":99999999999999999999}}"#,
            "params.invalid"
        ),
        (#"{"method":"subscribe","params":{"events":["nope"]}}"#, "params.invalid"),
        (#"{"method":"subscribe","params":{"events":"swipe"}}"#, "params.invalid"),
        (#"{"method":"subscribe","params":{"since":{"instance":"a","seq":-1}}}"#, "params.invalid"),
        (#"{"method":"set","params":{"reader":"a"}}"#, "params.invalid"),
        // A slip in a name is told before what is missing because of it.
        (#"{"method":"set","params":{"reader":"a","volume":true}}"#, "params.unknown"),
        (#"{"method":"claim","params":{"redaer":"a"}}"#, "params.unknown"),
        (#"{"method":"subscribe","params":{"events":["nope"],"reader":"a"}}"#, "params.unknown"),
        (#"{"method":"get","params":{}}"#, "params.invalid"),
    ]) func isRefused(_ line: String, with code: String) {
        #expect { try Request(line: Array(line.utf8)) } throws: { error in
            (error as? RequestError)?.reply.code.rawValue == code
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"events":"*","readers":"*"}"#, #"{"events":["*"],"readers":["*"]}"#,
        #"{"events":["swipe","*"],"readers":["a","*"]}"#, #"{"events":null,"readers":null}"#,
    ]) func anAsteriskMeansAll(_ parameters: String) throws {
        let line = Array(#"{"method":"subscribe","params":\#(parameters)}"#.utf8)
        let all = Subscription(wantsSnapshot: false)
        #expect(try Request(line: line).call == .subscribe(all))
        if !parameters.contains("null") {
            #expect(SchemaChecker().complaint(about: try JSONReader.value(of: line)) == nil)
        }
    }

    @Test(arguments: ["[]", "7", "null", #""ping""#]) func saysThatALineIsNoObject(_ line: String) {
        #expect { try Request(line: Array(line.utf8)) } throws: { error in
            (error as? RequestError)?.reply.message == "not an object"
        }
    }

    @Test func depthIsLimited() throws {
        let deep = { (depth: Int) in
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try JSONReader.value(of: deep(16))
        #expect(throws: JSONError.self) { try JSONReader.value(of: deep(17)) }
    }

    /// A name twice is one whose bytes come twice (RFC 8259, section 8.3): in one piece or in two, é is two names to every
    /// reader of JSON but one that normalises, and the kelvin sign is no K.
    @Test(arguments: [
        ("\u{E9}", "e\u{301}", false), ("K", "\u{212A}", false), ("\u{E9}", "\u{E9}", true),
        ("\u{E9}", #"\u00e9"#, true), ("a", #"\u0061"#, true),
    ]) func namesAreComparedByTheirBytes(_ one: String, _ other: String, _ isTwice: Bool) throws {
        let line = Array(#"{"method":"ping","params":{"\#(one)":1,"\#(other)":2}}"#.utf8)
        #expect { try Request(line: line) } throws: { error in
            (error as? RequestError)?.reply.code == (isTwice ? .lineInvalid : .parameterUnknown)
        }
        if !isTwice {
            let names = try JSONReader.value(of: line).object?["params"]?.object?.members.map {
                Array($0.name.utf8)
            }
            #expect(names == [Array(one.utf8), Array(other.utf8)])
        }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        for bytes: [UInt8] in [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
        ] {
            #expect(throws: JSONError.self) { try JSONReader.value(of: bytes) }
        }
    }

    /// Random changes to a good line: an answer each time, never a trap.
    @Test func damagedLinesNeverTrap() {
        var generator = SystemRandomNumberGenerator()
        let good = Array(
            #"{"id":1,"method":"subscribe","params":{"events":["*"],"since":{"instance":"é\n","seq":-1.5e3}}}"#
                .utf8)
        for _ in 0..<20_000 {
            var line = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                line[Int.random(in: 0..<line.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            line.removeLast(Int.random(in: 0..<line.count, using: &generator))
            _ = try? Request(line: line)
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (951_782_400_000_001, "2000-02-29T00:00:00.000001Z"),
            (1_769_851_800_123_456, "2026-01-31T09:30:00.123456Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        ] as [(Int64, String)]) func timesAreWritten(_ microseconds: Int64, as text: String)
    {
        #expect(WallTime(microseconds: microseconds).description == text)
        #expect(WallTime(text)?.microseconds == microseconds)
    }
}
