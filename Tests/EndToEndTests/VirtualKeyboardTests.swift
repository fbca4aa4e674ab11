import Foundation
import KeyboardReaders
import ReaderTesting
import TestSupport
import Testing

/// Readers that type: the built daemon, keys written to a virtual one.
@Suite(.serialized) struct VirtualKeyboardTests {
    private static let card =
        "%B4111111111111111^DOE/JANE^29121010000000000000?;4111111111111111=29121010000000000?"

    private static func daemon(_ settings: String = "") throws -> (DaemonUnderTest, LineClient) {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\nadmin = *\n[virtual-keyboard desk]\nsource = {}/keys\n\(settings)")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        return (daemon, client)
    }

    private static func keys(_ text: String) throws -> [[UInt8]] {
        try #require(KeyTyping().reports(text.utf8))
    }

    private static func lines(_ reports: [[UInt8]]) -> [UInt8] {
        reports.flatMap { report in
            Array(report.map { String(format: "%02x", $0) }.joined(separator: " ").utf8) + [0x0A]
        }
    }

    /// Plugged in, swiped on, pulled out, again and again: the same events as any reader's, as hex and as bytes.
    @Test func swipesAreEvents() throws {
        let (daemon, client) = try Self.daemon()
        let reports = try Self.keys(Self.card + "\r")
        for attachment in 1...3 {
            let pipe = daemon.makePipe("keys")
            let plugged = try client.lines(through: #""event":"ready""#)
            #expect(plugged.count == 3)
            #expect(plugged.first?.contains(#""reader":"virtual-desk","attachment":\#(attachment)"#) == true)
            #expect(plugged.first?.contains(#""kind":"keyboard""#) == true)
            for number in 0..<4 {
                try writePipe(pipe, number.isMultiple(of: 2) ? Self.lines(reports) : reports.flatMap(\.self))
                let swipe = try client.lines(through: #""event":"swipe""#)
                #expect(swipe.count == 1)
                #expect(swipe.first?.contains(#""simulated":true"#) == true)
                #expect(swipe.first?.contains("411111******1111") == true)
            }
            try FileManager.default.removeItem(atPath: pipe)
            #expect(try client.lines(through: #""event":"disconnect""#).count == 3)
        }
        #expect(!daemon.logged.contains("4111111111111111"))
        #expect(daemon.terminate().status == 0)
    }

    /// What a person types is told by its number, in the log and nowhere by its content.
    @Test func whatAPersonTypes() throws {
        let (daemon, client) = try Self.daemon()
        let pipe = daemon.makePipe("keys")
        _ = try client.lines(through: #""event":"ready""#)
        try writePipe(pipe, Self.lines(try Self.keys("correct horse battery staple\r")))
        while !daemon.logged.contains("event=reader.malformed") { usleep(10_000) }
        #expect(daemon.logged.contains("29 keys that are no swipe"))
        #expect(!daemon.logged.contains("horse"))
        try writePipe(pipe, Self.lines(try Self.keys(Self.card + "\r")))
        #expect(try client.lines(through: #""event":"swipe""#).last?.contains("411111******1111") == true)
        #expect(daemon.terminate().status == 0)
    }

    /// `simulate` types its cards in the section's layout.
    @Test(arguments: ["us", "fr", "auto"]) func simulated(layout: String) throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\nadmin = *\n[virtual-keyboard desk]\nsource = {}/keys\nlayout = \(layout)\n",
            arguments: ["--allow-simulate"])
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        client.send(#"{"id":"c","method":"simulate","params":{"reader":"virtual-desk","action":"connect"}}"#)
        _ = try client.lines(through: #""event":"ready""#)
        client.send(#"{"id":"s","method":"simulate","params":{"reader":"virtual-desk","action":"swipe"}}"#)
        #expect(try client.lines(through: #""event":"swipe""#).last?.contains("476173******0011") == true)
        #expect(daemon.terminate().status == 0)
    }
}
