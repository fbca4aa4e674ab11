import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import MSRReaders

/// The read that is pending: what ends it without a card is no card, and it is asked for again.
@Suite struct PendingReadTests {
    private static func failures(_ signals: [ReaderSignal]) -> [String] {
        signals.compactMap { if case .activationFailed(_, let why) = $0 { why } else { nil } }
    }

    /// An encoder that is ready, and has been for a while.
    private static func ready<Link: EncoderLink>(
        _ link: Link.Type, _ habits: EncoderSimulator.Habits = .init()
    ) -> EncoderBench<Link> {
        var bench = EncoderHabits.ready(link, habits)
        bench.run(.seconds(2))
        bench.signals = []
        return bench
    }

    // MARK: Statuses by themselves

    /// Without lights it says so to each light: that is no card, and is not asked for twice.
    @Test func lightsThatAreRefused() throws {
        var habits = EncoderSimulator.Habits()
        habits.refusesLights = true
        var bench = EncoderBench<WireLink>(habits)
        bench.start()
        bench.run(.seconds(5))
        #expect(bench.swipes.isEmpty)
        #expect(bench.signals.filter { $0 == .ready(expiresIn: nil) }.count == 1)
        #expect(bench.complaints.count == 1)
        #expect(bench.encoder.isWaitingForCard)
        for _ in 0..<20 {
            bench.signals = []
            bench.hear(bench.encoder.swipe(try EncodedCard(Cards.all).stripes))
            bench.run(.seconds(2))
            #expect(bench.signals.count == 1)
            #expect(bench.swipes.map { $0.tracks.map(\.outcome.clear) } == [Cards.all])
            #expect(bench.encoder.isWaitingForCard)
        }
        #expect(bench.sent.count { (0x81...0x85).contains($0[1]) } == 1)
    }

    /// Whatever each read ends with at once: no card, not ready, told in words once, and asked again for ever.
    @Test(arguments: [UInt8(0x30), 0x31, 0x32, 0x34, 0x39, 0x41]) func aReadThatEndsAtOnce(status: UInt8) {
        var habits = EncoderSimulator.Habits()
        habits.endsReadsWith = status
        var bench = EncoderBench<ReportLink>(habits)
        bench.start()
        bench.run(.seconds(60))
        #expect(bench.swipes.isEmpty)
        #expect(!bench.signals.contains(.ready(expiresIn: nil)))
        #expect(Self.failures(bench.signals).count == 1)
        #expect(bench.sent.count < 200)
        bench.encoder.habits.endsReadsWith = nil
        bench.run(.seconds(60))
        #expect(bench.signals.last == .ready(expiresIn: nil))
        #expect(bench.encoder.isWaitingForCard)
    }

    /// The same with a block around it: an empty one that comes at once is no card's either.
    @Test(arguments: [UInt8(0x31), 0x32, 0x34, 0x39, 0x41]) func anEmptyBlockAtOnce(status: UInt8) throws {
        var bench = Self.ready(ReportLink.self)
        bench.hear(bench.encoder.swipe(try EncodedCard(Cards.all).stripes))
        bench.signals = []
        let sent = bench.sent.count
        for _ in 0..<100 {
            bench.hear([0x1B, 0x73, 0x1B, 1, 0x1B, 2, 0x1B, 3, 0x3F, 0x1C, 0x1B, status])
            bench.run(.milliseconds(20))
        }
        #expect(bench.swipes.isEmpty)
        #expect(bench.sent.count - sent < 20)
    }

    /// It fails later than at once, again and again: cards are told up to a limit, and none behind it until one is read.
    @Test(arguments: [UInt8(0x31), 0x32, 0x39, 0x41]) func failuresWithoutEnd(status: UInt8) throws {
        var bench = Self.ready(ReportLink.self)
        for _ in 0..<1000 {
            bench.hear([0x1B, status])
            bench.run(.milliseconds(150))
        }
        #expect(bench.swipes.count < MSRDialogue.mostFailures)
        #expect(bench.signals.contains(.lost))
        bench.run(.seconds(60))
        bench.signals = []
        bench.hear(bench.encoder.swipe(try EncodedCard(Cards.all).stripes))
        bench.run(.seconds(1))
        bench.hear([0x1B, status])
        #expect(bench.swipes.count == 2)
    }

