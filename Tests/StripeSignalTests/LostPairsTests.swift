import Testing

@testable import StripeSignal

/// Where a pair of reversals was lost, it is put back at the place that the signal shows, and believed as far as noise allows.
@Suite struct LostPairsTests {
    private static let cell = 40
    /// 0 0 1 1 0 0: reversals in cells.
    private static let places = [0, 1, 2, 2.5, 3, 3.5, 4, 5, 6]

    /// Straight lines from reversal to reversal, each of which stands for itself but those of `low`, which are nearer to zero.
    private static func signal(_ low: ClosedRange<Int>) -> [Float] {
        var signal: [Float] = []
        for index in 1..<places.count {
            let count = Int((places[index] - places[index - 1]) * Double(cell))
            for step in 0..<count {
                let part = Float(step) / Float(count)
                signal.append(height(index - 1, low) * (1 - part) + height(index, low) * part)
            }
        }
        return signal + [height(places.count - 1, low)]
    }

    private static func height(_ index: Int, _ low: ClosedRange<Int>) -> Float {
        (index.isMultiple(of: 2) ? 1000 : -1000) * (low.contains(index) ? 0.05 : 1)
    }

    /// What is put back where the pulses of `lost` were not found.
    ///
    /// - Parameter scale: of the ways.
    private static func found(
        _ lost: ClosedRange<Int>, noise: Float = 1, scale: Double = 1, rings: Bool = false
    ) -> [LostPairs.Found] {
        let signal = signal(lost)
        let kept = places.indices.filter { !lost.contains($0) }
        let pulses = kept.map {
            FluxReversal(position: places[$0] * Double(cell), amplitude: height($0, lost), confidence: 1)
        }
        return LostPairs(signal: signal, noise: noise, rings: rings).found(
            pulses, kept.map { places[$0] * scale })
    }

    @Test(arguments: [2...3, 3...4, 4...5, 5...6]) func aLostPairIsFoundAgain(lost: ClosedRange<Int>) {
        let found = Self.found(lost)
        #expect(found.map(\.pulse.position) == lost.map { Self.places[$0] * Double(Self.cell) })
        #expect(found.allSatisfy { $0.pulse.confidence == 0 })
    }

    @Test func twoPairsInOneGapAreFoundAgain() {
        #expect(Self.found(2...5).map(\.pulse.position) == [80, 100, 120, 140])
    }

    /// Nothing is put into cells, nor where there is no card, nor in silence.
    @Test func nothingIsFoundWhereNothingIsLost() {
        let pulses = [80.0, 140].map { FluxReversal(position: $0, amplitude: 1, confidence: 1) }
        let pairs = LostPairs(signal: Self.signal(3...4), noise: 1, rings: false)
        #expect(pairs.found(pulses, [2, 3.5]).count == 2)
        #expect(pairs.found(pulses, [2, 3]).isEmpty)
        #expect(pairs.found(pulses, [2, 6.1]).isEmpty)
        #expect(pairs.found([], []).isEmpty)
        // A straight way turns back nowhere, and there is none beyond the signal.
        let line = LostPairs(signal: (0...240).map(Float.init), noise: 1, rings: false)
        #expect(line.found(pulses, [2, 3.5]).isEmpty)
        let short = LostPairs(signal: Array(Self.signal(3...4).prefix(120)), noise: 1, rings: false)
        #expect(short.found(pulses, [2, 3.5]).isEmpty)
    }

    /// Two samples side by side are no pair of reversals, however far they are apart in height.
    @Test func aClickIsNoPair() {
        var signal = (0...240).map { Float($0) }
        signal[100] = 900
        signal[101] = -900
        let pulses = [80.0, 140].map { FluxReversal(position: $0, amplitude: 1, confidence: 1) }
        #expect(LostPairs(signal: signal, noise: 1, rings: false).found(pulses, [2, 3.5]).isEmpty)
    }

    /// A turn of 100 is one of a hundred deviations, or of two; and a filter rings as much.
    @Test func whatNoiseMayHaveMadeIsNotBelieved() {
        #expect(Self.found(3...4).map(\.lead).allSatisfy { $0 > 1000 })
        #expect(Self.found(3...4, noise: 2500).map(\.lead) == [0, 0])
        #expect(Self.found(3...4, rings: true).map(\.lead) == [0, 0])
    }

    /// A cell and a third may be jitter, unless a turn is heard there; a cell and a quarter is a cell.
    @Test func whatJitterMayHaveMadeIsLeftAlone() {
        #expect(Self.found(3...4, scale: 0.9).count == 2)
        #expect(Self.found(3...4, noise: 2500, scale: 0.9).isEmpty)
        #expect(Self.found(3...4, scale: 0.9, rings: true).isEmpty)
        #expect(Self.found(3...4, scale: 0.8).isEmpty)
    }

    @Test func theBitsBesideAPairAreNoSurer() {
        let run = IntervalClock.Run(bits: [0, 0, 1, 1, 0, 0], edges: (0...6).map { Double($0 * Self.cell) })
        let sure = [Float](repeating: 20, count: 6)
        // The middle of the third cell, and the edge behind it.
        #expect(LostPairs.limited(sure, of: run, Self.found(3...4, noise: 2500)) == [20, 20, 0, 0, 20, 20])
        #expect(LostPairs.limited(sure, of: run, Self.found(3...4)) == sure)
        #expect(LostPairs.limited(sure, of: run, []) == sure)
        #expect(LostPairs.limited([], of: IntervalClock.Run(), Self.found(3...4)).isEmpty)
    }
}
