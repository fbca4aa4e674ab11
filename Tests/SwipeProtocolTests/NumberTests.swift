import ReaderTesting
import SwipeProtocol
import Testing

/// Numbers by JSON's grammar, which sets no limit to them: in every place of a request.
@Suite struct NumberTests {
    /// A number by RFC 8259, section 6.
    static func number(_ random: inout SeededGenerator) -> String {
        func digits(_ most: Int) -> String {
            let count = Int.random(in: 1...most, using: &random)
            return String((0..<count).map { _ in "0123456789".randomElement(using: &random) ?? "0" })
        }
        let most = [1, 3, 20, 400].randomElement(using: &random) ?? 1
        var text = Bool.random(using: &random) ? "-" : ""
        if Int.random(in: 0..<4, using: &random) == 0 {
            text += "0"
        } else {
            text += String(Int.random(in: 1...9, using: &random)) + (most > 1 ? digits(most) : "")
        }
        if Int.random(in: 0..<3, using: &random) == 0 { text += "." + digits(most) }
        if Int.random(in: 0..<3, using: &random) == 0 {
            text += ["e", "E"].randomElement(using: &random) ?? "e"
            text += ["", "+", "-"].randomElement(using: &random) ?? ""
            text += digits(min(most, 30))
        }
        return text
    }

    /// Requests with a number in place of `#`, and the member that the answer has to name.
    static let places = [
        (##"{"id":7,"method":#}"##, "method"),
        (##"{"id":7,"method":"ping","params":#}"##, "params"),
        (##"{"id":7,"method":"ping","params":{"x":#}}"##, "x"),
        (##"{"id":7,"method":"ping","y":#}"##, "y"),
        (##"{"id":7,"method":"ping","params":{"deep":[[{"z":[1,#]}]]}}"##, "deep"),
        (##"{"id":7,"method":"subscribe","params":{"events":#}}"##, "events"),
        (##"{"id":7,"method":"subscribe","params":{"events":[#]}}"##, "events"),
        (##"{"id":7,"method":"subscribe","params":{"readers":["a",#]}}"##, "readers"),
        (##"{"id":7,"method":"subscribe","params":{"snapshot":#}}"##, "snapshot"),
        (##"{"id":7,"method":"subscribe","params":{"since":#}}"##, "since"),
        (##"{"id":7,"method":"subscribe","params":{"since":{"instance":#,"seq":1}}}"##, "since.instance"),
        (##"{"id":7,"method":"subscribe","params":{"since":{"instance":"a","seq":#}}}"##, "since.seq"),
        (##"{"id":7,"method":"claim","params":{"reader":#}}"##, "reader"),
        (##"{"id":7,"method":"claim","params":{"reader":"a","mode":#}}"##, "mode"),
        (##"{"id":7,"method":"claim","params":{"reader":"a","token":#}}"##, "token"),
        (##"{"id":7,"method":"request_swipe","params":{"reader":"a","timeout_s":#}}"##, "timeout_s"),
        (##"{"id":7,"method":"set","params":{"reader":"a","volume_to_max":#}}"##, "volume_to_max"),
        (##"{"id":7,"method":"set","params":{"reader":"a","swipe_timeout_s":#}}"##, "swipe_timeout_s"),
        (##"{"id":7,"method":"log_level","params":{"level":#}}"##, "level"),
        (##"{"id":7,"method":"property_get","params":{"reader":"a","name":#}}"##, "name"),
        (##"{"id":7,"method":"property_set","params":{"reader":"a","name":"n","value":#}}"##, "value"),
    ]

    /// Taken, or refused in words that name the member, to the `id` of the request.
    @Test(arguments: places) func aNumberIsNoReasonToLoseTheID(_ place: String, _ member: String) {
        var random = SeededGenerator(state: UInt64(place.utf8.count))
        for _ in 0..<400 {
            let number = Self.number(&random)
            let line = place.replacing("#", with: number)
            do throws(RequestError) {
                let request = try Request(line: Array(line.utf8))
                #expect(request.id == .integer(7))
            } catch {
                #expect(error.id == .integer(7), "\(line)")
                #expect(error.reply.code != .lineInvalid, "\(line)")
                #expect(error.reply.message.contains(member), "\(error.reply.message): \(line)")
            }
        }
    }

    /// An `id` comes back letter for letter, with an answer and with an error.
    @Test func anIDComesBackAsItWasSent() throws {
        var random = SeededGenerator(state: 12)
        var numbers = (0..<2_000).map { _ in Self.number(&random) }
        numbers += ["-0", "1e400", "-1E+400", "0.10", "9223372036854775807", "9223372036854775808", "1e2"]
        for number in numbers {
            let request = try Request(line: Array(#"{"id":\#(number),"method":"ping"}"#.utf8))
            let answer = Reply.line(id: request.id, result: EmptyResult()).text
            #expect(answer == #"{"id":\#(number),"result":{}}"# + "\n")
            #expect(SchemaChecker().complaint(about: try JSONReader.value(of: Array(answer.utf8))) == nil)
            #expect {
                try Request(line: Array(#"{"id":\#(number),"method":"dance"}"#.utf8))
            } throws: { error in
                (error as? RequestError)?.id == request.id
            }
        }
    }

    /// Whole numbers by what they are, whatever they look like, as JSON Schema's `integer` has it.
    @Test(
        arguments: [
            ("3", 3), ("3.0", 3), ("30e-1", 3), ("0.3e1", 3), ("3.5", nil), ("-0", 0), ("-0.0e400", 0),
            ("0e-99999999999999999999", 0), ("1e400", nil), ("1e-400", nil), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("9223372036854775808", nil), ("9223372036854775807.0", .max),
            ("9.223372036854775807e18", .max), ("922337203685477580.75e1", nil),
            ("1e99999999999999999999", nil),
            ("0.000000000000000000000000000012e31", 120), ("100000000000000000000e-19", 10),
        ] as [(String, Int64?)]) func wholeNumbers(_ text: String, _ whole: Int64?) throws
    {
        #expect(try JSONReader.value(of: Array(text.utf8)).integer == whole)
    }

    @Test(arguments: ["01", "-", "-01", "1.", ".5", "1e", "1e+", "+1", "1.e3", "0x1", "Infinity", "NaN"])
    func whatIsNoNumberIsRefused(_ text: String) {
        #expect(throws: JSONError.self) { try JSONReader.value(of: Array(text.utf8)) }
    }

    /// What a reader's property is set to goes on as it was written.
    @Test func aValueIsWrittenAsItWasRead() throws {
        var random = SeededGenerator(state: 3)
        for _ in 0..<500 {
            let number = Self.number(&random)
            var writer = JSONWriter()
            try JSONReader.value(of: Array("[\(number)]".utf8)).write(to: &writer)
            #expect(writer.finish().text == "[\(number)]\n")
        }
    }
}
