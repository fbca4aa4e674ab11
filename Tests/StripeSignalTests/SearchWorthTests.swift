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
}
