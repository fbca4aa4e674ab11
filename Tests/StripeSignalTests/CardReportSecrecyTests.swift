import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// No figure of a report tells hidden digits. The attacker has reports of two cards that differ in nothing else, made with the same seeds, and
/// says of another report which card it is.
@Suite struct CardReportSecrecyTests {
    private static let seeds: Range<UInt64> = 100..<160

    @Test(arguments: [1, 2]) func anAttackerGuessesAtChance(track: Int) throws {
        let reports = try HiddenDigits.hidden.map { digits in
            try Self.seeds.map { seed in try Self.figures(track, digits, seed: seed) }
        }
        let count = Self.seeds.count
        // Three and a half standard deviations of so many guesses.
        let most = Double(count) + 3.5 * (Double(count) / 2).squareRoot()
        let all = HiddenDigits.rightGuesses(reports)
        #expect(Double(all) < most, "all figures: \(all) of \(2 * count)")
        for figure in reports[0][0].indices {
            let one = reports.map { $0.map { [$0[figure]] } }
            let right = HiddenDigits.rightGuesses(one)
            #expect(Double(right) < most, "figure \(figure): \(right) of \(2 * count)")
        }
    }

    private static func figures(_ track: Int, _ hidden: String, seed: UInt64) throws -> [Double] {
        let recipe = try HiddenDigits.recipe(track, hidden, speed: 25)
        let swipe = try #require(ReportedSwipes.swipe(recipe, seed: seed))
        try #require(swipe.tracks.first?.text?.reveal() == HiddenDigits.text(track, hidden))
        let report = CardReport(swipe, sampleRate: recipe.sampleRate)
        return [
            report.cells?.mean, report.cells?.worst, report.halfCells?.mean, report.halfCells?.worst,
            report.level, report.weakest, report.startSentinel, report.speed?.mean, report.speed?.slowest,
            report.speed?.fastest, report.clipped, report.noise,
        ].map { $0 ?? -1 } + (report.outline ?? [Int](repeating: -1, count: 10)).map(Double.init)
    }
}

/// The same of the figures that a swipe's event has, a meter shows and `quality --live` prints. The noise is the input's, whatever the card.
@Suite struct SwipeQualitySecrecyTests {
    private static let seeds: Range<UInt64> = 300..<360

    @Test(arguments: [1, 2]) func anAttackerGuessesAtChance(track: Int) throws {
        let figures = try HiddenDigits.hidden.map { digits in
            try Self.seeds.map { try Self.figures(track, digits, seed: $0) }
        }
        let count = Self.seeds.count
        let most = Double(count) + 3.5 * (Double(count) / 2).squareRoot()
        let all = HiddenDigits.rightGuesses(figures)
        #expect(Double(all) < most, "all figures: \(all) of \(2 * count)")
        for figure in figures[0][0].indices {
            let right = HiddenDigits.rightGuesses(figures.map { $0.map { [$0[figure]] } })
            #expect(Double(right) < most, "figure \(figure): \(right) of \(2 * count)")
        }
    }

    /// As they are on the wire.
    private static func figures(_ track: Int, _ hidden: String, seed: UInt64) throws -> [Double] {
        var recipe = try HiddenDigits.recipe(track, hidden, speed: 25)
        recipe.signalToNoise = nil
        let quiet = [Int16](repeating: 0, count: recipe.sampleRate / 2)
        let sound: [Int16] = quiet + StripeSynthesizer.samples(recipe, seed: seed) + quiet
        var random = SeededRandom(seed: seed &* 2 &+ (hidden == HiddenDigits.hidden[0] ? 0 : 1))
        let noisy = sound.map { Int16(clamping: Int($0) + Int((40 * random.gaussian()).rounded())) }
        let swipe = try #require(
            RoundTrip.swipes(noisy, sampleRate: recipe.sampleRate).first { $0.hasText })
        let quality = swipe.quality
        return [quality.speed, quality.signalToNoiseDecibels, quality.jitterPercent, quality.clippedPercent]
            .map { (($0 ?? -1) * 10).rounded() / 10 }
    }
}
