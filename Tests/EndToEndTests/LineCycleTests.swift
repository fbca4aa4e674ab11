import Foundation
import ReaderTesting
import Synchronization
import TestSupport
import Testing
import WaveformSynthesis

/// Many swipes of each kind of reader on a line, over the kernel's terminals and the built daemon: in pieces, with pauses, garbage
/// between, the cable pulled every now and then. `SWIPED_SWIPES=1000` is the long run.
@Suite(.serialized) struct LineCycleTests {
    private static let swipes = ProcessInfo.processInfo.environment["SWIPED_SWIPES"].flatMap { Int($0) } ?? 40

    /// The log takes 200 complaints of one reader (`ComplaintLimit`), and each of these is waited for.
    private static let garbageEvery = max(7, swipes / 150)

    /// What passes as the n-th, and the tracks that a client is to see of it.
    private static func card(_ number: Int) -> [String?] {
        let digits = String("\(10_000 + number)".suffix(4))
        return [
            "%B4111111111111111^DOE/JANE^29121010000000\(digits)?",
            ";4111111111111111=2912101000000\(digits)?",
            number.isMultiple(of: 3) ? ";011234567890123445=7247241000000\(digits)?" : nil,
        ]
    }

    /// The texts of the three tracks in the line of an event; nil where a track has none.
    private static func texts(_ line: String) throws -> [String?] {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let tracks = (object?["data"] as? [String: Any])?["tracks"] as? [[String: Any]] ?? []
        var texts = [String?](repeating: nil, count: 3)
        for track in tracks {
            if let number = track["track"] as? Int, (1...3).contains(number) {
                texts[number - 1] = track["text"] as? String
            }
        }
        return texts
    }

    /// A piece at a time, some after a pause that is shorter than a swipe's end.
    private static func send(_ bytes: [UInt8], to terminal: PseudoTerminal, _ random: inout SeededRandom) {
        let size = Int.random(in: 1...40, using: &random)
        for start in stride(from: 0, to: bytes.count, by: size) {
            terminal.send(Array(bytes[start...].prefix(size)))
            if Int.random(in: 0..<12, using: &random) == 0 { usleep(10_000) }
        }
    }

