import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// Two passes of one card, each of which has lost another stretch, are read as one; two cards are not.
@Suite struct TwoPassesTests {
    /// A pass of which the head misses stretches, at parts of the stripe's length, with half of a pause on each side.
    private struct Pass {
        var text: String
        var lost: [Double]
        var pause = 0.8
        var isBackward = false

        func samples(seed: UInt64) throws -> [Int16] {
            let track = text.hasPrefix("%") ? 1 : text.count > 60 ? 3 : 2
            var recipe = try RoundTrip.recipe(track: track) { _ in text }
            recipe.isBackward = isBackward
            recipe.lifts = lost.map {
                HeadLift(centre: $0, millimetres: 8, amplitude: 0, isAbrupt: true)
            }
            recipe.silence = pause / 2
            return StripeSynthesizer.samples(recipe, seed: seed)
        }
    }

    private static func read(_ passes: [Pass]) throws -> [StripeSwipe] {
        var samples: [Int16] = []
        for (number, pass) in passes.enumerated() { samples += try pass.samples(seed: UInt64(number)) }
        return RoundTrip.swipes(samples, sampleRate: 44_100)
    }

    /// Numbers with a right check digit: of two passes of a payment card it is asked for.
    private static func text(_ track: Int) -> String {
        switch track {
        case 1: "%B4111111111111111^BUSH JR/GEORGE W.MR^2712101100001100000000046000000?"
        case 2: ";4111111111111111=271210110000047?"
        default: ";014111111111111111=9784000130700052084000619300==0130700052084000619300=12345678?"
        }
    }

    @Test(arguments: [1, 2, 3], [false, true]) func eachGivesWhatTheOtherLost(
        track: Int, isToAndFro: Bool
    ) throws {
        let text = Self.text(track)
        let swipes = try Self.read([
            Pass(text: text, lost: [0.3]),
            Pass(text: text, lost: [0.65], isBackward: isToAndFro),
        ])
        #expect(swipes.map(\.hasText) == [false, true])
        let last = try #require(swipes.last)
        #expect(RoundTrip.texts([last]) == [text])
        #expect(last.quality.isJoined)
        #expect(last.quality.direction == (isToAndFro ? .backward : .forward))
        #expect(try #require(last.quality.speed) > 15)
        #expect(last.startSample > swipes[0].endSample)
    }

    /// The second has lost what both of the others have.
    @Test(arguments: [1, 2]) func theThirdPassMayHelpTheFirst(track: Int) throws {
        let text = Self.text(track)
        let swipes = try Self.read([
            Pass(text: text, lost: [0.3]), Pass(text: text, lost: [0.3, 0.65]),
            Pass(text: text, lost: [0.65]),
        ])
        #expect(swipes.map(\.hasText) == [false, false, true])
    }

    /// Nothing is made of what neither has.
    @Test(arguments: [1, 2, 3]) func whatBothLostIsLost(track: Int) throws {
        let text = Self.text(track)
        let swipes = try Self.read([
            Pass(text: text, lost: [0.45]), Pass(text: text, lost: [0.5]),
        ])
        #expect(swipes.map(\.hasText) == [false, false])
    }

    /// Characters that both passes have and that differ: two cards of a series.
    @Test(arguments: [
        (";4111111111111111=271210110000047?", ";4111111111111111=271210110000074?"),
        (";4111111111111111=271210110000047?", ";5105105105105100=271210110000047?"),
        (";4111111111111111=271210110000047?", ";4111111111111111=281210110000047?"),
    ])
    func twoCardsAreNotOne(first: String, second: String) throws {
        for (one, other) in [(0.4, 0.65), (0.65, 0.4)] {
            let swipes = try Self.read([Pass(text: first, lost: [one]), Pass(text: second, lost: [other])])
            #expect(swipes.map(\.hasText) == [false, false])
            let same = try Self.read([Pass(text: first, lost: [one]), Pass(text: first, lost: [other])])
            #expect(same.map(\.hasText) == [false, true])
        }
    }

    /// Everything speaks for a payment card but the check digit of its number: more likely two cards than one.
    @Test func aPaymentCardsNumberHasToBeRight() throws {
        let text = ";4111111111111112=271210110000047?"
        #expect(RoundTrip.texts(try Self.read([Pass(text: text, lost: [])])) == [text])
        let swipes = try Self.read([Pass(text: text, lost: [0.3]), Pass(text: text, lost: [0.65])])
        #expect(swipes.map(\.hasText) == [false, false])
    }

    /// Who comes later is the next customer.
    @Test func aPassIsForgottenAfterFourSeconds() throws {
        let text = Self.text(2)
        for (pause, isRead) in [(3.6, true), (4.6, false)] {
            let swipes = try Self.read([
                Pass(text: text, lost: [0.3], pause: pause),
                Pass(text: text, lost: [0.65], pause: pause),
            ])
            #expect(swipes.last?.hasText == isRead, "\(pause) s")
        }
    }

    /// After a card that was read, another one is expected.
    @Test func aPassIsForgottenWithTheNextCard() throws {
        let text = Self.text(2)
        let swipes = try Self.read([
            Pass(text: text, lost: [0.3]), Pass(text: ";5105105105105100=271210100000123?", lost: []),
            Pass(text: text, lost: [0.65]),
        ])
        #expect(swipes.map(\.hasText) == [false, true, false])
    }

