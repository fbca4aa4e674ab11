import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// What is no text, and why it is none.
@Suite struct RefusalTests {
    /// The bits of a text between clocking zeros.
    private static func bits(_ text: String, _ format: TrackFormat, zeros: Int = 20) throws -> [UInt8] {
        let around = [UInt8](repeating: 0, count: zeros)
        return around + (try format.bits(of: Array(text.utf8))) + around
    }

    private static func refusal(
        _ bits: [UInt8], reliability: Float = 40, doubt: (FoundTrack) -> TrackRefusal? = { _ in nil }
    ) -> TrackRefusal? {
        let soft = SoftBits(bits: bits, reliability: [Float](repeating: reliability, count: bits.count))
        let search = FrameSearch(formats: StripeFormat.standard)
        return search.search(soft, repairs: false, doubt: doubt).refusal?.reason
    }

    /// One bit of evidence a character, and the rest from the LRC and the zeros.
    @Test(arguments: [
        (TrackFormat.iso2, ";12345678?", ";123456789?"), (.iso1, "%123456?", "%1234567?"),
    ])
    func aShortTextSaysSo(format: TrackFormat, short: String, enough: String) throws {
        let bits = try Self.bits(short, format)
        #expect(Self.refusal(bits) == .tooShort(atBit: bits.count - 20))
        #expect(Self.refusal(bits.reversed()) == .tooShort(atBit: bits.count - 20))
        #expect(Self.refusal(try Self.bits(enough, format)) == nil)
    }

    @Test func unsureBitsAreNamed() throws {
        let bits = try Self.bits(RoundTrip.track2, .iso2)
        var soft = SoftBits(bits: bits, reliability: [Float](repeating: 4, count: bits.count))
        soft.reliability[77] = 0.5
        let search = FrameSearch(formats: StripeFormat.standard)
        let verdict = search.search(soft, repairs: false, doubt: { _ in nil })
        #expect(verdict.isAmbiguous)
        #expect(verdict.refusal?.reason == .ambiguous(.unsureBits, atBit: 77))
    }

    /// Samples that come twice can hold a start sentinel and a whole record's beginning.
    @Test func aRecordWithinARecordIsAmbiguous() throws {
        let whole = try TrackFormat.iso2.bits(of: Array(RoundTrip.track2.utf8))
        let part = Array(whole.prefix(13 * 5))
        let zeros = [UInt8](repeating: 0, count: 20)
        // This part's columns are even by themselves: the first of the sentinels is told.
        let refusal = Self.refusal(zeros + part + part + whole + zeros)
        #expect(refusal == .ambiguous(.secondBeginning, atBit: 20 + 13 * 5))
    }

    @Test func tonesAreDoubledBits() throws {
        let data: [UInt8] =
            [1, 1, 1, 1, 1, 1, 1, 1] + Array(repeating: [0, 0, 1, 1, 1, 1, 0, 0], count: 16).joined()
        let refusal = Self.refusal(
            [UInt8](repeating: 0, count: 16) + data + [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
                + [UInt8](repeating: 0, count: 16))
        #expect(refusal?.doubt == .doubledBits)
    }

    /// A cut is told where it is, whichever way the card went.
    @Test(arguments: [false, true]) func aSeamIsNamed(isBackward: Bool) throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.isBackward = isBackward
        recipe.speed.shape = .constant
        let zeros = try Self.bits(RoundTrip.track2, .iso2)
        var samples = StripeSynthesizer.samples(recipe, seed: 3)
        // Between the first and the last pulse, in the middle of the record; a third of a cell is gone.
        let cell = 25.4 / 75 / 250 * 44_100
        let cut = samples.count / 2
        samples.removeSubrange(cut..<cut + Int(cell / 3))
        let swipe = try #require(RoundTrip.swipes(samples, sampleRate: 44_100).first)
        guard case .refused(.ambiguous(let doubt, let bit)) = swipe.tracks.first?.outcome else {
            Issue.record("not ambiguous")
            return
        }
        #expect(doubt == .seam)
        let run = try #require(swipe.bitRuns.max { $0.bits.count < $1.bits.count })
        #expect(run.bits.count > zeros.count / 2)
        let direction = isBackward ? run.cellEdges.count - 1 - bit : bit
        #expect(abs(run.cellEdges[min(max(direction, 0), run.cellEdges.count - 1)] - Double(cut)) < 4 * cell)
    }

    /// Where the signal leaves no doubt, a wrong LRC is the card's, and not to be mended.
    @Test(arguments: [(1, 2), (2, 5), (3, 2)]) func aWrongLRCIsNotRepaired(track: Int, swipes: UInt64) throws
    {
        var repaired = 0
        for seed in 0..<swipes {
            // With a right check digit: a wrong one would have the repair refused for itself.
            var recipe = try RoundTrip.recipe(track: track) {
                $0.replacing("4266841088889999", with: "4111111111111111")
            }
            var random = SeededRandom(seed: seed)
            let width = track == 1 ? 7 : 5
            let character = 2 + Int(random.uniform() * Double(recipe.bits.count / width - 5))
            let first = Int(random.uniform() * Double(width - 1))
            recipe.bits[character * width + first] ^= 1
            recipe.bits[character * width + (first + 1) % (width - 1)] ^= 1
            let swipes = RoundTrip.swipes(recipe, seed: seed)
            repaired += RoundTrip.texts(swipes).count
        }
        #expect(repaired == 0)
    }
}
