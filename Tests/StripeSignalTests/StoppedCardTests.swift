import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// Cards that stop on their way, or are pulled back and go on, are read as one.
@Suite struct StoppedCardTests {
    private static let track2 = StripeFormat.standard[0]

    /// Without rows of one character, in which nothing tells where a card stopped.
    private static func text(_ track: Int) -> String {
        switch track {
        case 1: "%B6037429158304716^MILER/ANA JANE^2712101539274806153?"
        case 2: ";6037429158304716=271210153927480?"
        default: ";017206934158267304=972458163902714=21306524917382956=1306524917382951?"
        }
    }

    private static func recipe(track: Int, back: Double, pause: Double, place: Double = 0.5) throws
        -> StripeRecipe
    {
        var recipe = try RoundTrip.recipe(track: track) { _ in text(track) }
        recipe.speed.reversal = SpeedProfile.Reversal(
            place: place, millimetres: back, pauseSeconds: pause)
        return recipe
    }

    /// Most of them: where the card stands right over a reversal, that one may be lost.
    private static func read(_ track: Int, back: Double, pause: Double) throws -> [StripeSwipe] {
        try (0..<8).compactMap { number in
            let recipe = try recipe(
                track: track, back: back, pause: pause, place: 0.3 + 0.05 * Double(number))
            let swipes = RoundTrip.swipes(recipe, seed: UInt64(number))
            let texts = RoundTrip.texts(swipes)
            let right = text(track)
            #expect(texts.allSatisfy { $0 == right })
            return swipes.first(where: \.hasText)
        }
    }

    @Test(arguments: [1, 2, 3], [0.03, 0.5, 1.8]) func aStopIsReadAcross(track: Int, pause: Double) throws {
        let read = try Self.read(track, back: 0, pause: pause)
        #expect(read.count >= 4)
        #expect(!read.filter(\.quality.isJoined).isEmpty)
    }

    @Test(arguments: [1, 2, 3], [0.0, 0.5]) func aCardThatIsPulledBackIsPutTogether(
        track: Int, pause: Double
    ) throws {
        for back in [8.0, 20] {
            let read = try Self.read(track, back: back, pause: pause)
            #expect(read.count >= 3, "\(back) mm")
            #expect(!read.filter(\.quality.isJoined).isEmpty)
        }
    }

    /// Of a row of zeros nothing tells how many there are, where the card stood on it.
    @Test(arguments: [0.03, 0.5]) func aStopInARowOfZerosIsRefused(pause: Double) throws {
        for number in 0..<6 {
            var recipe = try RoundTrip.recipe(track: 3)
            // The last third of the record, which ends at half of the card.
            recipe.speed.reversal = SpeedProfile.Reversal(
                place: 0.4 + 0.015 * Double(number), millimetres: 0, pauseSeconds: pause)
            let swipes = RoundTrip.swipes(recipe, seed: UInt64(number))
            #expect(RoundTrip.texts(swipes.filter(\.quality.isJoined)).isEmpty)
        }
    }

    /// What ends with a few zeros behind it may be a stretch of a card that turned back there, too.
    @Test func aRecordWithFewZerosBehindItIsNotPutTogether() throws {
        func joined(zeros: Int) throws -> Int {
            try (0..<6).count { number in
                var recipe = try Self.recipe(
                    track: 2, back: 0, pause: 0.5, place: 0.3 + 0.05 * Double(number))
                recipe.trailingZeros = zeros
                return RoundTrip.swipes(recipe, seed: UInt64(number)).contains(where: \.quality.isJoined)
            }
        }
        #expect(try joined(zeros: 4) == 0)
        #expect(try joined(zeros: 20) >= 3)
    }

    /// What passed before a long stop is told at once, and the whole once the rest has passed.
    @Test func bothEventsOfALongStopAreTold() throws {
        let swipes = RoundTrip.swipes(try Self.recipe(track: 2, back: 0, pause: 1), seed: 3)
        #expect(swipes.map(\.hasText) == [false, true])
        #expect(swipes.map(\.quality.isJoined) == [false, true])
        let last = try #require(swipes.last)
        #expect(last.quality.jitterPercent == nil)
        #expect(last.startSample <= swipes[0].startSample + 2000)
    }

    /// Whoever waits for longer has taken the card away.
    @Test func aCardIsNotLookedForBehindThreeSeconds() throws {
        let swipes = RoundTrip.swipes(try Self.recipe(track: 2, back: 0, pause: 3), seed: 3)
        #expect(RoundTrip.texts(swipes).isEmpty)
    }

