import CardData
import WaveformSynthesis

@testable import StripeSignal

/// Cards whose hidden digits are guessed at.
enum HiddenDigits {
    /// Hidden digits with as few and as many ones as there are: what counts reversals tells them at once.
    static let hidden = ["000000", "777777"]

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

    static func text(_ track: Int, _ hidden: String) -> String {
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
