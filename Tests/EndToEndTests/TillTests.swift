import Foundation
import Testing

/// The example tills, run as they stand: a claim, a swipe, and every way to lose the reader.
@Suite(.serialized) struct TillTests {
    private static let reader = "virtual-till"

    @Test(
        .timeLimit(.minutes(5)), arguments: [["python3", "clients/python/till.py"], ["clients/shell/till"]])
    func holdsTheReaderAndCopesWithItsLoss(program: [String]) throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let rival = try daemon.connect()
        rival.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try rival.line()
        let till = try RunningProgram(program + [Self.reader, daemon.socket])
        #expect(till.firstLine() == "waiting for the reader: reader.unknown")
        let pipe = daemon.makePipe("reports")
        #expect(till.firstLine() == "please swipe")
        _ = try rival.lines(through: #""event":"ready""#)
        try writePipe(pipe, try VirtualSwipes.publishedReport())
        #expect(till.firstLine() == "thank you: 545230******7189")

        rival.send(#"{"id":2,"method":"claim","params":{"reader":"virtual-till"}}"#)
        #expect(till.firstLine() == "lost the reader: taken")
        rival.send(#"{"id":3,"method":"release","params":{"reader":"virtual-till"}}"#)
        #expect(till.firstLine() == "please swipe")

        try FileManager.default.removeItem(atPath: pipe)
        #expect(till.firstLine() == "lost the reader: reader_gone")
        #expect(till.firstLine() == "waiting for the reader: reader.unknown")
        _ = daemon.makePipe("reports")
        #expect(till.firstLine() == "please swipe")
        till.stop()
    }

    /// A till that was killed must not keep the reader: its connection goes with it.
    @Test(
        .timeLimit(.minutes(5)), arguments: [["python3", "clients/python/till.py"], ["clients/shell/till"]])
    func givesTheReaderBackWhenItIsEnded(program: [String]) throws {
        let daemon = try DaemonUnderTest("[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n")
        let rival = try daemon.connect()
        rival.send(#"{"id":1,"method":"subscribe"}"#)
        _ = daemon.makePipe("reports")
        _ = try rival.lines(through: #""event":"ready""#)
        let till = try RunningProgram(program + [Self.reader, daemon.socket])
        #expect(till.firstLine() == "please swipe")
        till.stop()
        #expect(try rival.lines(through: #""event":"claim_released""#).last?.contains("disconnected") == true)
    }
}