    /// The first half of one card and the second of another are no card.
    @Test func halvesOfTwoCardsAreNotJoined() throws {
        var first = try Self.recipe(track: 2, back: 0, pause: 1)
        var second = try RoundTrip.recipe(track: 2) { _ in ";4111111111111111=271210100000123?" }
        second.speed.reversal = first.speed.reversal
        (first.speed.shape, second.speed.shape) = (.constant, .constant)
        let one = StripeSynthesizer.samples(first, seed: 1)
        let other = StripeSynthesizer.samples(second, seed: 1)
        let half = min(one.count, other.count) / 2
        let mixed = Array(one[..<half] + other[half...])
        #expect(RoundTrip.texts(RoundTrip.swipes(mixed, sampleRate: 44_100)).isEmpty)
        #expect(!RoundTrip.texts(RoundTrip.swipes(one, sampleRate: 44_100)).isEmpty)
    }

    /// Where the head has no contact for a while nothing is induced either; the pulses on both sides are as high as all others.
    @Test(arguments: [1, 2, 3]) func aGapInTheContactIsNoStop(track: Int) throws {
        for number in 0..<12 {
            var recipe = try RoundTrip.recipe(track: track)
            recipe.lifts = [
                HeadLift(
                    centre: 0.3 + 0.03 * Double(number), millimetres: 7, amplitude: 0, isAbrupt: true)
            ]
            let swipes = RoundTrip.swipes(recipe, seed: UInt64(number))
            #expect(!swipes.contains { $0.quality.isJoined })
            #expect(RoundTrip.texts(swipes).allSatisfy { $0 == RoundTrip.text(track) })
        }
    }

    /// Pulses that get lower on both sides of a gap, and rarer by as much, or at even times.
    private static func unfolded(_ falling: [Float], isRarer: Bool) -> [UnfoldedCard] {
        let before = Array(repeating: 1, count: 40) + falling
        let heights = before + before.reversed()
        var place = 0.0
        let pulses = heights.indices.map { index in
            let speed = isRarer && index > 0 ? Double(heights[index] + heights[index - 1]) / 2 : 1
            place += index == before.count ? 800 : 60 / speed
            return FluxReversal(
                position: place, amplitude: index.isMultiple(of: 2) ? heights[index] : -heights[index],
                confidence: 1)
        }
        return StoppedCard(pulses, cell: 60, usual: 1)?.unfolded() ?? []
    }

    /// Where one pulse alone is low, the edge of a gap in the contact made it.
    @Test func theSecondPulseFromAStopIsLow() {
        #expect(!Self.unfolded([0.9, 0.55, 0.1], isRarer: true).isEmpty)
        #expect(Self.unfolded([0.9, 0.97, 0.1], isRarer: true).isEmpty)
    }

    /// The card stopped, or the head left it.
    @Test func underALiftedHeadTimesStayEven() {
        #expect(!Self.unfolded([0.95, 0.75, 0.5, 0.25], isRarer: true).isEmpty)
        #expect(Self.unfolded([0.95, 0.75, 0.5, 0.25], isRarer: false).isEmpty)
    }

    // MARK: What is read straight through a card that was pulled back

    /// A stretch that comes forward, backward and forward again, with a `slow` cell at each turn.
    private static func retraced(slow: Double) -> IntervalClock.Run {
        let bits: [UInt8] = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1]
        let back = Array(bits.reversed())
        var run = IntervalClock.Run(bits: Array(repeating: 0, count: 20) + bits + [0] + back + [0] + bits)
        run.bits += Array(repeating: 0, count: 20)
        let turns = [20 + bits.count, 21 + 2 * bits.count]
        run.edges = [0]
        for cell in run.bits.indices {
            let near = turns.map { abs(cell - $0) }.min() ?? 0
            run.edges.append((run.edges.last ?? 0) + 40 * (near == 0 ? slow : near == 1 ? slow / 1.6 : 1))
        }
        return run
    }

    @Test func aStretchThatComesThreeTimesIsSeen() throws {
        let run = Self.retraced(slow: 4)
        let cell = try #require(RetracedStretch(run, in: 0..<run.bits.count, as: Self.track2).cell)
        #expect(cell == 33)
    }

    /// The same bits at an even speed are what stands on the card.
    @Test func theSameBitsAtAnEvenSpeedAreNoTurn() {
        let run = Self.retraced(slow: 1)
        #expect(RetracedStretch(run, in: 0..<run.bits.count, as: Self.track2).cell == nil)
    }

    /// Where a card crawls, the clock follows nothing.
    @Test func aCardThatCrawlsIsNotBelieved() {
        var run = IntervalClock.Run(bits: [UInt8](repeating: 0, count: 100))
        run.edges = [0]
        for cell in 0..<100 {
            run.edges.append((run.edges.last ?? 0) + ((40..<52).contains(cell) ? 240.0 : 40))
        }
        #expect(RetracedStretch(run, in: 0..<100, as: Self.track2).cell == 40)
    }
}
