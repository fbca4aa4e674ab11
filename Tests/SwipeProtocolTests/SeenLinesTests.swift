import Testing

@testable import SwipeProtocol

/// Lines are held against the schema once for each form.
@Suite struct SeenLinesTests {
    private static let ready =
        #"{"event":"ready","seq":7,"time":"2026-01-31T09:30:00.123456Z","mono_ns":7,"data":{"expires_at":null}}"#

    @Test func aLineThatFitsHasNoComplaint() {
        var seen = SeenLines()
        for line in [Self.ready, Self.ready + "\n", Self.ready.replacing("7", with: "8")] {
            #expect(seen.complaint(about: line) == nil)
        }
    }

    /// Each differs from a line that was right in more than digits, and is looked at.
    @Test(arguments: [
        (#""ready""#, #""reddy""#), ("7", #""7""#), ("7", "-7"), ("7", "7.5"), ("null", "7"),
        ("null", "true"),
        (".123456Z", ".12345Z"), (".123456Z", ".1234567Z"), ("09:30", "09-30"), ("}}", "}"), ("}}", "}}}"),
        (#""data""#, #""date""#), ("7", "\u{663}"),
    ]) func whatDoesNotFitIsFoundBehindOneThatDoes(_ word: String, _ other: String) {
        var seen = SeenLines()
        #expect(seen.complaint(about: Self.ready) == nil)
        let wrong = Self.ready.replacing(word, with: other, maxReplacements: 1)
        #expect(wrong != Self.ready)
        // A line that is wrong is wrong again: it is not remembered as one that was looked at.
        for _ in 0..<2 { #expect(seen.complaint(about: wrong) != nil) }
    }

    /// Every byte but the digits stays as it is, wherever in a word of eight it stands.
    @Test func aFormHasNoDigits() {
        let bytes = (0x20...0x7E).map { UInt8($0) } + Array("äß\u{1F4B3}".utf8)
        for start in 0..<9 {
            let text = String(
                decoding: Array(repeating: UInt8(ascii: "x"), count: start) + bytes, as: UTF8.self)
            let form = Array(text.utf8).withUnsafeBytes { SeenLines.form(of: $0) }
            let expected = String(text.map { ("0"..."9").contains($0) ? "0" : $0 })
            #expect(form == expected)
        }
    }

    /// What a form does not show: that a number is too large. None that the daemon says may only be so large.
    @Test func noNumberOfTheDaemonHasAnEnd() throws {
        let definitions = try #require(ProtocolSchema.document.object?["$defs"]?.object).members
        #expect(Self.ends(in: .object(JSONObject(definitions.filter { $0.name == "request" }))) > 0)
        for definition in definitions where definition.name != "request" {
            #expect(Self.ends(in: definition.value) == 0, "\(definition.name)")
        }
    }

    /// Numbers in a schema that have a largest value, or a least one that is not 0.
    private static func ends(in schema: JSONValue) -> Int {
        let members = schema.object?.members ?? []
        let own = members.filter { $0.name == "maximum" || $0.name == "minimum" && $0.value != 0 }
        return own.count + (members.map(\.value) + (schema.array ?? [])).reduce(0) { $0 + ends(in: $1) }
    }

    /// The answer to one method does not pass for that of another.
    @Test func anAnswerIsOneToItsMethod() throws {
        var seen = SeenLines()
        let line = Array(#"{"id":1,"result":{}}"#.utf8)
        line.withUnsafeBytes {
            #expect(seen.complaint(about: $0, answering: .ping) == nil)
            #expect(seen.complaint(about: $0) == nil)
            #expect(seen.complaint(about: $0, answering: .readers) != nil)
        }
    }
}
