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