    /// Samples that were lost: nothing before them is believed to belong to what comes.
    @Test func aPassIsForgottenWhereSamplesWereLost() throws {
        let first = try Pass(text: Self.text(2), lost: [0.3]).samples(seed: 1)
        let second = try Pass(text: Self.text(2), lost: [0.65]).samples(seed: 2)
        var decoder = StripeDecoder(sampleRate: 44_100)
        var events = decoder.process(first.span)
        decoder.interrupt()
        events += decoder.process(second.span)
        events += decoder.finish()
        let hasText = events.contains { if case .swipe(let swipe) = $0 { swipe.hasText } else { false } }
        #expect(!hasText)
    }

    // MARK: The parts

    private static func run(_ text: String, cell: Double = 60, from start: Double = 0) -> IntervalClock.Run {
        let bits = text.utf8.compactMap { $0 == 48 ? 0 : $0 == 49 ? UInt8(1) : nil }
        return IntervalClock.Run(bits: bits, edges: (0...bits.count).map { start + cell * Double($0) })
    }

    private static func pass(
        _ runs: [IntervalClock.Run], refusal: TrackRefusal = .noEndSentinel(atBit: 0), isSeamed: Bool = false
    ) -> RefusedPass? {
        var reading = SwipeReading()
        reading.runs = runs
        reading.refusal = refusal
        reading.isSeamed = isSeamed
        return RefusedPass(
            ReadSwipe(swipe: .unreadable(0..<9_000), reading: reading, samples: []), range: 0..<9_000)
    }

    /// Two thirds of a card's bits and their last third, of which the other pass has all.
    private static let beginning = "0000000011010001000011010110100010001001"
    private static let middle = "000000010001000010000101"
    private static let end = "0011100111001110011101100000100010000110"

    private static func joined(_ between: [IntervalClock.Run], restFrom start: Double) throws -> [UInt8]? {
        let whole = try #require(pass([run(beginning + middle + end)]))
        let broken = try #require(pass([run(beginning)] + between + [run(end, from: start)]))
        let turned = try #require(
            pass(
                [run(String(end.reversed()))] + between.reversed() + [
                    run(String(beginning.reversed()), from: start)
                ]))
        let bits = TwoPasses(whole, broken, isTurned: false)?.bits
        #expect(TwoPasses(broken, whole, isTurned: false)?.bits == bits)
        #expect(TwoPasses(whole, turned, isTurned: true)?.bits == bits)
        return bits
    }

    @Test func theGapOfOnePassIsTheOthers() throws {
        let cells = Double(Self.beginning.count + Self.middle.count)
        #expect(
            try Self.joined([], restFrom: 60 * cells)
                == Self.run(Self.beginning + Self.middle + Self.end).bits)
        // Noise in the gap.
        let noise = Self.run("0110", from: 3_000)
        #expect(try Self.joined([noise], restFrom: 60 * cells) != nil)
    }

    /// Half of the cells have passed, or twice as many.
    @Test(arguments: [0.5, 2]) func theTimeOfAGapIsThatOfItsCells(part: Double) throws {
        let cells = Double(Self.beginning.count) + part * Double(Self.middle.count)
        #expect(try Self.joined([], restFrom: 60 * cells) == nil)
    }

    /// What was read in the gap is something else.
    @Test func bitsThatDifferAreNoGap() throws {
        let cells = Double(Self.beginning.count + Self.middle.count)
        #expect(try Self.joined([Self.run("1101011010", from: 3_000)], restFrom: 60 * cells) == nil)
    }

    @Test func aPassThatWasRefusedForADoubtHelpsNone() {
        let runs = [Self.run(Self.beginning)]
        #expect(Self.pass(runs) != nil)
        #expect(Self.pass(runs, isSeamed: true) == nil)
        #expect(Self.pass(runs, refusal: .ambiguous(.unsureBits, atBit: 3)) == nil)
        #expect(Self.pass(runs, refusal: .ambiguous(.piece, atBit: 3)) != nil)
        #expect(Self.pass(Array(repeating: Self.run(Self.beginning), count: 60)) == nil)
    }

    private static func common(_ first: String, _ second: String) -> [Range<Int>]? {
        let bits = [first, second].map {
            PassBits(run($0), reliability: $0.map { _ in 1 }, isTurned: false)
        }
        return CommonStretch(bits[0], bits[1], runs: [0, 0])?.places
    }

    @Test func theLongestCommonStretchIsFound() {
        let shared = "11010010110001110101101001110010"
        #expect(Self.common("000\(shared)10", "11\(shared)0111") == [3..<35, 2..<34])
        #expect(Self.common(shared, String(shared.prefix(23))) == nil)
    }

    /// Of a row of one character nobody can say which is which.
    @Test func aRowOfOneCharacterIsNoPlace() {
        let zeros = String(repeating: "00001", count: 12)
        #expect(Self.common(zeros, zeros) == nil)
        #expect(Self.common("11010110110\(zeros)", "11010110110\(zeros)") != nil)
    }
}
