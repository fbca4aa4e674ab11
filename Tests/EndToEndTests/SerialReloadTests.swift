import Foundation
import TestSupport
import Testing

/// A reload that moves a section: each reader is attached once, under the name and on the line that it has now.
@Suite(.serialized) struct SerialReloadTests {
    private static let card = ";4111111111111111=29121010000000000?"

    private struct Bench {
        let daemon: DaemonUnderTest
        let client: LineClient
        let terminals: [PseudoTerminal]

        /// Sections by the numbers of their lines.
        init(_ sections: [(name: String, line: Int)]) throws {
            // The first few have numbers that another test's terminal may have had just now, and its daemon still a link to.
            terminals = try (0..<12).map { _ in try PseudoTerminal() }.reversed()
            daemon = try DaemonUnderTest("[access]\nadmin = *\n")
            client = try daemon.connect()
            client.send(#"{"id":1,"method":"subscribe"}"#)
            _ = try client.line()
            _ = try reload(sections)
        }

        /// Takes other sections over, and gives what was told until so many readers were ready.
        func reload(_ sections: [(name: String, line: Int)]) throws -> [String] {
            try daemon.configure(
                "[access]\nadmin = *\n"
                    + sections.map {
                        "[serial-reader \($0.name)]\ntype = text-line\ndevice = \(terminals[$0.line].path)\n"
                    }.joined())
            client.send(#"{"id":"r","method":"reload"}"#)
            _ = try client.answer(#"{"id":"r""#)
            var told: [String] = []
            for _ in sections { told += try client.lines(through: #""event":"ready""#) }
            return told
        }

        /// What was told from a swipe on a line on, and until it was told.
        func swipe(on line: Int) throws -> [String] {
            terminals[line].send(Array((SerialReloadTests.card + "\r").utf8))
            return try client.lines(through: #""event":"swipe""#)
        }
    }

    /// Renamed, to another line, both, and two sections that change places.
    @Test(
        arguments: [
            ([("till", 0)], [("desk", 0)]), ([("till", 0)], [("till", 1)]), ([("till", 0)], [("desk", 1)]),
            ([("till", 0), ("desk", 1)], [("till", 1), ("desk", 0)]),
        ] as [([(name: String, line: Int)], [(name: String, line: Int)])])
    func moved(before: [(name: String, line: Int)], after: [(name: String, line: Int)]) throws {
        let bench = try Bench(before)
        for section in before { _ = try bench.swipe(on: section.line) }
        var told = try bench.reload(after)
        for section in after {
            told += try bench.swipe(on: section.line)
            #expect(told.last?.contains(#""reader":"serial-\#(section.name)""#) == true)
        }
        func count(_ event: String) -> Int { told.count { $0.contains(#""event":"\#(event)""#) } }
        #expect(count("connect") == after.count && count("disconnect") == before.count, "\(told)")
        #expect(count("ready") == after.count && count("swipe") == after.count)
        #expect(!told.contains { $0.contains("is in use") })
        #expect(!bench.daemon.logged.contains("reader.input_unused"))
        #expect(bench.daemon.terminate().status == 0)
    }

    /// A virtual reader that keeps its name, and has another source, or is of another kind.
    @Test func aVirtualReaderThatChanges() throws {
        let daemon = try DaemonUnderTest("[access]\nadmin = *\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let reports = try Data(
            contentsOf: BuiltProgram.root.appending(path: "Tests/Vectors/MSR605/generated/msr605x_raw.hex"))
        let text = Data((Self.card + "\r").utf8)
        for (section, source, bytes) in [
            ("virtual-serial till]\ntype = text-line", "one", text),
            ("virtual-serial till]\ntype = text-line", "other", text),
            ("virtual-hid till]\ndevice = 0801:0003", "other", reports),
            ("virtual-serial till]\ntype = text-line", "other", text),
        ] {
            let pipe = daemon.makePipe(source)
            try daemon.configure("[access]\nadmin = *\n[\(section)\nsource = {}/\(source)\n")
            client.send(#"{"id":"r","method":"reload"}"#)
            _ = try client.answer(#"{"id":"r""#)
            var told = try client.lines(through: #""event":"ready""#)
            try writePipe(pipe, bytes)
            told += try client.lines(through: #""event":"swipe""#)
            #expect(told.count { $0.contains(#""event":"connect""#) } == 1, "\(told)")
        }
        #expect(daemon.terminate().status == 0)
    }
}
