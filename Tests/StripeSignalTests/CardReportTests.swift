import CardData
import Testing

@testable import StripeSignal
@testable import WaveformSynthesis

/// The figures of a report are those that the swipe was made with.
@Suite struct CardReportTests {
    static func report(_ recipe: StripeRecipe, seed: UInt64) throws -> CardReport {
        let swipe = try #require(ReportedSwipes.swipe(recipe, seed: seed))
        return CardReport(swipe, sampleRate: recipe.sampleRate)
    }

    @Test(arguments: [1, 2], [-3.0, -20, -38]) func theLevelIsRight(track: Int, level: Double) throws {
        var recipe = try RoundTrip.recipe(track: track)
        recipe.speed.shape = .constant
        recipe.level = level
        let measured = try #require(try Self.report(recipe, seed: 5).level)
        #expect(abs(measured - level) < 1)
    }

    @Test(arguments: [1, 2], [0.0, 0.02, 0.05]) func theVariationIsRight(track: Int, jitter: Double) throws {
        for isBackward in [false, true] {
            var recipe = try RoundTrip.recipe(track: track)
            recipe.speed.shape = .constant
            recipe.jitter = jitter
            recipe.isBackward = isBackward
            let cells = try #require(try Self.report(recipe, seed: 6).cells)
            let made = try #require(try Self.made(recipe, seed: 6))
            #expect(abs(cells.mean - made.mean) < 1)
            #expect(abs(cells.worst - made.worst) < 1)
        }
    }

    /// The same of the transitions as they were put on the card.
    private static func made(_ recipe: StripeRecipe, seed: UInt64) throws -> CardReport.Variation? {
        var random = SeededRandom(seed: seed)
        let pattern = FluxPattern(recipe, random: &random).places
        let bits = [UInt8](repeating: 0, count: recipe.leadingZeros) + recipe.bits
        var (edges, index) = ([Double](), 0)
        for bit in bits + [UInt8](repeating: 0, count: recipe.trailingZeros) {
            edges.append(pattern[index])
            index += bit == 0 ? 1 : 2
        }
        edges.append(pattern[index])
        let swipe = try #require(ReportedSwipes.swipe(recipe, seed: seed))
        var places = try #require(RecordPlaces(swipe))
        let shift = recipe.leadingZeros - places.leadIn.upperBound
        try #require(shift >= 0)
        places.edges = Array(edges.dropFirst(shift).prefix(places.bits.count + 1))
        return ZeroMeasures(places: places, heard: [], firstSample: 0).cellVariation
    }

    @Test(arguments: [1, 2, 3], [10.0, 25, 60]) func theSpeedIsRight(track: Int, speed: Double) throws {
        var recipe = try RoundTrip.recipe(track: track)
        recipe.speed = SpeedProfile(shape: .constant, centimetresPerSecond: speed)
        let measured = try #require(try Self.report(recipe, seed: 7).speed)
        #expect(abs(measured.mean / speed - 1) < 0.02)
        #expect(measured.slowest <= measured.mean + 0.5 && measured.fastest >= measured.mean - 0.5)
    }

    @Test func aChangingSpeedHasItsEnds() throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.speed.shape = .linear(ratio: 3)
        let speed = try #require(try Self.report(recipe, seed: 7).speed)
        // The first and the last five millimetres of zeros and record; behind them come the check character and zeros.
        let cell = 25_400 / recipe.bitsPerInch
        let length = Double(recipe.leadingZeros + recipe.bits.count + recipe.trailingZeros) * cell
        let end = length - Double(recipe.trailingZeros + 5) * cell
        let (slowest, fastest) = (
            Self.speed(recipe, at: 2500, of: length), Self.speed(recipe, at: end - 2500, of: length)
        )
        #expect(abs(speed.slowest / slowest - 1) < 0.05, "\(speed.slowest), \(slowest)")
        #expect(abs(speed.fastest / fastest - 1) < 0.03, "\(speed.fastest), \(fastest)")
    }

    /// The speed that a recipe has at a place of the card's transitions, both in micrometres.
    private static func speed(_ recipe: StripeRecipe, at place: Double, of length: Double) -> Double {
        var random = SeededRandom(seed: 0)
        let way = length + 2 * SpatialWaveform.margin
        let factors = SpeedFactors(shape: recipe.speed.shape, count: 1000, millimetres: way / 1000, &random)
            .values
        let index = Int((place + SpatialWaveform.margin) / way * 1000)
        return recipe.speed.centimetresPerSecond * factors[index]
    }

    @Test(arguments: [1, 2]) func theStartSentinelIsBehindItsZeros(track: Int) throws {
        let recipe = try RoundTrip.recipe(track: track)
        let place = try #require(try Self.report(recipe, seed: 8).startSentinel)
        #expect(abs(place - Double(recipe.leadingZeros) * 25.4 / recipe.bitsPerInch) < 1.1)
    }

    @Test func theNoiseIsRight() throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.speed.shape = .constant
        recipe.signalToNoise = 20
        let noise = try #require(try Self.report(recipe, seed: 9).noise)
        #expect(abs(noise - 20) <= 3)
    }

    @Test func halfCellsAreMeasuredInTheStartSentinel() throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.jitter = 0
        let even = try #require(try Self.report(recipe, seed: 9).halfCells)
        recipe.jitter = 0.06
        let uneven = try #require(try Self.report(recipe, seed: 9).halfCells)
        #expect(even.worst < 5)
        #expect(uneven.worst > even.worst)
    }
}

