import Foundation
import ReaderTesting
import TestSupport
import Testing

/// Readers on a line: the built daemon, the kernel's terminals, a reader of software at the far end.
@Suite(.serialized) struct SerialReaderTests {
    private static let card =
        "%B4111111111111111^DOE/JANE^29121010000000000000?;4111111111111111=29121010000000000?"

    private static func daemon(_ settings: String) throws -> (DaemonUnderTest, LineClient) {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\n[serial-reader till]\ndevice = {}/line\n\(settings)")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        return (daemon, client)
    }

    private static func plug(_ terminal: PseudoTerminal, into daemon: DaemonUnderTest) {
        let link = daemon.folder.appending(path: "line").path
        symlink(terminal.path, link + "~")
        rename(link + "~", link)
    }

    private static func unplug(_ terminal: PseudoTerminal, _ daemon: DaemonUnderTest) {
        terminal.hangUp()
        unlink(daemon.folder.appending(path: "line").path)
    }

    /// Plug, swipe, hang-up and replug under another node, again and again: one reader, no ghost, no swipe lost or doubled.
    @Test func textOnALine() throws {
        let (daemon, client) = try Self.daemon("type = text-line\n")
        for attachment in 1...5 {
            let terminal = try PseudoTerminal()
            Self.plug(terminal, into: daemon)
            let plugged = try client.lines(through: #""event":"ready""#)
            #expect(plugged.count == 3)
            #expect(plugged.first?.contains(#""bus":"serial""#) == true)
            #expect(plugged.first?.contains(#""reader":"serial-till","attachment":\#(attachment)"#) == true)
            for _ in 0..<3 {
                terminal.send(Array((Self.card + "\r").utf8))
                let swipe = try client.lines(through: #""event":"swipe""#)
                #expect(swipe.count == 1)
                #expect(swipe.first?.contains("411111******1111") == true)
            }
            Self.unplug(terminal, daemon)
            #expect(try client.lines(through: #""event":"disconnect""#).count == 3)
        }
        #expect(!daemon.logged.contains("4111111111111111"))
        #expect(daemon.terminate().status == 0)
    }

    /// The name goes first, as where udev is faster than the line: what waits for its silence is told, half of one is not.
    @Test(arguments: [0, 20, 100]) func theNameGoesRightAfterASwipe(milliseconds: UInt32) throws {
        let (daemon, client) = try Self.daemon("type = text-line\n")
        for swipe in ["\(Self.card)\r", ";4111111111111111=2912"] {
            let terminal = try PseudoTerminal()
            Self.plug(terminal, into: daemon)
            _ = try client.lines(through: #""event":"ready""#)
            terminal.send(Array((Self.card + "\r").utf8))
            #expect(try client.lines(through: #""event":"swipe""#).count == 1)
            terminal.send(Array(swipe.utf8))
            usleep(1000 * milliseconds)
            unlink(daemon.folder.appending(path: "line").path)
            let told = try client.lines(through: #""event":"disconnect""#)
            #expect(told.count { $0.contains(#""event":"swipe""#) } == (swipe.hasSuffix("\r") ? 1 : 0))
        }
        #expect(daemon.terminate().status == 0)
    }

    @Test func somebodyElsesLineIsTold() throws {
        let terminal = try PseudoTerminal()
        let other = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let (daemon, client) = try Self.daemon("type = text-line\n")
        Self.plug(terminal, into: daemon)
        let told = try client.lines(through: #""event":"activate""#)
        #expect(told.last?.contains("is in use") == true)
        // By name: this test's process.
        #expect(told.last?.contains("(process \(getpid())) has it") == true)
        close(other)
        _ = try client.lines(through: #""event":"ready""#)
        #expect(daemon.terminate().status == 0)
    }

    /// An encoder that follows its manual: asked what it is, read with, told good and bad by its lights, left as it was.
    @Test func anEncoderOnALine() throws {
        let (daemon, client) = try Self.daemon("type = msr-line\n")
        let terminal = try PseudoTerminal()
        let encoder = EncoderAtTerminal(terminal)
        Self.plug(terminal, into: daemon)
        let plugged = try client.lines(through: #""event":"ready""#)
        #expect(plugged.first?.contains(#""firmware":"REVT3.12""#) == true)
        for number in 0..<20 {
            encoder.swipe(isBackward: number.isMultiple(of: 2))
            let swipe = try client.lines(through: #""event":"swipe""#).last ?? ""
            #expect(swipe.contains("411111******1111"))
            #expect(
                swipe.contains(
                    number.isMultiple(of: 2) ? #""direction":"backward""# : #""direction":"forward""#))
        }
        #expect(daemon.terminate().status == 0)
        let left = encoder.end()
        #expect(!left.isWaitingForCard)
        #expect(left.bitsPerByte == [7, 5, 5])
        #expect(left.light == .off)
        #expect(left.harm.isEmpty && left.unknown.isEmpty)
    }

    /// A virtual reader with the ids of an encoder: its reports are taken as they come.
    @Test func aVirtualEncoder() throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\n[virtual-hid desk]\ndevice = 0801:0003\nsource = {}/reports\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let pipe = daemon.makePipe("reports")
        #expect(try client.lines(through: #""event":"ready""#).count == 3)
        let vector = BuiltProgram.root.appending(path: "Tests/Vectors/MSR605/generated/msr605x_raw.hex")
        try writePipe(pipe, Array(try Data(contentsOf: vector)))
        let swipe = try client.lines(through: #""event":"swipe""#).last ?? ""
        #expect(swipe.contains(#""simulated":true"#))
        #expect(swipe.contains("411111******1111"))
        #expect(daemon.terminate().status == 0)
    }

    /// Counted like any other reader's swipes, by the names of UnifiedPOS: what was read, and what failed on which track.
    @Test(arguments: ["text-line", "msr-line"]) func swipesAreCounted(type: String) throws {
        let (daemon, client) = try Self.daemon("type = \(type)\n[access]\nadmin = *\n")
        let terminal = try PseudoTerminal()
        let encoder = type == "msr-line" ? EncoderAtTerminal(terminal) : nil
        Self.plug(terminal, into: daemon)
        _ = try client.lines(through: #""event":"ready""#)
        for number in 0..<4 {
            if let encoder {
                encoder.swipe(isBackward: false, damagesTrack2: number == 3)
            } else {
                let card = number == 3 ? Self.card.replacing(/;.*\?/, with: ";E?") : Self.card
                terminal.send(Array((card + "\r").utf8))
            }
            #expect(try client.lines(through: #""event":"swipe""#).count == 1)
        }
        client.send(#"{"id":"s","method":"stats"}"#)
        let stats = try client.answer(#"{"id":"s""#)
        #expect(stats.contains(#""GoodReadCount":3"#), "\(stats)")
        #expect(stats.contains(#""FailedReadCount":1"#))
        #expect(stats.contains(#""UnreadableCardCount":0"#))
        #expect(stats.contains(#""ok":7"#), "track 1 four times, track 2 three times")
        _ = encoder?.end()
        #expect(daemon.terminate().status == 0)
    }

    /// Virtual readers on lines: what is written to the pipe is what the line carries, and nothing is sent.
    @Test(arguments: [
        ("text-line", nil), ("spectrum3-line", "Lines/generated/spectrum3.hex"),
        ("mrs100-line", "Lines/generated/mrs100.hex"), ("msr-line", "MSR605/generated/msr605_raw_line.hex"),
    ])
    func aVirtualLine(type: String, vector: String?) throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\nadmin = *\n[virtual-serial desk]\ntype = \(type)\nsource = {}/line\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let bytes = try vector.map { try Vector($0).bytes() } ?? Array((Self.card + "\r").utf8)
        for attachment in 1...2 {
            let pipe = daemon.makePipe("line")
            let plugged = try client.lines(through: #""event":"ready""#)
            #expect(plugged.count == 3)
            #expect(plugged.first?.contains(#""reader":"virtual-desk","attachment":\#(attachment)"#) == true)
            #expect(plugged.first?.contains(#""bus":"serial""#) == true)
            for _ in 0..<3 {
                try writePipe(pipe, bytes)
                let swipe = try client.lines(through: #""event":"swipe""#)
                #expect(swipe.count == 1)
                #expect(swipe.first?.contains(#""simulated":true"#) == true)
                #expect(swipe.first?.contains("411111******1111") == true)
            }
            try FileManager.default.removeItem(atPath: pipe)
            #expect(try client.lines(through: #""event":"disconnect""#).count == 3)
        }
        #expect(daemon.terminate().status == 0)
    }

    /// A client's test, over the line: it answers, and the next card is read; pulled out meanwhile, it does not.
    @Test func aTestOfAnEncoder() throws {
        let (daemon, client) = try Self.daemon("type = msr-line\n[access]\nadmin = *\n")
        let terminal = try PseudoTerminal()
        let encoder = EncoderAtTerminal(terminal)
        Self.plug(terminal, into: daemon)
        _ = try client.lines(through: #""event":"ready""#)
        client.send(#"{"id":"t","method":"test_communication","params":{"reader":"serial-till"}}"#)
        #expect(try client.answer(#"{"id":"t""#) == #"{"id":"t","result":{}}"#)
        let told = try client.lines(through: #""event":"test_complete""#)
        #expect(told.last?.contains(#""answered":true"#) == true)
        encoder.swipe(isBackward: false)
        #expect(try client.lines(through: #""event":"swipe""#).count == 1)
        _ = encoder.end()
        client.send(#"{"id":"t","method":"test_communication","params":{"reader":"serial-till"}}"#)
        _ = try client.answer(#"{"id":"t""#)
        Self.unplug(terminal, daemon)
        let gone = try client.lines(through: #""event":"disconnect""#)
        #expect(gone.contains { $0.contains(#""answered":false"#) })
        #expect(daemon.terminate().status == 0)
    }

    /// A section whose line is not there, or is none: told in the log and to clients, until it is there.
    @Test func aLineThatIsNotThereIsTold() throws {
        let (daemon, client) = try Self.daemon(
            "type = text-line\n[serial-reader other]\ndevice = {}/swiped.conf\ntype = text-line\n")
        func unused() throws -> String {
            client.send(#"{"id":"in","method":"readers"}"#)
            return try client.answer(#"{"id":"in""#)
        }
        var told = ""
        while !told.contains("unused_inputs") { told = try unused() }
        #expect(
            told.contains(
                #"{"section":"serial-reader till","device":"\#(daemon.folder.path)/line","why":"nothing is there"#
            ))
        #expect(told.contains(#""section":"serial-reader other""#) && told.contains("that is no serial line"))
        for section in ["till", "other"] {
            let line = daemon.logged.split(separator: "\n").first {
                $0.contains("event=reader.input_unused") && $0.contains("serial-reader \(section)")
            }
            #expect(line?.contains("ls -l /dev/serial/by-id/") == true)
        }
        let terminal = try PseudoTerminal()
        Self.plug(terminal, into: daemon)
        _ = try client.lines(through: #""event":"ready""#)
        while told.contains("serial-reader till") { told = try unused() }
        #expect(told.contains("serial-reader other"))
        #expect(daemon.terminate().status == 0)
    }

    /// Nobody at the far end.
    @Test func aMuteLineIsToldInWords() throws {
        let (daemon, client) = try Self.daemon("type = msr-line\n")
        let terminal = try PseudoTerminal()
        Self.plug(terminal, into: daemon)
        let told = try client.lines(through: #""event":"activate""#)
        #expect(told.last?.contains("does not answer") == true)
        #expect(daemon.terminate().status == 0)
    }
}
