import Testing

@testable import StripeSignal

/// The long search runs where a record may be, and not in talk, music and modems.
@Suite struct SearchWorthTests {
    struct Sight: Sendable {
        var runs: [Int]
        var pulses: Int
        var isWorthASearch: Bool
    }

    @Test(arguments: [
        Sight(runs: [690], pulses: 1000, isWorthASearch: true),
        // The worst of the swipes that are read, and a card while somebody talks.
        Sight(runs: [67, 43], pulses: 478, isWorthASearch: true),
        Sight(runs: [150, 120], pulses: 6000, isWorthASearch: true),
        // Talk over hum, fragments alone, a modem.
        Sight(runs: [52, 50, 46], pulses: 1407, isWorthASearch: false),
        Sight(runs: Array(repeating: 23, count: 20), pulses: 600, isWorthASearch: false),
        Sight(runs: [3012], pulses: 4472, isWorthASearch: false),
    ])
    func isWorthIt(_ sight: Sight) {
        var reading = SwipeReading()
        reading.runs = sight.runs.map { IntervalClock.Run(bits: Array(repeating: 0, count: $0)) }
        reading.pulses = (0..<sight.pulses).map {
            FluxReversal(position: Double($0), amplitude: 1, confidence: 1)
        }
        #expect(reading.mayHoldRecord == sight.isWorthASearch)
    }

    struct Gap: Sendable {
        var cells: Int
        /// Of the card's amplitude, in noise of a hundredth of it.
        var left: Float
        var isSilent: Bool
    }

    /// What is faint the search may find; what is not there it does not, however long it takes.
    @Test(arguments: [
        Gap(cells: 16, left: 0, isSilent: true), Gap(cells: 16, left: 0.02, isSilent: false),
        Gap(cells: 6, left: 0, isSilent: false),
    ])
    func nothingIsLookedForInSilence(_ gap: Gap) {
        let cell = 40
        var signal: [Float] = []
        for index in 0..<(60 + gap.cells) * cell {
            let isInGap = (30..<30 + gap.cells).contains(index / cell)
            let wave: Float = (index / cell).isMultiple(of: 2) ? 1 : -1
            let noise: Float = index.isMultiple(of: 2) ? 0.01 : -0.01
            signal.append(wave * (isInGap ? gap.left : 1) + noise)
        }
        let bits = (0..<30).map { UInt8($0 % 3 == 0 ? 1 : 0) }
        let runs = [0, 30 + gap.cells].map { start in
            IntervalClock.Run(bits: bits, edges: (0...30).map { Double((start + $0) * cell) })
        }
        let silence = Silence(signal: signal, noise: 0.0001)
        #expect(silence.parts(runs, cell: Double(cell)) == gap.isSilent)
        // Before and after a card there is silence too.
        #expect(!silence.parts([runs[0]], cell: Double(cell)))
    }
}
