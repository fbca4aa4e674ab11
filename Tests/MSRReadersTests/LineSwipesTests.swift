import CardData
import ReaderKit
import ReaderTesting
import Testing
import WaveformSynthesis

@testable import SerialReaders

/// Many cards through each simulated reader on a line, one after the other, and cut off at every byte.
@Suite struct LineSwipesTests {
    private static let swipes = 1000

    private static func driver(_ kind: LineReader.Kind) -> any ReaderDriver<SerialBytes> {
        let device = DeviceIdentity(readerID: "serial-till", bus: .serial, node: "/dev/ttyS0")
        return switch kind {
        case .text: SerialListener<TextLine>(device)
        case .spectrum3: SerialListener<SpectrumLine>(device)
        case .mrs100: SerialListener<MRS100Line>(device)
        }
    }

    private static func swipes(_ actions: [DriverAction]) -> [Swipe] {
        actions.compactMap { if case .signal(.swiped(let swipe)) = $0 { swipe } else { nil } }
    }

    private static func complaints(_ actions: [DriverAction]) -> Int {
        actions.count { if case .signal(.notice(.malformed)) = $0 { true } else { false } }
    }

    private static func clear(_ swipe: Swipe) -> [String?] {
        let texts = swipe.tracks.map(\.outcome.clear)
        return texts + Array(repeating: nil, count: max(0, 3 - texts.count))
    }

    private static func habits(_ random: inout SeededRandom) -> LineReader.Habits {
        var habits = LineReader.Habits()
        habits.lineEnd = ["\r", "\n", "\r\n"].randomElement(using: &random) ?? "\r"
        habits.partsTracks = .random(using: &random)
        habits.sum = LineReader.Habits.Sum.allCases.randomElement(using: &random) ?? .fromLength
        return habits
    }

    /// None is lost, none comes twice, none is another's: every set of tracks, some unread, in pieces of any size, garbage between.
    @Test(arguments: LineReader.Kind.allCases) func aThousandSwipes(kind: LineReader.Kind) {
        var random = SeededRandom(seed: 22)
        var reader = LineReader(kind)
        var driver = Self.driver(kind)
        _ = driver.start()
        func hear(_ bytes: [UInt8]) -> [DriverAction] {
            let size = Int.random(in: 1...60, using: &random)
            let actions = stride(from: 0, to: bytes.count, by: size).flatMap {
                driver.receive(SerialBytes(Array(bytes[$0...].prefix(size))))
            }
            return actions + driver.timerFired()
        }
        for number in 0..<Self.swipes {
            reader.habits = Self.habits(&random)
            if number.isMultiple(of: 7) {
                let garbage = hear((0..<20).map { _ in UInt8.random(in: 0x80...0xDF, using: &random) })
                #expect(Self.swipes(garbage).isEmpty && Self.complaints(garbage) == 1, "\(number)")
            }
            let (pass, expected) = LineCards.pass(number)
            let told = hear(reader.bytes(of: pass))
            #expect(Self.swipes(told).map(Self.clear) == [expected], "\(number)")
            #expect(Self.complaints(told) == 0, "\(number)")
        }
    }

    /// A reader of each kind; text with a line a swipe, a line a track, and without line ends.
    static let readers: [LineReader] = {
        var parting = LineReader(.text)
        parting.habits.partsTracks = true
        var endless = LineReader(.text)
        endless.habits.lineEnd = ""
        return LineReader.Kind.allCases.map { LineReader($0) } + [parting, endless]
    }()

