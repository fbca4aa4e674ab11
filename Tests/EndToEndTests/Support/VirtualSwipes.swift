import CardData
import Foundation
import WaveformSynthesis

/// What is written into virtual readers.
enum VirtualSwipes {
    /// A published report: MagTek 99875475, appendix D, example 3.
    static func publishedReport() throws -> [UInt8] {
        let path = BuiltProgram.root.appending(path: "Tests/Vectors/MagTek/published/v5_hid856_level2.hex")
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").filter {
            $0.first != "#"
        }
        return Array(lines.joined().utf8) + [UInt8(ascii: "\n")]
    }

    /// One card under two heads, track 2 and track 1, their samples in turn.
    static func soundOfTwoHeads(_ track2: String, _ track1: String) throws -> [UInt8] {
        var recipes = [
            try StripeRecipe(text: track2, format: .iso2, bitsPerInch: 75),
            try StripeRecipe(text: track1, format: .iso1, bitsPerInch: 210),
        ]
        for index in recipes.indices { recipes[index].sampleRate = 48_000 }
        return Array(SoundFixture.data(StripeSynthesizer.samples(recipes, seed: 1), .s16))
    }

    /// A track 2 swipe of about 0.4 s, 48 kHz, 16 bit little-endian.
    ///
    /// - Parameter clipping: how far the peaks would be over full scale, decibels.
    static func swipeSound(_ text: String, clipping: Double = 0) throws -> [UInt8] {
        var recipe = StripeRecipe(bits: try TrackFormat.iso2.bits(of: Array(text.utf8)), bitsPerInch: 75)
        recipe.sampleRate = 48_000
        recipe.clipping = clipping
        return StripeSynthesizer.samples(recipe, seed: 1).flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }
    }
}