    /// A block that comes twice in one write, or again as soon as the read is asked for, is one card; the next one is another, also
    /// where it is the same card again.
    @Test func anAnswerThatComesTwice() throws {
        var bench = Self.ready(WireLink.self)
        let block = bench.encoder.swipe(try EncodedCard(Cards.all).stripes)
        bench.hear(block + block)
        bench.run(MSRDialogue.settling / 2)
        bench.hear(block)
        #expect(bench.takeSwipes().count == 1)
        bench.run(.seconds(1))
        #expect(bench.encoder.isWaitingForCard)
        bench.hear(bench.encoder.swipe(try EncodedCard(Cards.all).stripes))
        #expect(bench.takeSwipes().count == 1)
    }

    /// Whatever comes at each read at once, with data or without, again and again: no cards pass so fast.
    @Test(arguments: [true, false]) func answersFasterThanCards(hasData: Bool) throws {
        var bench = Self.ready(WireLink.self)
        let empty: [UInt8] = [0x1B, 0x73, 0x1B, 1, 0x1B, 2, 0x1B, 3, 0x3F, 0x1C, 0x1B, 0x30]
        bench.signals = []
        for number in 0..<1000 {
            guard bench.encoder.isWaitingForCard else {
                bench.run(.milliseconds(20))
                continue
            }
            let texts: [String?] = [nil, ";4111111111111111=29121010000000\(1000 + number)?", nil]
            let block = bench.encoder.swipe(try EncodedCard(texts).stripes)
            bench.hear(hasData ? block : empty)
        }
        #expect(bench.swipes.count < 2 * MSRDialogue.mostHasty)
        #expect(Self.failures(bench.signals).count == 1)
        bench.run(.seconds(60))
        bench.signals = []
        bench.hear(bench.encoder.swipe(try EncodedCard(Cards.all).stripes))
        #expect(bench.swipes.count == 1)
    }

    /// Each read gives an answer that is none: asked again up to a limit, told in words once.
    @Test func brokenAnswersWithoutEnd() {
        var bench = Self.ready(WireLink.self)
        let before = bench.sent.count
        for _ in 0..<1000 where bench.encoder.isWaitingForCard {
            bench.hear([0x1B, 0x73, 0x1B, 0x02])
        }
        #expect(bench.sent.count - before <= 3 * MSRDialogue.mostFailures)
        #expect(Self.failures(bench.signals).count == 1)
    }

    /// What a reset is answered with while a line is looked at is no card.
    @Test func aStatusWithinALook() {
        var bench = Self.ready(WireLink.self)
        bench.perform(bench.driver.request(.testCommunication).1)
        bench.encoder.isMute = true
        bench.perform(bench.driver.request(.testCommunication).1)
        bench.hear([0x1B, 0x41])
        #expect(bench.swipes.isEmpty)
    }

    // MARK: Reads that are gone

    /// Whatever ended the read, it is pending again soon, and nothing is said of a card.
    private static func isReadAgain<Link: EncoderLink>(
        _ bench: EncoderBench<Link>, _ why: String, after happens: (inout EncoderBench<Link>) -> Void
    ) throws {
        var bench = bench
        // The device gave what is lost, and waits for nothing.
        _ = bench.encoder.swipe(try EncodedCard(Cards.all).stripes)
        #expect(!bench.encoder.isWaitingForCard, "\(why)")
        happens(&bench)
        bench.run(.seconds(1))
        #expect(bench.swipes.isEmpty, "\(why)")
        #expect(bench.encoder.isWaitingForCard, "\(why)")
        bench.hear(bench.encoder.swipe(try EncodedCard(Cards.all).stripes))
        #expect(bench.swipes.count == 1, "\(why)")
    }