    /// Half a swipe is none, wherever the cable is pulled, and what is whole is told once: now, or as soon as it was. Where text
    /// ends, the swipes before have shown.
    @Test(arguments: readers.indices, [false, true]) func yankedAtEveryByte(index: Int, isFirst: Bool) {
        let reader = Self.readers[index]
        let bytes = reader.bytes(of: .tracks([.text(Cards.track1), .text(Cards.track2)]))
        for count in 0...bytes.count {
            var driver = Self.driver(reader.kind)
            _ = driver.start()
            if !isFirst { _ = driver.receive(SerialBytes(bytes)) + driver.timerFired() }
            let heard = driver.receive(SerialBytes(Array(bytes.prefix(count)))) + driver.inputsEnded()
            let isKnown = reader.kind != .text || !isFirst && !reader.habits.lineEnd.isEmpty
            #expect(
                Self.swipes(heard).map(Self.clear)
                    == (isKnown && count == bytes.count ? [[Cards.track1, Cards.track2, nil]] : []),
                "\(count)")
            #expect(Self.complaints(driver.inputsEnded()) == 0)
            #expect(Self.swipes(driver.inputsEnded() + driver.timerFired()).isEmpty, "\(count)")
        }
    }

    /// What begins like a frame and is none holds up the searcher; a whole frame behind it is told when the line goes.
    @Test(arguments: [
        (LineReader.Kind.spectrum3, [UInt8(0x60), 0x00]), (.spectrum3, [0xE0, 0x01, 0x02]),
        (.mrs100, [0x02, 0xFF]),
    ])
    func aFrameBehindGarbageWhenTheLineGoes(kind: LineReader.Kind, garbage: [UInt8]) {
        let bytes = LineReader(kind).bytes(of: .tracks([.text(Cards.track1), .text(Cards.track2)]))
        for count in 0...bytes.count {
            var driver = Self.driver(kind)
            _ = driver.start()
            let heard = driver.receive(SerialBytes(garbage + bytes.prefix(count))) + driver.inputsEnded()
            #expect(Self.swipes(heard).count == (count == bytes.count ? 1 : 0), "\(count)")
            #expect(Self.complaints(heard) == 0, "\(count)")
        }
    }

    /// Garbage of all values that touches the frame behind it: the frame is told, at once or after the silence.
    @Test(arguments: [LineReader.Kind.spectrum3, .mrs100]) func garbageThatTouchesTheFrame(
        kind: LineReader.Kind
    ) {
        var random = SeededRandom(seed: 13)
        let marks: [UInt8] = [0x60, 0xE0, 0x02, 0x03, 0x00, 0x1B]
        for number in 0..<1000 {
            var driver = Self.driver(kind)
            _ = driver.start()
            let (pass, expected) = LineCards.pass(number % 4)
            let garbage = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random) : marks.randomElement(using: &random) ?? 0
            }
            let told =
                driver.receive(SerialBytes(garbage + LineReader(kind).bytes(of: pass))) + driver.timerFired()
            #expect(Self.swipes(told).map(Self.clear) == [expected], "\(number): \(garbage)")
        }
    }

    /// What waits for the silence behind it is told when the line goes; half of it is not, nor what the daemon itself closes.
    @Test(arguments: [(86, DeviceError.gone, 2), (85, .gone, 1), (40, .gone, 1), (86, .closed, 1)])
    func whatWaitsWhenTheLineGoes(count: Int, error: DeviceError, swipes: Int) async {
        let bytes = LineReader(.text).bytes(of: .tracks([.text(Cards.track1), .text(Cards.track2)]))
        let transport = ScriptedTransport<SerialBytes>()
        let (told, tell) = AsyncStream<Void>.makeStream()
        let device = DeviceIdentity(readerID: "serial-till", bus: .serial, node: "/dev/ttyS0")
        let session = ReaderSession(
            driver: SerialListener<TextLine>(device), transport: transport,
            lifecycle: ReaderLifecycle(ReaderDetails(model: "text"))
        ) { step, _ in
            if case .swipe = step.event { tell.yield() }
        }
        #expect(bytes.count == 86)
        let run = Task { await session.run() }
        await transport.deliver(SerialBytes(bytes))
        for await _ in told { break }
        await transport.deliver(SerialBytes(Array(bytes.prefix(count))))
        await transport.fail(error)
        _ = await run.value
        tell.finish()
        var more = 1
        for await _ in told { more += 1 }
        #expect(more == swipes)
    }

    /// The line of one type is no other's.
    @Test(arguments: LineReader.Kind.allCases) func eachTypeOnTheLineOfEachOther(kind: LineReader.Kind) {
        for other in LineReader.Kind.allCases where other != kind {
            var driver = Self.driver(kind)
            _ = driver.start()
            let bytes = LineReader(other).bytes(of: .tracks([.text(Cards.track1), .text(Cards.track2)]))
            let told = driver.receive(SerialBytes(bytes)) + driver.timerFired()
            // Frames hold texts, which a driver that looks for texts may find.
            if kind != .text { #expect(Self.swipes(told).isEmpty, "\(kind) \(other)") }
            #expect(!Self.swipes(told).isEmpty || Self.complaints(told) > 0, "\(kind) \(other)")
        }
    }
}

/// Cards that tell themselves apart.
enum LineCards {
    /// What passes as the n-th, and the tracks that come of it.
    static func pass(_ number: Int) -> (LineReader.Pass, [String?]) {
        let digits = String("\(10_000 + number)".suffix(4))
        let first = "%B4111111111111111^DOE/JANE^29121010000000\(digits)?"
        let second = ";4111111111111111=2912101000000\(digits)?"
        let third = ";011234567890123445=7247241000000\(digits)?"
        let none = [String?](repeating: nil, count: 3)
        return switch number % 8 {
        case 0: (.tracks([.text(first), .text(second), .text(third)]), [first, second, third])
        case 1: (.tracks([.text(first), nil]), [first, nil, nil])
        case 2: (.tracks([nil, .text(second)]), [nil, second, nil])
        case 3: (.tracks([.unreadable, .text(second)]), [nil, second, nil])
        case 4: (.tracks([.text(first), .unreadable]), [first, nil, nil])
        case 5: (.failed, none)
        case 6 where number.isMultiple(of: 16): (.incomplete, none)
        case _: (.tracks([.text(first), .text(second)]), [first, second, nil])
        }
    }
}
