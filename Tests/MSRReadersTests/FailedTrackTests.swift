import CardData
import ReaderKit
import ReaderTesting
import Testing
import WaveformSynthesis

@testable import MSRReaders

/// Tracks that an encoder, or the decoder behind it, could not read: each has its reason, and no other's.
@Suite struct FailedTrackTests {
    private static func outcomes(
        _ card: EncodedCard, _ habits: EncoderSimulator.Habits, _ options: ReaderOptions = ReaderOptions()
    ) throws -> [TrackOutcome] {
        var bench = EncoderHabits.ready(WireLink.self, habits, options)
        bench.swipe(card)
        return try #require(bench.takeSwipes().first).tracks.map(\.outcome)
    }

    /// An encoder that is known to have its first bit at the low end: the reasons are of its bits as they passed.
    @Test func reasonsOfTheKnownWay() throws {
        var habits = EncoderSimulator.Habits()
        var damaged = try EncodedCard([nil, Cards.track2, nil])
        damaged.damage(track: 2, bit: 30 + 5 * 10)
        let usual = try Self.outcomes(damaged, habits)
        #expect(usual[1] == .refused(.parity(atBit: 80)))
        habits.lowBitFirst = true
        var bench = EncoderHabits.ready(WireLink.self, habits)
        bench.swipe(try EncodedCard(Cards.all))
        _ = bench.takeSwipes()
        bench.swipe(damaged)
        #expect(try #require(bench.takeSwipes().first).tracks.map(\.outcome) == usual)
        // It is not bound to it.
        bench.encoder.habits.lowBitFirst = false
        bench.swipe(try EncodedCard(Cards.all))
        #expect(bench.takeSwipes().first?.tracks.map(\.outcome.clear) == Cards.all)
    }

    /// By the manual nothing stands for a track that failed, and the status says so; in the field there is a mark.
    @Test(arguments: EncoderSimulator.Habits.Failed.allCases) func textsThatFailed(
        way: EncoderSimulator.Habits.Failed
    ) throws {
        var habits = EncoderSimulator.Habits()
        habits.failed = way
        var card = try EncodedCard(Cards.all)
        card.damage(track: 2, bit: 80)
        let outcomes = try Self.outcomes(card, habits, EncoderHabits.iso())
        #expect(outcomes.map(\.clear) == [Cards.track1, nil, Cards.track3])
        #expect(outcomes[1] == .refused(.malformed))
        let blank = try Self.outcomes(try EncodedCard([Cards.track1, nil, nil]), habits, EncoderHabits.iso())
        #expect(blank.dropFirst() == [.empty, .empty])
    }