    @Test(arguments: LineReader.Kind.allCases) func readersThatSendOfThemselves(kind: LineReader.Kind) throws
    {
        let bench = try LineBench("type = \(kind.rawValue)\n")
        var random = SeededRandom(seed: 22)
        var reader = LineReader(kind)
        try bench.plug()
        for number in 1...Self.swipes {
            reader.habits.sum = LineReader.Habits.Sum.allCases.randomElement(using: &random) ?? .fromLength
            reader.habits.partsTracks = number.isMultiple(of: 2)
            let card = Self.card(number)
            let bytes = reader.bytes(of: .tracks(card.map { $0.map { .text($0) } }))
            if number.isMultiple(of: 10) {
                // Pulled out within a swipe: nothing comes of it.
                bench.terminal.send(Array(bytes.prefix(Int.random(in: 1..<bytes.count, using: &random))))
                try bench.unplug()
                try bench.plug()
            }
            if number.isMultiple(of: Self.garbageEvery) {
                bench.terminal.send((0..<20).map { _ in UInt8.random(in: 0x80...0xDF, using: &random) })
                try bench.awaitComplaint()
            }
            Self.send(bytes, to: bench.terminal, &random)
            let told = try bench.client.lines(through: #""event":"swipe""#)
            #expect(told.count == 1, "\(number)")
            #expect(try Self.texts(told.last ?? "") == card, "\(number)")
        }
        try bench.unplug()
        #expect(bench.daemon.terminate().status == 0)
    }

    @Test func anEncoder() throws {
        let bench = try LineBench("type = msr-line\n")
        var random = SeededRandom(seed: 605)
        var encoder = try EncoderOnALine(bench)
        for number in 1...Self.swipes {
            if number.isMultiple(of: 20) {
                // Within an answer, or while it waits.
                if number.isMultiple(of: 40) { encoder.pass(try EncodedCard(Self.card(number)), first: 30) }
                encoder.end()
                try bench.unplug()
                encoder = try EncoderOnALine(bench)
            }
            let texts = number % 9 == 4 ? [nil, nil, nil] : Self.card(number)
            var (card, expected) = (try EncodedCard(texts, isBackward: .random(using: &random)), texts)
            if number % 5 == 2, texts[1] != nil {
                card.damage(track: 2, bit: Int.random(in: 35...80, using: &random))
                expected[1] = nil
            }
            if number.isMultiple(of: Self.garbageEvery) {
                bench.terminal.send((0..<20).map { _ in UInt8.random(in: 0x80...0xDF, using: &random) })
                try bench.awaitComplaint()
            }
            encoder.pass(card, pieces: Int.random(in: 1...70, using: &random))
            let told = try bench.client.lines(through: #""event":"swipe""#)
            #expect(told.count == 1, "\(number)")
            #expect(try Self.texts(told.last ?? "") == expected, "\(number)")
        }
        #expect(bench.daemon.terminate().status == 0)
        let left = encoder.end()
        #expect(!left.isWaitingForCard && left.harm.isEmpty && left.unknown.isEmpty)
    }

    /// The line goes at each command of the dialogue: no reader is left, and the next attachment is read with.
    @Test func anEncoderThatGoesInEveryState() throws {
        let bench = try LineBench("type = msr-line\n")
        for count in 1...10 {
            let encoder = try EncoderOnALine(bench, commands: count)
            encoder.end()
            try bench.unplug(isReady: false)
        }
        let encoder = try EncoderOnALine(bench)
        encoder.pass(try EncodedCard(Self.card(1)))
        #expect(
            try Self.texts(try bench.client.lines(through: #""event":"swipe""#).last ?? "") == Self.card(1))
        #expect(bench.daemon.terminate().status == 0)
        #expect(encoder.end().harm.isEmpty)
    }
}

/// The built daemon with one line, a client that sees everything, and what is at the far end now.
private final class LineBench {
    let daemon: DaemonUnderTest
    let client: LineClient
    private(set) var terminal: PseudoTerminal
    private var link: String { daemon.folder.appending(path: "line").path }

    init(_ settings: String) throws {
        daemon = try DaemonUnderTest(
            "[access]\nfull = *\n[serial-reader till]\ndevice = {}/line\n\(settings)")
        client = try daemon.connect()
        terminal = try PseudoTerminal()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
    }

    /// As udev does it: the name is made in one go.
    func showLine() throws {
        terminal = try PseudoTerminal()
        symlink(terminal.path, link + "~")
        rename(link + "~", link)
    }

    func plug() throws {
        try showLine()
        _ = try client.lines(through: #""event":"ready""#)
    }

    /// No swipe comes of it.
    ///
    /// - Parameter isReady: whether it was; one that was not may never have been told of.
    func unplug(isReady: Bool = true) throws {
        terminal.hangUp()
        unlink(link)
        guard isReady else { return try awaitNoReader() }
        let told = try client.lines(through: #""event":"disconnect""#)
        #expect(told.count == 3)
    }

    private func awaitNoReader() throws {
        repeat {
            client.send(#"{"id":"q","method":"readers"}"#)
        } while try !client.answer(#"{"id":"q""#).contains(#""readers":[]"#)
    }

    private var complaints = 1

    /// Until the daemon has said of one more burst that it is none of a reader's.
    func awaitComplaint() throws {
        complaints += 1
        let deadline = ContinuousClock.now + .seconds(30)
        while daemon.logged.components(separatedBy: "event=reader.malformed").count < complaints {
            try #require(.now < deadline, "no complaint \(complaints)")
            usleep(2_000)
        }
    }
}

/// A simulated encoder at the far end of a bench's line, on a thread of its own.
private final class EncoderOnALine: Sendable {
    private struct Waiting {
        var cards: [(card: EncodedCard, pieces: Int, first: Int)] = []
        var isEnding = false
        var encoder: EncoderSimulator?
    }
    private let waiting = Mutex(Waiting())

    /// Returns once the daemon has sent so many commands, or waits for a card.
    init(_ bench: LineBench, commands: Int = .max) throws {
        try bench.showLine()
        let terminal = bench.terminal
        startThread { [self] in serve(terminal, commands) }
        if commands == .max {
            _ = try bench.client.lines(through: #""event":"ready""#)
        } else {
            while !isDone { usleep(1_000) }
        }
    }

    private var isDone: Bool { waiting.withLock { $0.encoder != nil } }

    private func serve(_ terminal: PseudoTerminal, _ commands: Int) {
        var encoder = EncoderSimulator()
        var count = 0
        while !waiting.withLock({ $0.isEnding }), count < commands {
            if let bytes = terminal.next(milliseconds: 5), !bytes.isEmpty {
                count += bytes.count { $0 == 0x1B }
                if count < commands { terminal.send(encoder.receive(bytes)) }
            }
            let next = waiting.withLock { waiting in
                encoder.isWaitingForCard && !waiting.cards.isEmpty ? waiting.cards.removeFirst() : nil
            }
            guard let next else { continue }
            // So long a card takes to pass at the least: what comes sooner, again and again, is no card's.
            usleep(120_000)
            let block = Array(encoder.swipe(next.card.stripes).prefix(next.first))
            for start in stride(from: 0, to: block.count, by: next.pieces) {
                terminal.send(Array(block[start...].prefix(next.pieces)))
            }
        }
        while let bytes = terminal.next(milliseconds: 20), !bytes.isEmpty { _ = encoder.receive(bytes) }
        waiting.withLock { $0.encoder = encoder }
    }

    /// A card passes as soon as it waits for one.
    ///
    /// - Parameter first: of its answer, so many bytes are sent.
    func pass(_ card: EncodedCard, pieces: Int = .max, first: Int = .max) {
        waiting.withLock { $0.cards.append((card, pieces, first)) }
    }

    /// What it is left as.
    @discardableResult func end() -> EncoderSimulator {
        waiting.withLock { $0.isEnding = $0.cards.isEmpty }
        while true {
            if let encoder = waiting.withLock({ waiting in
                waiting.isEnding = waiting.cards.isEmpty
                return waiting.encoder
            }) {
                return encoder
            }
            usleep(1_000)
        }
    }
}
