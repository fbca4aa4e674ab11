import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// Characters are seen through errors, and not in what has none.
@Suite struct CharacterTracesTests {
    private let traces = CharacterTraces(formats: StripeFormat.standard)

    @Test(arguments: [1, 2, 3]) func areSeenWhereEveryFifteenthCharacterIsWrong(track: Int) throws {
        var bits = try RoundTrip.recipe(track: track).bits
        let width = track == 1 ? 7 : 5
        for place in stride(from: 3, to: bits.count, by: 15 * width) { bits[place] ^= 1 }
        let zeros = [UInt8](repeating: 0, count: 13)
        #expect(traces.areIn(zeros + bits + zeros))
        #expect(traces.areIn((zeros + bits + zeros).reversed()))
    }

    @Test func areNotInTones() {
        #expect(!traces.areIn([UInt8](repeating: 0, count: 600)))
        #expect(!traces.areIn([UInt8](repeating: 1, count: 600)))
        #expect(!traces.areIn([]))
    }

    /// As two-tone data are read at half their clock: even parity holds throughout.
    @Test func areNotWhereEveryBitComesTwice() {
        var random = SeededRandom(seed: 4)
        let bits = (0..<200).map { _ in UInt8(random.next() & 1) }
        #expect(
            !CharacterTraces(formats: [.init(coding: .jis2, track: 1, bitsPerInch: 210)]).areIn(
                bits.flatMap { [$0, $0] }))
    }

    @Test func areSeldomInRandomBits() {
        var random = SeededRandom(seed: 8)
        let seen = (0..<100).filter { _ in traces.areIn((0..<400).map { _ in UInt8(random.next() & 1) }) }
        #expect(seen.count < 45)
    }
}
