import CardData
import Foundation
import Testing
import WaveformSynthesis

/// While cards are swiped, neither the log at its most talkative nor anything that a masked client gets holds a
/// card number or a track's text.
@Suite(.serialized) struct SecrecyTests {
    private static let configuration = """
        [log]
        level = trace
        [access]
        masked = *
        [virtual-hid till]
        source = {}/reports
        [virtual-audio door]
        source = {}/sound

        """

    /// Whole texts and numbers, and every run of them that is longer than what a mask shows.
    private static let secrets = [
        "5452300551227189", "5163499080020445", "4266841088889999", "300551227", "499080020", "841088889",
        "08043210000000725", "080910110000046",
    ]

    @Test(arguments: ["masked", "status"])
    func nothingOfACardIsSaid(to view: String) throws {
        let text =
            view == "masked"
            ? Self.configuration : Self.configuration.replacing("masked = *", with: "masked =")
        let daemon = try DaemonUnderTest(text)
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let reports = daemon.makePipe("reports")
        _ = try client.lines(through: #""event":"ready""#)
        let sound = daemon.makePipe("sound")
        _ = try client.lines(through: #""event":"ready""#)
        try writePipe(reports, try VirtualSwipes.publishedReport())
        _ = try client.lines(through: #""event":"swipe""#)
        // Refused and broken ones: words about what is wrong are where a number slips out.
        for report in try Self.spoiltReports() {
            try writePipe(reports, report)
            _ = try client.lines(through: #""event":"swipe""#)
        }
        try writePipe(reports, Array(Self.hexadecimal("%B5452300551227189^HOGAN/PAUL").utf8) + [0x0A])
        try writePipe(sound, try VirtualSwipes.swipeSound(";4266841088889999=080910110000046?"))
        _ = try client.lines(through: #""event":"swipe","#)
        client.send(#"{"id":2,"method":"stats"}"#)
        client.send(#"{"id":3,"method":"readers"}"#)
        _ = try client.lines(through: #""id":3"#)
        #expect(daemon.terminate().status == 0)
        let said = client.received.joined(separator: "\n")
        #expect(said.contains("426684******9999") == (view == "masked"))
        for secret in Self.secrets {
            #expect(!said.contains(secret), "the client got \(secret)")
            #expect(!daemon.logged.contains(secret), "the log has \(secret)")
        }
        #expect(daemon.logged.contains("event=reader.swipe"))
        #expect(daemon.logged.contains("event=reader.malformed"))
    }

    private static func hexadecimal(_ text: String) -> String {
        text.utf8.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// The published report with its first track's text spoilt in the middle, without its end, and in a format that no
    /// card has.
    private static func spoiltReports() throws -> [[UInt8]] {
        let good = String(decoding: try VirtualSwipes.publishedReport(), as: UTF8.self).uppercased()
        return [
            (#"^HOGAN"#, "\u{1}HOGAN"), ("7250?", "72500"), ("%B", "%Z"),
        ].map {
            Array(good.replacing(hexadecimal($0.0).uppercased(), with: hexadecimal($0.1).uppercased()).utf8)
        }
    }

    /// The same swipe in full, so that the test above cannot pass for want of a card.
    @Test func theFullViewHasIt() throws {
        let daemon = try DaemonUnderTest(Self.configuration.replacing("masked = *", with: "full = *"))
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let reports = daemon.makePipe("reports")
        _ = try client.lines(through: #""event":"ready""#)
        try writePipe(reports, try VirtualSwipes.publishedReport())
        let line = try client.lines(through: #""event":"swipe""#).last ?? ""
        #expect(line.contains(#""number":"5452300551227189""#))
        #expect(line.contains(#""text":";5452300551227189=080432100000007250?""#))
        #expect(!daemon.logged.contains("5452300551227189"))
    }
}
