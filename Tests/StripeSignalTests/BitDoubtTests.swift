import CardData
import Testing

@testable import StripeSignal

/// What makes bits unsure, and readings, whatever the noise is thought to be.
@Suite struct BitDoubtTests {
    private static func run(_ bits: [UInt8], leads: [Float], crowded: Set<Int> = [], middles: [Float]? = nil)
        -> IntervalClock.Run
    {
        var run = IntervalClock.Run()
        run.bits = bits
        run.edges = (0...bits.count).map { Double($0) * 60 }
        run.middles = middles ?? bits.map { _ in 0.5 }
        run.isCrowded = bits.indices.map(crowded.contains)
        run.leads = leads
        return run
    }

    /// The best other reading of a crowded cell and its neighbours was given up for one bit, and kept for another.
    @Test func crowdedCellsShareTheirLeads() {
        let bits: [UInt8] = [0, 0, 0, 1, 1, 0, 0]
        let leads: [Float] = [40, 40, 8, 9, 40, 40, 40]
        #expect(Self.run(bits, leads: leads, crowded: [2, 3]).sharedLeads == [40, 8, 8, 8, 8, 40, 40])
        #expect(Self.run(bits, leads: leads, crowded: [4, 5]).sharedLeads == [40, 40, 8, 9, 9, 9, 9])
        #expect(Self.run(bits, leads: leads).sharedLeads == leads)
    }

    /// One middle far out of its place among others that are in theirs; where all stray that far, none does.
    @Test func whatStraysIsInDoubt() {
        let bits = [UInt8](repeating: 1, count: 9)
        let leads = [Float](repeating: 15, count: 9)
        var middles = [Float](repeating: 0.52, count: 9)
        middles[4] = 0.76
        let run = Self.run(bits, leads: leads, middles: middles)
        #expect(run.sharedLeads == [15, 15, 15, 0.1, 0.1, 0.1, 15, 15, 15])
        #expect(
            Self.run(bits, leads: leads, middles: [Float](repeating: 0.76, count: 9)).sharedLeads == leads)
    }

    /// A card's reversals between the third cell's edges, which its bit does not explain.
    private static func leftOut(_ places: [Double], height: Float) -> Int? {
        let run = run([0, 0, 0, 0], leads: [], crowded: [2])
        var pulses = run.edges.enumerated().map { index, edge in
            FluxReversal(position: edge, amplitude: index & 1 == 0 ? 100 : -100, confidence: 1)
        }
        pulses += places.enumerated().map { index, place in
            FluxReversal(
                position: 120 + 60 * place, amplitude: index & 1 == 0 ? -height : height, confidence: 1)
        }
        return LeftOutReversals(pulses.sorted { $0.position < $1.position }).cell(of: run, in: 0..<4)
    }

    @Test func reversalsOfTheCardAreNotLeftOut() {
        #expect(Self.leftOut([0.35, 0.65], height: 90) == 2)
        #expect(Self.leftOut([0.35, 0.65], height: 50) == nil, "too faint")
        #expect(Self.leftOut([0.45, 0.55], height: 90) == nil, "too near to one another: a click")
        #expect(Self.leftOut([0.1, 0.5], height: 90) == nil, "too near to the edge")
        #expect(Self.leftOut([], height: 90) == nil)
    }

    /// The rule is asked of a record, and names the cell's bit in the order of reading.
    @Test(arguments: [false, true]) func aRecordWithReversalsLeftOutIsRefused(isReversed: Bool) {
        let run = Self.run([UInt8](repeating: 0, count: 200), leads: [], crowded: [100])
        var pulses = run.edges.enumerated().map { index, edge in
            FluxReversal(position: edge, amplitude: index & 1 == 0 ? 100 : -100, confidence: 1)
        }
        let track = FoundTrack(
            format: StripeFormat.standard[0], text: [], isReversed: isReversed, repairedBits: 0,
            place: 20..<180, evidence: 40)
        func refusal() -> TrackRefusal? {
            RecordDoubts(
                run: run, surroundings: FrameSurroundings(signal: [], noise: 0),
                found: pulses.sorted { $0.position < $1.position }
            ).piece(track)
        }
        #expect(refusal() == nil)
        pulses.append(FluxReversal(position: 6020, amplitude: -90, confidence: 1))
        pulses.append(FluxReversal(position: 6040, amplitude: 90, confidence: 1))
        #expect(refusal() == .ambiguous(.unsureBits, atBit: isReversed ? 99 : 100))
    }

    /// Edges before the samples and behind them, that stand still, or turn back: no clock lays the last ones today.
    @Test(arguments: [[450.0, 510, 570, 630, 690], [450, 510, 570, 560, 550], [450, 440, 430, 420, 410]])
    func aDischargeIsLookedForWithinTheSamples(last: [Double]) {
        let signal = (0..<600).map { Float(($0 / 30) & 1 == 0 ? 1000 : -1000) }
        var run = Self.run([UInt8](repeating: 0, count: 14), leads: [])
        run.edges = [-90, -30, 30, 90, 150, 150, 210, 270, 330, 390] + last
        let cells = CellShapes(signal, sampleRate: 44_100, run, in: 0..<14)
        for jump in stride(from: 0, to: 600, by: 10) {
            _ = cells.goesOn(behind: jump)
            // No jump, so nothing that is gone without it.
            #expect(Discharge(at: jump, in: cells)?.isThere != true)
        }
    }

    /// Silence that a converter of eight bits rounds to nothing is no silence.
    @Test func aConverterMakesNoise() {
        var samples = [Float](repeating: 0, count: 20_000)
        for index in 8000..<12_000 { samples[index] = (index / 30) & 1 == 0 ? 1024 : -1024 }
        #expect(ActiveSpan(sampleRate: 44_100).find(in: samples).noise == Float(65_536) / 12)
        samples[9000] += 1
        #expect(ActiveSpan(sampleRate: 44_100).find(in: samples).noise == 1 / Float(12))
    }
}