    @Test func aBlockThatIsLostAsAWhole() throws {
        let reports = Self.ready(ReportLink.self)
        try Self.isReadAgain(reports, "overrun") { $0.perform($0.driver.inputsLost()) }
        try Self.isReadAgain(reports, "short") {
            $0.perform($0.driver.receive(HIDReport(bytes: [0xFF, 0x1B])))
        }
        try Self.isReadAgain(reports, "empty") { $0.perform($0.driver.receive(HIDReport(bytes: []))) }
        let wire = Self.ready(WireLink.self)
        try Self.isReadAgain(wire, "overrun") { $0.perform($0.driver.inputsLost()) }
    }

    @Test(arguments: [UInt8(0x30), 0x34]) func aStatusThatMayHaveEndedIt(status: UInt8) throws {
        try Self.isReadAgain(Self.ready(ReportLink.self), "status") { $0.hear([0x1B, status]) }
        try Self.isReadAgain(Self.ready(WireLink.self), "status") { $0.hear([0x1B, status]) }
    }

    /// Another program took it away: nobody says so, and a look finds out.
    @Test func anotherProgramsReset() throws {
        var bench = Self.ready(ReportLink.self)
        _ = bench.encoder.receive([0x1B, 0x61])
        #expect(!bench.encoder.isWaitingForCard)
        bench.run(.seconds(3600))
        #expect(bench.encoder.isWaitingForCard)
        #expect(bench.signals.isEmpty)
    }

    /// Losses without end are answered at the pace of the settling, not of the losses.
    @Test func lossesWithoutEnd() {
        var bench = Self.ready(ReportLink.self)
        let before = bench.sent.count
        for _ in 0..<1000 {
            bench.perform(bench.driver.inputsLost())
            bench.run(.milliseconds(1))
        }
        #expect(bench.sent.count - before < 40)
        bench.run(.seconds(1))
        #expect(bench.encoder.isWaitingForCard)
    }

    /// What comes again and again, faster than the read can be seen to stand, ends the read all the same.
    @Test func noiseThatNeverPauses() {
        var bench = Self.ready(WireLink.self)
        for _ in 0..<200 {
            bench.hear([0x1B, 0x30])
            bench.run(.milliseconds(50))
        }
        #expect(bench.signals.contains(.lost))
        #expect(Self.failures(bench.signals).count == 1)
    }

    /// One that takes lights is not left in the dark for one status that nobody understands.
    @Test func aStrayStatusDarkensNoLights() throws {
        var bench = Self.ready(WireLink.self)
        bench.hear(bench.encoder.swipe(try EncodedCard(Cards.all).stripes))
        bench.hear([0x1B, 0x41])
        bench.run(.seconds(1))
        #expect(bench.complaints.isEmpty)
        let sent = bench.sent.count
        bench.hear(bench.encoder.swipe(try EncodedCard(Cards.all).stripes))
        #expect(bench.sent[sent...].contains([0x1B, 0x83]))
    }

    /// A virtual one is asked nothing: it never falls silent.
    @Test func aRecordingOfFailures() throws {
        var driver = MSRLineDriver(
            DeviceIdentity(readerID: "recording", bus: .serial, node: "", isSimulated: true))
        var actions = driver.start()
        for _ in 0..<30 {
            actions += driver.receive(
                SerialBytes([0x1B, 0x73, 0x1B, 1, 0x1B, 2, 0x1B, 3, 0x3F, 0x1C, 0x1B, 0x31]))
        }
        #expect(actions.count { if case .signal(.swiped) = $0 { true } else { false } } == 30)
        #expect(!actions.contains { if case .command = $0 { true } else { false } })
    }

    // MARK: Looks

    /// A look ends the read: a card that is passing then is not read, which nobody can tell. So looks are rare, and the next card
    /// is read.
    @Test func aCardThatPassesDuringALook() throws {
        var bench = Self.ready(WireLink.self)
        let card = try EncodedCard(Cards.all)
        let wait = try #require(bench.timer?.length)
        #expect(wait >= .seconds(15 * 60))
        bench.run(wait - .seconds(5))
        bench.encoder.beginSwipe(card.stripes)
        bench.run(.milliseconds(100))
        bench.hear(bench.encoder.endSwipe())
        #expect(bench.takeSwipes().map { $0.tracks.map(\.outcome.clear) } == [Cards.all])
        bench.run(.seconds(1))
        // From the last card on, it is quiet for as long again.
        bench.run(wait - .seconds(2))
        #expect(bench.encoder.isWaitingForCard)
        let resets = bench.encoder.resets
        bench.encoder.beginSwipe(card.stripes)
        bench.run(.seconds(2))
        #expect(bench.encoder.resets > resets)
        #expect(bench.encoder.endSwipe() == [])
        #expect(bench.signals.isEmpty)
        bench.hear(bench.encoder.swipe(card.stripes))
        #expect(bench.takeSwipes().count == 1)
    }

