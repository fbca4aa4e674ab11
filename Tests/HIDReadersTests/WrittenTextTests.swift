import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import Captures
@testable import HIDReaders

/// Whatever stands in a track's alphabet comes out of a text as it went in, or is refused: never another text.
@Suite struct WrittenTextTests {
    /// How somebody writes a swipe's two tracks down.
    struct Form: Sendable, CustomTestStringConvertible {
        var name: String
        /// Whether every text is read, or some are refused, for nothing tells whose its quotes and backslashes are.
        var isPlain: Bool
        var write: @Sendable (_ track1: String, _ track2: String) -> String
        var testDescription: String { name }
    }

    private static func plain(
        _ name: String, _ write: @escaping @Sendable (_ track1: String, _ track2: String) -> String
    ) -> Form { Form(name: name, isPlain: true, write: write) }

    private static func doubtful(
        _ name: String, _ write: @escaping @Sendable (_ track1: String, _ track2: String) -> String
    ) -> Form { Form(name: name, isPlain: false, write: write) }

    static let forms = [
        plain("a line") { "\($0)\($1)\n" }, plain("no line end") { $0 + $1 },
        plain("CR LF") { "\($0)\($1)\r\n" }, plain("two lines") { "\($0)\n\($1)\n" },
        plain("twice") { "\($0)\($1)\n\($0)\($1)\n" },
        plain("labels") { "Track 1: \($0)\nTrack 2: \($1)\n" },
        plain("a log") { "2026-01-31 09:30:00 \($0)\($1)\n" },
        plain("a number sign") { "Swipe #1: \($0)\($1)\n" },
        plain("an ampersand") { "A&B \($0)\($1)\n" }, plain("a plus") { "+1 555 \($0)\($1)\n" },
        plain("between tracks") { "\($0) #2 \($1)\n" }, plain("commas") { "1,\($0),\($1)\n" },
        plain("tabs") { "1\t\($0)\t\($1)\n" }, plain("words behind") { "\($0)\($1) (John's \"second\")\n" },
        doubtful("CDATA") { "<![CDATA[\($0)\($1)]]>\n" },
        plain("JSON") { "{\"track1\": \"\(escaped($0))\", \"track2\": \"\($1)\"}\n" },
        plain("PHP's JSON") {
            "{\"track1\":\"\(escaped($0).replacing("/", with: "\\/"))\",\"track2\":\"\($1)\"}\n"
        },
        plain("hex") { CaptureTexts.hex(Array(($0 + $1).utf8)).joined() },
        plain("base64") { CaptureTexts.base64(Array(($0 + $1).utf8)) },
        plain("a shell's bytes") { "b'" + escaped($0 + $1, "'") + "'\n" },
        doubtful("quotes") { "\"\($0)\($1)\"\n" }, doubtful("apostrophes") { "'\($0)\($1)'\n" },
        doubtful("a value in quotes") { "swipe=\"\($0)\($1)\";\n" },
        doubtful("CSV") { "1,\"\($0.replacing("\"", with: "\"\""))\",\"\($1)\"\n" },
        doubtful("C") { "char *swipe = \"\(escaped($0 + $1))\";\n" },
        doubtful("a page") {
            "<td>"
                + $0.replacing("&", with: "&amp;").replacing("\"", with: "&#34;").replacing("<", with: "&lt;")
                + "</td><td>\($1)</td>\n"
        },
        doubtful("a form") { "amount=1.00&track=\(percent($0 + $1, blank: "+"))\n" },
        doubtful("JavaScript's escape") { "track=\(percent($0 + $1, blank: "%20", kept: "+/@*-_."))\n" },
    ]

    private static func escaped(_ text: String, _ quote: String = "\"") -> String {
        text.replacing("\\", with: "\\\\").replacing(quote, with: "\\" + quote)
    }

    private static func percent(_ text: String, blank: String, kept: String = "*-_.") -> String {
        text.map { character in
            let isKept = character.isASCII && (character.isLetter || character.isNumber)
            if isKept || kept.contains(character) { return String(character) }
            if character == " " { return blank }
            return "%" + CaptureTexts.hex(Array(String(character).utf8)).joined().uppercased()
        }.joined()
    }

    private static let track2 = ";4111111111111111=25121010000000000000?"
    /// ISO/IEC 7811-2, the alphabet of track 1 without its end sentinel and separator, the marks of programs thrice as often.
    private static let alphabet =
        (UInt8(0x20)...0x5F).filter { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "^") }
        + Array(repeating: Array("\\\"'#$&+;%@/ 01".utf8), count: 3).flatMap(\.self)

    /// Blanks at both ends of a name, too.
    private static func track1(_ numbers: inout SeededGenerator) -> String {
        func text(_ length: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: length, using: &numbers)).map { _ in
                alphabet[Int.random(in: alphabet.indices, using: &numbers)]
            }
        }
        let name = text(2...26)
        let rest = text(0...15)
        return String(
            decoding: Array("%B4111111111111111^".utf8) + name + Array("^2512101".utf8) + rest + [0x3F],
            as: UTF8.self)
    }

    @Test(arguments: forms) func noTextBecomesAnother(form: Form) {
        var numbers = SeededGenerator(state: 18)
        var read = 0
        for _ in 0..<120 {
            let track1 = Self.track1(&numbers)
            let found = FoundCaptures.found(Array(form.write(track1, Self.track2).utf8))
            let texts = found.flatMap(\.swipe.tracks).compactMap { $0.text?.reveal() }
            #expect(texts.allSatisfy { $0 == track1 || $0 == Self.track2 }, "\(track1)")
            if texts.contains(track1) { read += 1 }
        }
        #expect(form.isPlain ? read == 120 : read > 0 && read < 120)
    }

    @Test(arguments: [#"DOE\JOHN"#, #"DOE"A/B"#, #"DOE\\J"#, #"\0\x41"#, #""""#, #" 'O''B' "#])
    func theCardsOwnMarksStay(name: String) {
        let track1 = "%B4111111111111111^\(name.uppercased())^25121010000000000000?"
        for text in [track1, track1 + "\n" + track1, track1 + Self.track2] {
            let tracks = FoundCaptures.found(Array(text.utf8)).flatMap(\.swipe.tracks)
            #expect(tracks.first?.text?.reveal() == track1)
        }
    }

    @Test func whatCannotBeToldIsRefusedByName() {
        let text = #""%B4111111111111111^DOE\\JOHN^25121010000000000000?""#
        #expect(HIDCapture.outcomes(in: Array(text.utf8)) == [.failure(.twoTexts)])
    }

    /// A key that no table names typed some character: the track is not the others.
    @Test func anUnknownKeyIsNoCharacterLess() throws {
        let text = Self.track2 + "\r"
        var reports = try KeyReports.reports(text, isQuick: false)
        #expect(FoundCaptures.found(reports.flatMap(\.self)).first?.swipe.readTracks == 1)
        reports.insert([0, 0, 0x3A, 0, 0, 0, 0, 0], at: 20)
        #expect(FoundCaptures.found(reports.flatMap(\.self)).allSatisfy { $0.swipe.readTracks == 0 })
    }
}