/// What is to blame, where it is known.
@Suite struct JudgementTests {
    @Test func theGainOfAClippedSwipe() throws { try expect([.gain]) { $0.clipping = 12 } }
    @Test func theGainOfAFaintSwipe() throws { try expect([.gain]) { $0.level = -48 } }
    @Test func theHeadOfANoisySwipe() throws { try expect([.head]) { $0.signalToNoise = 9 } }
    @Test func theHandOfAnUnevenSwipe() throws { try expect([.hand]) { $0.speed.shape = .linear(ratio: 4) } }
    @Test func nothingOfAGoodSwipe() throws { try expect([]) { $0.speed.shape = .constant } }
    @Test func cardOrHandOfAWeakStretch() throws {
        try expect([.card, .hand]) {
            $0.lifts = [HeadLift(centre: 0.5, millimetres: 12, amplitude: 0.25)]
        }
    }

    /// One swipe in the row is the hand's, all of them are the card's.
    @Test func severalSwipesTellACardFromAHand() {
        var report = CardReport.blank
        let good = Judgement(report, isRead: true)
        report.weakest = 30
        let weak = Judgement(report, isRead: true)
        #expect(Judgement([weak, weak, weak]).causes == [.card])
        #expect(Judgement([weak, good, good]).causes == [.hand])
        #expect(Judgement([weak]).causes == [.card, .hand])
        #expect(Judgement([good, good]).causes.isEmpty)
    }

    private func expect(_ causes: [Judgement.Cause], _ change: (inout StripeRecipe) -> Void) throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.speed.shape = .constant
        change(&recipe)
        let swipe = try #require(ReportedSwipes.swipe(recipe, seed: 3))
        let report = CardReport(swipe, sampleRate: recipe.sampleRate)
        let judgement = Judgement(report, isRead: swipe.hasText)
        #expect(judgement.causes == causes, "\(judgement.evidence), \(report)")
    }
}

/// A card that stopped, or was pulled back, and two passes of one: what passed twice would tell where it stands.
@Suite struct JoinedReportTests {
    @Test(arguments: [0.0, 12]) func whatWasPutTogetherIsNotMeasured(back: Double) throws {
        var recipe = try RoundTrip.recipe(track: 1)
        recipe.speed.reversal = SpeedProfile.Reversal(place: 0.5, millimetres: back, pauseSeconds: 0.03)
        let swipes = (1..<9).flatMap { ReportedSwipes.all(recipe, seed: $0, searchesHard: true) }
        let swipe = try #require(swipes.first { $0.hasText && $0.quality.isJoined })
        let report = CardReport(swipe, sampleRate: recipe.sampleRate)
        #expect(
            report.cells == nil && report.halfCells == nil && report.level == nil && report.weakest == nil)
        #expect(
            report.startSentinel == nil && report.speed == nil && report.noise == nil && report.outline == nil
        )
        #expect(report.clipped == 0)
        #expect(Judgement(report, isRead: true).evidence.contains("put together"))
    }
}

enum ReportedSwipes {
    static func swipe(_ recipe: StripeRecipe, seed: UInt64) -> StripeSwipe? { all(recipe, seed: seed).first }

    static func all(_ recipe: StripeRecipe, seed: UInt64, searchesHard: Bool = false) -> [StripeSwipe] {
        var decoder = StripeDecoder(
            sampleRate: recipe.sampleRate,
            options: StripeOptions(keepsTrace: true, searchesHard: searchesHard))
        let samples = StripeSynthesizer.samples(recipe, seed: seed)
        let events = decoder.process(samples.span) + decoder.finish()
        return events.compactMap { if case .swipe(let swipe) = $0 { swipe } else { nil } }
    }
}

extension CardReport {
    static var blank: CardReport {
        CardReport(StripeSwipe.unreadable(0..<1), sampleRate: 44_100)
    }
}

/// What a card has that is not read: its clocking zeros.
@Suite struct UnreadCardReportTests {
    @Test(arguments: [-6.0, -30]) func theZerosAreMeasured(level: Double) throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.speed.shape = .constant
        recipe.level = level
        // No sentinel, and no parity.
        recipe.bits = (0..<120).map { UInt8($0 % 3 == 0 ? 0 : 1) }
        let swipe = try #require(ReportedSwipes.swipe(recipe, seed: 12))
        #expect(!swipe.hasText)
        let report = CardReport(swipe, sampleRate: recipe.sampleRate)
        #expect(abs(try #require(report.level) - level) < 1)
        #expect(try #require(report.cells).mean < 4)
        #expect(report.noise != nil && report.speed == nil && report.startSentinel == nil)
    }
}