    /// The block of a card that passed just before the look, cut by it anywhere: it is one card, and the look is done all the same.
    private static func isNotCut<Link: EncoderLink>(
        _ link: Link.Type, _ first: Duration, _ gap: Duration
    ) throws {
        var bench = Self.ready(Link.self)
        // It answers the look once it has given the block.
        let block = bench.encoder.swipe(try EncodedCard(Cards.all).stripes)
        bench.encoder.habits.answersAfter = first + gap + .milliseconds(50)
        let resets = bench.encoder.resets
        bench.fireTimer()
        #expect(bench.encoder.resets == resets + 1)
        for cut in 0..<bench.inputs(of: block).count {
            var cutBench = bench
            cutBench.run(first)
            cutBench.hear(block, cutBefore: cut, for: gap)
            cutBench.run(.seconds(10))
            #expect(cutBench.swipes.map { $0.tracks.map(\.outcome.clear) } == [Cards.all], "\(cut)")
            #expect(cutBench.complaints.isEmpty && !cutBench.signals.contains(.lost), "\(cut)")
            #expect(cutBench.encoder.isWaitingForCard, "\(cut)")
        }
    }

    @Test(arguments: [0, 100, 300, 400, 499], [0, 1, 100, 200]) func anAnswerThatALookCuts(
        first: Int, gap: Int
    ) throws {
        try Self.isNotCut(WireLink.self, .milliseconds(first), .milliseconds(gap))
        try Self.isNotCut(ReportLink.self, .milliseconds(first), .milliseconds(gap))
    }

    /// An answer that the look's reset ended is none, and told as one that breaks off; the look goes on.
    @Test func anAnswerThatALookEnds() throws {
        var bench = Self.ready(WireLink.self)
        let block = bench.encoder.swipe(try EncodedCard(Cards.all).stripes)
        bench.encoder.isMute = true
        bench.fireTimer()
        for count in [1, 5, 20, block.count - 1] {
            var cutBench = bench
            cutBench.run(.milliseconds(480))
            cutBench.hear(Array(block.prefix(count)))
            cutBench.encoder.isMute = false
            cutBench.run(.seconds(10))
            #expect(cutBench.swipes.isEmpty, "\(count)")
            #expect(cutBench.encoder.isWaitingForCard, "\(count)")
        }
    }

    /// Beginnings of answers without end hold up no look.
    @Test func beginningsWithoutEnd() {
        var bench = Self.ready(WireLink.self)
        bench.encoder.isMute = true
        bench.fireTimer()
        for _ in 0..<200 {
            bench.hear([0x1B, 0x73, 0x1B, 0x01, 0x30])
            bench.run(.milliseconds(100))
        }
        #expect(bench.signals.contains(.lost))
    }

    // MARK: The end

    /// What is whole when the device goes is told, and nothing is asked or complained of.
    @Test func whatIsWholeAtTheEnd() throws {
        let block = try {
            var encoder = EncoderSimulator()
            _ = encoder.receive([0x1B, 0x6D])
            return encoder.swipe(try EncodedCard([Cards.track1, Cards.track2, nil]).stripes)
        }()
        for count in 0...block.count {
            var bench = Self.ready(WireLink.self)
            // The beginning of an answer, which is none: the searcher waits for its end.
            bench.hear([0x1B, 0x73, 0x1B, 0x01, 0xFF] + block.prefix(count))
            let sent = bench.sent.count
            bench.perform(bench.driver.inputsEnded())
            #expect(bench.sent.count == sent)
            let texts = count == block.count ? [[Cards.track1, Cards.track2, nil]] : []
            #expect(bench.swipes.map { $0.tracks.map(\.outcome.clear) } == texts, "\(count)")
        }
    }
}
