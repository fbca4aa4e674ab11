import CardData
import FoundationEssentials
import ReaderKit
import ReaderTesting
import StripeSignal
import Testing
import WaveformSynthesis

@testable import MSRReaders

/// The decoder's own swipes as sound, and their bits through the simulated encoder: both say the same. `SWIPED_SWIPES` is how many.
@Suite struct RawBitsTests {
    private static let swipes =
        ProcessInfo.processInfo.environment["SWIPED_SWIPES"].flatMap { Int($0) } ?? 90
    private static let standard: [TrackFormat] = [.iso1, .iso2, .iso3]
    private static let club = """
        [format club]
        bits = 6
        parity = even
        first = 0x40
        start = 0x5B
        end = 0x5D
        longest = 60
        track = 2
        """

    /// What the decoder makes of a recipe's sound.
    private static func heard(_ recipe: StripeRecipe, _ formats: [StripeFormat], seed: UInt64) throws
        -> StripeSwipe
    {
        var decoder = StripeDecoder(sampleRate: recipe.sampleRate, options: StripeOptions(formats: formats))
        let samples = StripeSynthesizer.samples(recipe, seed: seed)
        let events = decoder.process(samples.span) + decoder.finish()
        let swipes = events.compactMap { if case .swipe(let swipe) = $0 { swipe } else { nil } }
        return try #require(swipes.first { $0.hasText } ?? swipes.first)
    }

    /// The bits of that swipe as they passed the head.
    private static func run(_ swipe: StripeSwipe) throws -> [UInt8] {
        let run = try #require(swipe.bitRuns.max { $0.bits.count < $1.bits.count })
        return run.direction == .backward ? run.bits.reversed() : run.bits
    }

    private static func read(_ bits: [UInt8], track: Int, _ options: ReaderOptions) throws -> Swipe {
        var stripes = Array(repeating: EncoderSimulator.Stripe.blank, count: 3)
        stripes[track - 1] = .unreadable(bits: bits)
        var bench = EncoderHabits.ready(ReportLink.self, .init(), options)
        bench.swipe(EncodedCard(stripes: stripes))
        return try #require(bench.takeSwipes().first)
    }

    private static func text(_ track: Int, _ random: inout SeededRandom) -> String {
        let digits = (0..<Int.random(in: 6...17, using: &random)).map { _ in
            "\(Int.random(in: 0...9, using: &random))"
        }.joined()
        return track == 1 ? "%BTEST \(digits)^DOE/JANE^2912?" : ";0\(digits)=2912?"
    }

    @Test func theSameAsThroughSound() throws {
        var random = SeededRandom(seed: 75)
        for number in 0..<Self.swipes {
            let track = number % 3 + 1
            let text = Self.text(track, &random)
            var recipe = try StripeRecipe(
                text: text, format: Self.standard[track - 1],
                bitsPerInch: StripeRecipe.bitsPerInch(track: track))
            recipe.isBackward = .random(using: &random)
            recipe.isInverted = .random(using: &random)
            recipe.jitter = Double.random(in: 0.01...0.04, using: &random)
            recipe.speed.centimetresPerSecond = Double.random(in: 15...60, using: &random)
            let sound = try Self.heard(recipe, StripeFormat.standard, seed: UInt64(number))
            let swipe = try Self.read(try Self.run(sound), track: track, ReaderOptions())
            #expect(sound.tracks.first?.outcome.clear == text, "\(number)")
            #expect(swipe.tracks[track - 1].outcome == sound.tracks.first?.outcome, "\(number)")
            #expect(swipe.quality.direction == (recipe.isBackward ? .backward : .forward), "\(number)")
        }
    }

    /// A format of one's own, from the file that both readers are given.
    @Test func aFormatOfOnesOwn() throws {
        let own = try FormatFile(Self.club).formats
        let coding = try #require(own.first).coding
        var options = ReaderOptions()
        options.cardFormats = Self.club
        var random = SeededRandom(seed: 6)
        for number in 0..<(Self.swipes / 9) {
            let text = "[MEMBER" + String("ABCDEFGHIJKLMNOPQRSTUVWXYZ".shuffled(using: &random)) + "]"
            var recipe = StripeRecipe(bits: try coding.bits(of: text.utf8), bitsPerInch: 75)
            recipe.isBackward = .random(using: &random)
            let sound = try Self.heard(recipe, StripeFormat.standard + own, seed: UInt64(number))
            let swipe = try Self.read(try Self.run(sound), track: 2, options)
            #expect(sound.tracks.first?.outcome.clear == text, "\(number)")
            #expect(swipe.tracks[1].outcome.clear == text, "\(number)")
            #expect(swipe.tracks[1].format == "club", "\(number)")
            #expect(sound.tracks.first?.format == "club", "\(number)")
        }
    }
}
