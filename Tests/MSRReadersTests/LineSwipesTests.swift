import CardData
import ReaderKit
import ReaderTesting
import Synchronization
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
        actions.count { if case .signal(.malformed) = $0 { true } else { false } }
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

    /// Half a swipe is none, wherever the cable is pulled, and what is whole is told once: now, or as soon as it was.
    @Test(arguments: LineReader.Kind.allCases) func yankedAtEveryByte(kind: LineReader.Kind) {
        let bytes = LineReader(kind).bytes(of: .tracks([.text(Cards.track1), .text(Cards.track2)]))
        for count in 0...bytes.count {
            var driver = Self.driver(kind)
            _ = driver.start()
            let heard = driver.receive(SerialBytes(Array(bytes.prefix(count)))) + driver.inputsEnded()
            let isWhole = count == bytes.count
            #expect(
                Self.swipes(heard).map(Self.clear) == (isWhole ? [[Cards.track1, Cards.track2, nil]] : []),
                "\(count)")
            #expect(Self.swipes(driver.inputsEnded() + driver.timerFired()).isEmpty, "\(count)")
        }
    }

    /// What waits for the silence behind it is told when the line goes; half of it is not, nor what the daemon itself closes.
    @Test(arguments: [(86, DeviceError.gone, 1), (85, .gone, 0), (40, .gone, 0), (86, .closed, 0)])
    func whatWaitsWhenTheLineGoes(count: Int, error: DeviceError, swipes: Int) async {
        let bytes = LineReader(.text).bytes(of: .tracks([.text(Cards.track1), .text(Cards.track2)]))
        let transport = ScriptedTransport<SerialBytes>()
        let told = Mutex(0)
        let device = DeviceIdentity(readerID: "serial-till", bus: .serial, node: "/dev/ttyS0")
        let session = ReaderSession(
            driver: SerialListener<TextLine>(device), transport: transport,
            lifecycle: ReaderLifecycle(ReaderDetails(model: "text"))
        ) { step, _ in
            if case .swipe = step.event { told.withLock { $0 += 1 } }
        }
        #expect(bytes.count == 86)
        await transport.deliver(SerialBytes(Array(bytes.prefix(count))))
        await transport.fail(error)
        _ = await session.run()
        #expect(told.withLock { $0 } == swipes)
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
