import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// Which way raw bits are to be read.
@Suite struct RunDirectionTests {
    private let directions = RunDirection(formats: StripeFormat.standard)
    private static let zeros = [UInt8](repeating: 0, count: 16)

    /// Two records that begin alike, as on transit cards.
    private static func records(_ random: inout SeededRandom) -> [[UInt8]] {
        let beginning: [UInt8] = [1, 1, 0, 1, 0, 1, 1, 1]
        return (0..<2).map { _ in
            zeros + beginning + (0..<85).map { _ in UInt8(random.next() & 1) } + [1] + zeros
        }
    }

    @Test func theRecordsOfOneCardAgree() {
        var random = SeededRandom(seed: 8)
        for _ in 0..<300 {
            let runs = Self.records(&random)
            #expect(directions.direction(of: runs) != .backward)
            #expect(directions.direction(of: runs.reversed().map { $0.reversed() }) != .forward)
        }
    }

    @Test func mostAreTold() {
        var random = SeededRandom(seed: 9)
        let told = (0..<300).filter { _ in directions.direction(of: Self.records(&random)) == .forward }
        #expect(told.count > 270)
    }

    /// Bits that begin like nothing have no direction; five of them are a sentinel by chance too often.
    @Test func chanceIsNoSentinel() {
        var random = SeededRandom(seed: 10)
        let told = (0..<500).filter { _ in
            let bits = (0..<118).map { _ in UInt8(random.next() & 1) }
            return directions.direction(of: [Self.zeros + [1] + bits + [1] + Self.zeros]) != nil
        }
        #expect(told.count < 25)
    }

    @Test(arguments: 1...3) func aDamagedRecordHasOne(track: Int) throws {
        var bits = Self.zeros + (try RoundTrip.recipe(track: track).bits) + Self.zeros
        bits[120] ^= 1
        #expect(directions.direction(of: [bits]) == .forward)
        #expect(directions.direction(of: [bits.reversed()]) == .backward)
    }

    @Test func nothingHasNone() {
        #expect(directions.direction(of: []) == nil)
        #expect(directions.direction(of: [[], Self.zeros, [UInt8](repeating: 1, count: 300)]) == nil)
    }
}
