import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import MSRReaders

/// What an encoder is asked before it is ready, and what is said of one that does not answer.
@Suite struct StartUpTests {
    private static func ready<Link: EncoderLink>(_ link: Link.Type) -> EncoderBench<Link> {
        var bench = EncoderBench<Link>()
        bench.start()
        bench.run(.seconds(5))
        return bench
    }

    @Test func saysWhatItIsAndThenThatItIsReady() {
        let bench = Self.ready(ReportLink.self)
        let details = ReaderDetails(
            model: "MSR605X (model code 3)", firmware: "REVT3.12", encryption: .clear)
        #expect(bench.signals == [.identified(details), .activated(.success), .ready(expiresIn: nil)])
        #expect(bench.encoder.isWaitingForCard)
        #expect(bench.encoder.bitsPerByte == [8, 8, 8])
        #expect(bench.encoder.light == .yellow)
    }

    /// A line does not say where an answer ends: the firmware's name, which has no end, is ended by silence.
    @Test func theSameOnALine() {
        var bench = Self.ready(WireLink.self)
        for _ in 0..<10 where bench.signals.isEmpty { bench.fireTimer() }
        guard case .identified(let details)? = bench.signals.first else {
            Issue.record("not identified")
            return
        }
        #expect(details.firmware == "REVT3.12")
        #expect(bench.signals.dropFirst() == [.activated(.success), .ready(expiresIn: nil)])
        #expect(bench.encoder.isWaitingForCard)
    }

    @Test func textsAreAskedForWithTheUsualBits() {
        var options = ReaderOptions()
        options.encoderReading = .iso
        var bench = EncoderBench<ReportLink>(options: options)
        bench.start()
        #expect(bench.encoder.bitsPerByte == [7, 5, 5])
        #expect(bench.sent.last == [0x1B, 0x72])
    }

    /// One that answers nothing but whether it is there is read with all the same, and what is not known is not said.
    @Test func aTaciturnOneIsReady() {
        var habits = EncoderSimulator.Habits()
        habits.isTaciturn = true
        var bench = EncoderBench<ReportLink>(habits)
        bench.start()
        bench.run(.seconds(5))
        #expect(bench.encoder.isWaitingForCard)
        #expect(bench.signals.contains(.ready(expiresIn: nil)))
        #expect(bench.signals.first == .identified(ReaderDetails(model: "MSR605X", encryption: .clear)))
        #expect(bench.complaints.count == 1)
    }

    private static func failures(_ signals: [ReaderSignal]) -> [String] {
        signals.compactMap { if case .activationFailed(_, let why) = $0 { why } else { nil } }
    }

    /// Told once and asked again for ever; ready when it answers at last.
    @Test func aMuteOneIsToldInWordsAndAskedAgain() {
        var bench = EncoderBench<WireLink>(isMute: true)
        bench.start()
        for _ in 0..<50 { bench.fireTimer() }
        #expect(Self.failures(bench.signals).count == 1)
        #expect(Self.failures(bench.signals).first?.contains("does not answer") == true)
        #expect(bench.isTimerRunning)
        bench.encoder.isMute = false
        bench.run(.seconds(20))
        #expect(bench.signals.last == .ready(expiresIn: nil))
    }

    /// What is on the line says nothing until somebody uses it.
    @Test func aWrongTypeThatSpeaksLaterIsToldInWords() {
        var bench = EncoderBench<WireLink>(isMute: true)
        bench.start()
        for _ in 0..<5 { bench.fireTimer() }
        bench.hear(Array(";4111111111111111=29121010000?\r".utf8))
        for _ in 0..<50 { bench.fireTimer() }
        let failures = Self.failures(bench.signals)
        // It stays, though nothing more is heard.
        #expect(failures.count == 2)
        #expect(failures.dropFirst().first?.contains("is the type right") == true)
    }

    /// Something else is on the line.
    @Test func aWrongTypeIsToldInWords() {
        var bench = EncoderBench<WireLink>(isMute: true)
        bench.start()
        for _ in 0..<6 where Self.failures(bench.signals).isEmpty {
            bench.hear(Array("%HELLO?\r".utf8))
            bench.fireTimer()
        }
        #expect(Self.failures(bench.signals).first?.contains("is the type right") == true)
    }

