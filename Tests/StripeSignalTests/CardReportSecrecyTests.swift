import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// No figure of a report tells hidden digits. The attacker has reports of two cards that differ in nothing else, made with the same seeds, and
/// says of another report which card it is.
@Suite struct CardReportSecrecyTests {
    private static let seeds: Range<UInt64> = 100..<160
    /// Hidden digits with as few and as many ones as there are: what counts reversals tells them at once.
    static let hidden = ["000000", "777777"]

    @Test(arguments: [1, 2]) func anAttackerGuessesAtChance(track: Int) throws {
        let reports = try Self.hidden.map { digits in
            try Self.seeds.map { seed in try Self.figures(track, digits, seed: seed) }
        }
        let count = Self.seeds.count
        // Three and a half standard deviations of so many guesses.
        let most = Double(count) + 3.5 * (Double(count) / 2).squareRoot()
        let all = Self.rightGuesses(reports)
        #expect(Double(all) < most, "all figures: \(all) of \(2 * count)")
        for figure in reports[0][0].indices {
            let one = reports.map { $0.map { [$0[figure]] } }
            let right = Self.rightGuesses(one)
            #expect(Double(right) < most, "figure \(figure): \(right) of \(2 * count)")
        }
    }

    /// How often the card of the nearest of all other reports but that of the same seed is the right one; a half where both are as near.
    static func rightGuesses(_ reports: [[[Double]]]) -> Int {
        let scale = reports[0][0].indices.map { figure in
            let values = reports.flatMap { $0.map { $0[figure] } }
            let mean = values.reduce(0, +) / Double(values.count)
            let square = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
            return max(square.squareRoot(), 1e-9)
        }
        func distance(_ one: [Double], _ other: [Double]) -> Double {
            zip(zip(one, other), scale).reduce(0) { sum, pair in
                let part = (pair.0.0 - pair.0.1) / pair.1
                return sum + part * part
            }
        }
        var right = 0.0
        for card in 0..<2 {
            for seed in reports[card].indices {
                let nearest = (0..<2).map { other in
                    reports[other].indices.filter { $0 != seed }.map {
                        distance(reports[card][seed], reports[other][$0])
                    }.min() ?? 0
                }
                right += nearest[card] < nearest[1 - card] ? 1 : nearest[card] > nearest[1 - card] ? 0 : 0.5
            }
        }
        return Int(right)
    }

    private static func figures(_ track: Int, _ hidden: String, seed: UInt64) throws -> [Double] {
        let recipe = try recipe(track, hidden, speed: 25)
        let swipe = try #require(ReportedSwipes.swipe(recipe, seed: seed))
        try #require(swipe.tracks.first?.text?.reveal() == text(track, hidden))
        let report = CardReport(swipe, sampleRate: recipe.sampleRate)
        return [
            report.cells?.mean, report.cells?.worst, report.halfCells?.mean, report.halfCells?.worst,
            report.level, report.weakest, report.startSentinel, report.speed?.mean, report.speed?.slowest,
            report.speed?.fastest, report.clipped, report.noise,
        ].map { $0 ?? -1 }
    }

    private static func text(_ track: Int, _ hidden: String) -> String {
        track == 2
            ? ";411111\(hidden)1111=2912101?" : "%B411111\(hidden)1111^DOE/JOHN^2912101?"
    }

    static func recipe(_ track: Int, _ hidden: String, speed: Double) throws -> StripeRecipe {
        var recipe = try StripeRecipe(
            text: text(track, hidden), format: track == 2 ? .iso2 : .iso1,
            bitsPerInch: StripeRecipe.bitsPerInch(track: track))
        recipe.speed = SpeedProfile(shape: .constant, centimetresPerSecond: speed)
        recipe.jitter = 0.02
        return recipe
    }
}