    /// A mark among bits is taken and named, and so is a read that failed without a block.
    @Test func rawTracksThatFailed() throws {
        var habits = EncoderSimulator.Habits()
        habits.failed = .mark
        var card = try EncodedCard(Cards.all)
        card.damage(track: 2, bit: 80)
        var bench = EncoderHabits.ready(ReportLink.self, habits)
        bench.swipe(card)
        let outcomes = try #require(bench.takeSwipes().first).tracks.map(\.outcome)
        #expect(outcomes.map(\.clear) == [Cards.track1, nil, Cards.track3])
        #expect(outcomes[1] == .refused(.malformed))
        #expect(EncoderHabits.variants(bench.driver) == "failedMark")
        bench.encoder.habits.omitsFailedBlock = true
        bench.swipe(card)
        let unread = try #require(bench.takeSwipes().first)
        #expect(
            unread.tracks.allSatisfy { $0.outcome == .refused(.malformed) } && unread.quality.hint == .noisy)
        #expect(bench.encoder.isWaitingForCard)
    }

    /// A failure with a block in which nothing stands: no track is known to be blank.
    @Test(arguments: [UInt8(0x31), 0x32, 0x39, 0x41]) func nothingAndAFailure(status: UInt8) throws {
        for options in [ReaderOptions(), EncoderHabits.iso()] {
            var bench = EncoderHabits.ready(WireLink.self, .init(), options)
            bench.hear([0x1B, 0x73, 0x1B, 1, 0x1B, 2, 0x1B, 0x2B, 0x1B, 3, 0x3F, 0x1C, 0x1B, status])
            let swipe = try #require(bench.takeSwipes().first)
            #expect(swipe.tracks.allSatisfy { $0.outcome == .refused(.malformed) })
        }
    }

    /// Tracks with nothing in their place, and a read error that none of them shows: nobody knows which are blank.
    @Test(arguments: [UInt8(0x31), 0x32, 0x39, 0x41]) func rawTracksOfWhichOneFailed(status: UInt8) throws {
        var bench = EncoderHabits.ready(WireLink.self)
        var block = bench.encoder.swipe(try EncodedCard([Cards.track1, nil, nil]).stripes)
        block[block.count - 1] = status
        bench.hear(block)
        let outcomes = try #require(bench.takeSwipes().first).tracks.map(\.outcome)
        #expect(outcomes[0].clear == Cards.track1)
        #expect(outcomes[1...].allSatisfy { $0 == .refused(.malformed) })
    }

    /// A byte of one track is lost on the line: its length does not count itself, since another's does not.
    @Test func aByteThatIsLost() throws {
        var bench = EncoderHabits.ready(WireLink.self)
        let block = bench.encoder.swipe(try EncodedCard([Cards.track1, Cards.track2, nil]).stripes)
        for place in 5..<(5 + Int(block[4])) {
            var cut = block
            cut.remove(at: place)
            let parser = MSRBlockParser(reading: .raw, bytes: cut[...], isOver: true)
            #expect(parser.parse() == .impossible, "\(place)")
        }
    }

    /// A few bits are something, and too few.
    @Test func aFewBits() throws {
        var card = try EncodedCard([nil, Cards.track2, nil])
        card.cut(track: 2, to: 32)
        card.stripes[1] = .unreadable(bits: [0, 0, 1, 0, 1, 0, 0, 1])
        #expect(try Self.outcomes(card, .init())[1] == .refused(.tooShort(atBit: 2)))
        card.stripes[1] = .unreadable(bits: Array(repeating: 0, count: 8))
        #expect(try Self.outcomes(card, .init())[1] == .empty)
    }

    private static func swipe(_ tracks: [String], _ status: UInt8) -> Swipe? {
        var bench = EncoderHabits.ready(WireLink.self, .init(), EncoderHabits.iso())
        var marked: [UInt8] = []
        for (index, track) in tracks.enumerated() {
            marked += [0x1B, UInt8(index + 1)] + Array(track.utf8)
        }
        bench.hear([0x1B, 0x73] + marked + [0x3F, 0x1C, 0x1B, status])
        return bench.takeSwipes().first
    }

    /// Of texts the status is all the proof there is.
    @Test(arguments: [UInt8(0x31), 0x32, 0x34, 0x39, 0x41, 0x35]) func textsThatTheEncoderDoesNotStandBy(
        status: UInt8
    ) throws {
        let swipe = try #require(Self.swipe(Cards.all.compactMap(\.self), status))
        #expect(swipe.tracks.allSatisfy { $0.text == nil })
        #expect(Self.swipe(Cards.all.compactMap(\.self), 0x30)?.tracks.map(\.outcome.clear) == Cards.all)
    }

    @Test func aTextInAnotherTracksPlace() throws {
        let swipe = try #require(Self.swipe([Cards.track2, Cards.track1, Cards.track3], 0x30))
        #expect(swipe.tracks.map(\.outcome.clear) == [nil, nil, Cards.track3])
    }

    // MARK: Garbage

    /// Of all values, and touching the answer: the card is told once, unless the garbage has an answer's own beginning in it.
    private static func garbageTouches<Link: EncoderLink>(_ link: Link.Type, _ options: ReaderOptions) throws
    {
        var random = SeededRandom(seed: 13)
        let marks: [UInt8] = [0x1B, 0x73, 0x01, 0x02, 0x03, 0x3F, 0x1C]
        let card = try EncodedCard([Cards.track1, Cards.track2, nil])
        for number in 0..<1000 {
            var bench = EncoderHabits.ready(link, .init(), options)
            bench.pieces = Int.random(in: 1...70, using: &random)
            let garbage = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random) : marks.randomElement(using: &random) ?? 0
            }
            bench.hear(garbage + bench.encoder.swipe(card.stripes))
            bench.run(.milliseconds(300))
            let texts = bench.swipes.filter { $0.card != nil }.map { $0.tracks.map(\.outcome.clear) }
            #expect(texts == [[Cards.track1, Cards.track2, nil]], "\(number): \(garbage)")
            bench.run(.seconds(1))
            #expect(bench.encoder.isWaitingForCard, "\(number)")
        }
    }

    @Test func garbageThatTouchesAnAnswer() throws {
        try Self.garbageTouches(ReportLink.self, ReaderOptions())
        try Self.garbageTouches(WireLink.self, ReaderOptions())
        try Self.garbageTouches(WireLink.self, EncoderHabits.iso())
    }

    @Test(arguments: [
        [UInt8(0x1B), 0x73], [0x1B], [0x1B, 0x73, 0x1B], [0x1B, 0x73, 0x1B, 0x01],
        [0x1B, 0x73, 0x1B, 0x01, 0xFF],
    ])
    func theBeginningOfAnAnswerInFront(garbage: [UInt8]) throws {
        for pieces in [1, 2, 7, 1000] {
            var bench = EncoderHabits.ready(WireLink.self)
            bench.pieces = pieces
            bench.hear(garbage + bench.encoder.swipe(try EncodedCard(Cards.all).stripes))
            bench.run(.milliseconds(300))
            #expect(bench.takeSwipes().map { $0.tracks.map(\.outcome.clear) } == [Cards.all], "\(pieces)")
            // In a message of its own, whose end the next one's beginning shows at once.
            var reports = EncoderHabits.ready(ReportLink.self)
            reports.hear(garbage)
            reports.hear(reports.encoder.swipe(try EncodedCard(Cards.all).stripes))
            #expect(reports.takeSwipes().map { $0.tracks.map(\.outcome.clear) } == [Cards.all])
        }
    }
}