    /// A supply of its own that fails: the line stays, and the encoder forgets what it was asked.
    @Test func aLineIsLookedAt() throws {
        var bench = Self.ready(WireLink.self)
        for _ in 0..<10 where !bench.encoder.isWaitingForCard { bench.fireTimer() }
        bench.signals = []
        // Still there: nothing is said.
        bench.run(MSRDialogue.lookInterval + .seconds(5))
        #expect(bench.encoder.resets > 2)
        #expect(bench.signals.isEmpty)
        #expect(bench.encoder.isWaitingForCard)
        bench.encoder.losePower()
        #expect(!bench.encoder.isWaitingForCard)
        bench.run(MSRDialogue.lookInterval + .seconds(5))
        #expect(bench.encoder.isWaitingForCard)
        bench.encoder.losePower()
        bench.encoder.isMute = true
        bench.run(MSRDialogue.lookInterval + .seconds(5))
        #expect(bench.signals.first == .lost)
        bench.encoder.isMute = false
        bench.run(.seconds(20))
        #expect(bench.signals.suffix(2) == [.activated(.success), .ready(expiresIn: nil)])
    }

    /// Its bits a byte are those of the new life again, not what the old one set.
    @Test func aPowerCutWithinTheLookSetsTheBitsAgain() throws {
        var bench = Self.ready(WireLink.self)
        for _ in 0..<10 where !bench.encoder.isWaitingForCard { bench.fireTimer() }
        bench.encoder.losePower()
        bench.run(MSRDialogue.lookInterval + .seconds(5))
        #expect(bench.encoder.isWaitingForCard)
        #expect(bench.encoder.bitsPerByte == [8, 8, 8])
    }

    private static func tests(_ signals: [ReaderSignal]) -> [Bool] {
        signals.compactMap { if case .testCompleted(let answered, _) = $0 { answered } else { nil } }
    }

    /// A client's test ends the read that is pending, which is asked for again; a card that passes meanwhile waits for no one.
    @Test func aTestOfOneThatAnswers() throws {
        var bench = Self.ready(ReportLink.self)
        let resets = bench.encoder.resets
        bench.signals = []
        let (outcome, actions) = bench.driver.request(.testCommunication)
        #expect(outcome == .accepted())
        bench.perform(actions)
        #expect(bench.signals == [.testCompleted(true, why: nil)])
        #expect(bench.encoder.resets > resets)
        #expect(bench.encoder.isWaitingForCard)
        bench.swipe(try EncodedCard(Cards.all))
        #expect(bench.takeSwipes().count == 1)
    }

    /// Silence is an answer as well, with its reason; a second test meanwhile is refused.
    @Test func aTestOfOneThatDoesNot() {
        var bench = Self.ready(WireLink.self)
        for _ in 0..<10 where !bench.encoder.isWaitingForCard { bench.fireTimer() }
        bench.encoder.isMute = true
        bench.signals = []
        bench.perform(bench.driver.request(.testCommunication).1)
        guard case .refused(let refusal) = bench.driver.request(.testCommunication).0 else {
            Issue.record("two tests at once")
            return
        }
        #expect(refusal.code == .busy)
        for _ in 0..<MSRDialogue.attempts { bench.fireTimer() }
        #expect(Self.tests(bench.signals) == [false])
        // Mute already, and asked anew.
        bench.signals = []
        bench.perform(bench.driver.request(.testCommunication).1)
        bench.encoder.isMute = false
        for _ in 0..<20 where bench.signals.last != .ready(expiresIn: nil) { bench.fireTimer() }
        #expect(Self.tests(bench.signals) == [true])
        #expect(bench.signals.last == .ready(expiresIn: nil))
    }

