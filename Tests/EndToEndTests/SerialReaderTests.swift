import Foundation
import ReaderTesting
import Synchronization
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

    @Test func somebodyElsesLineIsTold() throws {
        let terminal = try PseudoTerminal()
        let other = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let (daemon, client) = try Self.daemon("type = text-line\n")
        Self.plug(terminal, into: daemon)
        let told = try client.lines(through: #""event":"activate""#)
        #expect(told.last?.contains("is in use") == true)
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

/// A simulated encoder at the far end of a terminal, on a thread of its own.
private final class EncoderAtTerminal: Sendable {
    private let cards = Mutex<[EncodedCard]>([])
    private let isEnding = Atomic<Bool>(false)
    private let ended = Mutex<EncoderSimulator?>(nil)

    init(_ terminal: PseudoTerminal) {
        startThread { [self] in
            var encoder = EncoderSimulator()
            while !isEnding.load(ordering: .acquiring) {
                if let bytes = terminal.next(milliseconds: 20), !bytes.isEmpty {
                    terminal.send(encoder.receive(bytes))
                }
                let card = cards.withLock { cards -> EncodedCard? in
                    encoder.isWaitingForCard && !cards.isEmpty ? cards.removeFirst() : nil
                }
                if let card { terminal.send(encoder.swipe(card.stripes)) }
            }
            while let bytes = terminal.next(milliseconds: 20), !bytes.isEmpty { _ = encoder.receive(bytes) }
            ended.withLock { $0 = encoder }
        }
    }

    /// A card passes as soon as the encoder waits for one.
    func swipe(isBackward: Bool) {
        let texts = [
            "%B4111111111111111^DOE/JANE^29121010000000000000?", ";4111111111111111=29121010000000000?", nil,
        ]
        guard let card = try? EncodedCard(texts, isBackward: isBackward) else { return }
        cards.withLock { $0.append(card) }
    }

    /// What it is left as.
    func end() -> EncoderSimulator {
        isEnding.store(true, ordering: .releasing)
        while true {
            if let encoder = ended.withLock({ $0 }) { return encoder }
            usleep(1000)
        }
    }
}
