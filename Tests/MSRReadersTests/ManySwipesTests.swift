import CardData
import ReaderKit
import ReaderTesting
import Testing
import WaveformSynthesis

@testable import MSRReaders

/// A thousand cards through each simulated encoder, one after the other.
@Suite struct ManySwipesTests {
    private static let swipes = 1000

    private static func texts(_ random: inout SeededRandom) -> [String?] {
        let present = UInt8.random(in: 0...7, using: &random)
        return Cards.all.enumerated().map { present & (1 << $0.offset) == 0 ? nil : $0.element }
    }

    private static func habits(_ random: inout SeededRandom) -> EncoderSimulator.Habits {
        EncoderHabits.everyHabit.randomElement(using: &random) ?? .init()
    }

    /// None is lost, none comes twice, none is another's: forward and backward, with every set of tracks, in every variant, in
    /// pieces of any size, with garbage in between, some damaged.
    private static func run<Link: EncoderLink>(_ link: Link.Type, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bench = EncoderHabits.ready(link, habits(&random))
        for number in 0..<swipes {
            bench.encoder.habits = habits(&random)
            bench.pieces = Int.random(in: 1...70, using: &random)
            if number.isMultiple(of: 7) {
                bench.hear((0..<20).map { _ in UInt8.random(in: 0x80...0xFF, using: &random) })
                bench.signals = []
            }
            let texts = texts(&random)
            var card = try EncodedCard(texts, isBackward: .random(using: &random))
            var expected = texts
            if number.isMultiple(of: 5), let track = texts.firstIndex(where: { $0 != nil }) {
                card.damage(track: track + 1, bit: Int.random(in: 35...80, using: &random))
                expected[track] = nil
            }
            try #require(bench.encoder.isWaitingForCard, "\(number)")
            bench.swipe(card)
            let swiped = bench.takeSwipes()
            #expect(swiped.count == 1, "\(number)")
            #expect(swiped.first?.tracks.map(\.outcome.clear) == expected, "\(number)")
            for _ in 0..<4 where !bench.encoder.isWaitingForCard { bench.fireTimer() }
        }
        #expect(bench.encoder.harm.isEmpty)
        #expect(bench.encoder.unknown.isEmpty)
    }

    /// In a recording nothing says when bytes came: no card's answer takes anything from the next one's.
    @Test func withoutAPauseBetweenThem() throws {
        var random = SeededRandom(seed: 22)
        var encoder = EncoderSimulator()
        var stream: [UInt8] = []
        var expected: [[String?]] = []
        for _ in 0..<Self.swipes {
            encoder.habits = Self.habits(&random)
            expected.append(Self.texts(&random))
            _ = encoder.receive([0x1B, 0x6D])
            stream += encoder.swipe(try EncodedCard(expected[expected.count - 1]).stripes)
        }
        var driver = MSRLineDriver(
            DeviceIdentity(readerID: "recording", bus: .serial, node: "", isSimulated: true))
        var actions = driver.start()
        while !stream.isEmpty {
            let piece = stream.prefix(Int.random(in: 1...70, using: &random))
            actions += driver.receive(SerialBytes(Array(piece)))
            stream.removeFirst(piece.count)
        }
        let swiped = actions.compactMap { if case .signal(.swiped(let swipe)) = $0 { swipe } else { nil } }
        #expect(swiped.map { $0.tracks.map(\.outcome.clear) } == expected)
    }

    @Test func inReports() throws { try Self.run(ReportLink.self, seed: 605) }

    @Test func onALine() throws { try Self.run(WireLink.self, seed: 206) }
}
