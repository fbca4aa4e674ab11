import CardData
import Testing

@testable import StripeSignal

/// Cells in which more pulses lie than their bits need, as ripples of hum make them: what they are read as is a choice.
@Suite struct CrowdedCellTests {
    private static let text = ";9972755203811246?"
    /// What two twos are read as where ripples stand between their last reversals.
    private static let wrong = ";997:755:03811246?"
    private static let cell = 73.0
    private static let lead = 20
    /// The places of these characters.
    private static let crowded = [4, 8]

    /// Between the first and the last edge of two zeros, in samples: the pulses that were found there in a record under hum.
    private static let ripples = [28.0, 65.8, 76.6, 91.0, 127.7]

    /// The record's pulses, ripples and all.
    private static func pulses(_ bits: [UInt8]) -> [FluxReversal] {
        var places: [Double] = []
        let twos = crowded.map { lead + 5 * $0 + 3 }
        for (index, bit) in bits.enumerated() where !twos.contains(index - 1) {
            let start = Double(index) * cell
            places.append(start)
            if bit == 1 { places.append(start + cell / 2) }
            if twos.contains(index) { places += ripples.map { start + $0 } }
        }
        places.append(Double(bits.count) * cell)
        return places.enumerated().map { index, place in
            FluxReversal(position: 100 + place, amplitude: index & 1 == 0 ? 1 : -1, confidence: 1)
        }
    }

    private static func run() throws -> IntervalClock.Run {
        let zeros = [UInt8](repeating: 0, count: lead)
        let bits = zeros + (try TrackFormat.iso2.bits(of: text.utf8)) + zeros
        let runs = IntervalClock().runs(pulses(bits)).runs
        return try #require(runs.max { $0.bits.count < $1.bits.count })
    }

    private static func verdict(_ run: IntervalClock.Run, _ reliability: [Float]) -> FrameSearch.Verdict {
        FrameSearch(formats: StripeFormat.standard.filter { $0.coding == .iso2 })
            .search(SoftBits(bits: run.bits, reliability: reliability), repairs: false) { _ in nil }
    }

    /// Parity and LRC hold, and by their places alone the reversals would be sure.
    @Test func theirTextIsNotReliedOn() throws {
        let run = try Self.run()
        guard case .unsure(let track, _) = Self.verdict(run, run.reliability) else {
            Issue.record("not in doubt")
            return
        }
        #expect(String(decoding: track.text, as: UTF8.self) == Self.wrong)
        var blind = run
        blind.isCrowded = []
        guard case .found(let found) = Self.verdict(blind, blind.reliability) else {
            Issue.record("in doubt without the crowd: the test shows nothing")
            return
        }
        #expect(String(decoding: found.text, as: UTF8.self) == Self.wrong)
    }

    @Test func theirNeighboursAreInDoubtToo() throws {
        let run = try Self.run()
        let crowded = try #require(run.isCrowded.firstIndex(of: true))
        for index in crowded - 1...crowded + 1 { #expect(run.reliability[index] < 1) }
        #expect(run.reliability[crowded - 2] > 10)
        #expect(run.isCrowded.count { $0 } == 2)
    }
}