    /// Half a block is there: the card counts, and the test does not take it away. A virtual one is asked for nothing.
    @Test func whenATestIsRefused() throws {
        var bench = Self.ready(WireLink.self)
        for _ in 0..<10 where !bench.encoder.isWaitingForCard { bench.fireTimer() }
        let block = bench.encoder.swipe(try EncodedCard(Cards.all).stripes)
        bench.hear(Array(block.prefix(50)))
        let (outcome, actions) = bench.driver.request(.testCommunication)
        #expect(outcome != .accepted() && actions.isEmpty)
        bench.hear(Array(block.dropFirst(50)))
        #expect(bench.takeSwipes().count == 1)
        var virtual = MSRLineDriver(
            DeviceIdentity(readerID: "virtual-desk", bus: .serial, node: "/tmp/pipe", isSimulated: true))
        _ = virtual.start()
        let asked = virtual.request(.testCommunication)
        #expect(asked.0 != .accepted() && asked.1.isEmpty)
        #expect(virtual.commandFailed(.timedOut).isEmpty)
    }

    @Test(arguments: [DeviceError.refused, .timedOut, .busy(detail: "16 wait")])
    func aDeviceThatTakesNoCommands(error: DeviceError) {
        var bench = Self.ready(ReportLink.self)
        bench.signals = []
        bench.perform(bench.driver.commandFailed(error))
        #expect(bench.signals.first == .lost)
        #expect(Self.failures(bench.signals).count == 1)
        for _ in 0..<20 where bench.signals.last != .ready(expiresIn: nil) { bench.fireTimer() }
        #expect(bench.signals.last == .ready(expiresIn: nil))
    }

    /// Mute, and what is sent to it fails later: two reasons in turn, each told once.
    @Test func aMuteDeviceThatHoldsCommands() {
        var bench = EncoderBench<ReportLink>(isMute: true)
        bench.start()
        for _ in 0..<100 {
            bench.run(.seconds(20))
            bench.perform(bench.driver.commandFailed(.timedOut))
        }
        #expect(Self.failures(bench.signals).count == 2)
    }

    @Test func aDeviceThatIsGoneIsTheTransportsToTell() {
        var bench = Self.ready(ReportLink.self)
        #expect(bench.driver.commandFailed(.gone).isEmpty)
    }

    @Test func propertiesAreWhatItSaid() {
        var bench = Self.ready(ReportLink.self)
        func value(_ name: String, _ newValue: PropertyValue? = nil) -> Result<PropertyValue, PropertyError>?
        {
            let request = PropertyRequest(token: 1, name: name, newValue: newValue)
            for case .signal(.property(let reply)) in bench.driver.property(request) { return reply.outcome }
            return nil
        }
        #expect(value("coercivity") == .success(.text("low")))
        #expect(value("leading_zeros") == .success(.text("61 22")))
        #expect(value("firmware") == .success(.text("REVT3.12")))
        #expect(value("bits_per_byte") == .success(.text("8 8 8")))
        #expect(value("coercivity", .text("high")) == .failure(.readOnly))
        #expect(value("density") == .failure(.unknown))
    }

    /// By the manual or as one client's device has it: the answer is taken, and the way is named.
    @Test(arguments: [false, true]) func lettersOfCoercivity(areSmall: Bool) {
        var habits = EncoderSimulator.Habits()
        habits.smallLetters = areSmall
        var bench = EncoderBench<ReportLink>(habits)
        bench.start()
        #expect(EncoderHabits.variants(bench.driver) == (areSmall ? "smallLetters" : ""))
    }

    /// Commands go out by the reports that the device has.
    @Test func commandsGoOutAsFeatureReportsWhereThereAreNoOthers() {
        let device = DeviceIdentity(
            readerID: "encoder", bus: .usb, node: "/dev/hidraw0",
            reportDescriptor: EncoderDescriptor.featureOnly)
        var driver = MSR605XDriver(device)
        let first = driver.start().first
        #expect(first == .command(.setFeature([0xC2, 0x1B, 0x61] + Array(repeating: 0, count: 61))))
        #expect(MSR605XDriver.lastWords(for: device).count == 3)
        #expect(EncoderHabits.variants(driver) == "featureReports")
    }
}
