import CardData
import Testing
import WaveformSynthesis

@testable import StripeSignal

/// Several heads on one card give one stroke, and the speed that one has heard helps the others.
@Suite struct HeadsTests {
    private static func recipes(
        _ tracks: [Int], _ change: (inout [StripeRecipe]) -> Void = { _ in }
    ) throws -> [StripeRecipe] {
        var recipes = try tracks.map { try RoundTrip.recipe(track: $0) }
        change(&recipes)
        return recipes
    }

    /// - Parameter block: so many samples of each head at a time.
    private static func strokes(
        _ heads: [[Int16]], block: Int = 1764, _ each: (inout HeadsDecoder, Int) -> Void = { _, _ in }
    ) -> (strokes: [Stroke], activities: Int) {
        var decoder = HeadsDecoder(sampleRate: 44_100, heads: heads.count)
        var found: [Stroke] = [], activities = 0
        let count = heads.map(\.count).max() ?? 0
        for start in stride(from: 0, to: count, by: block) {
            each(&decoder, start)
            for (head, samples) in heads.enumerated() {
                let piece = Array(samples.dropFirst(start).prefix(block))
                if decoder.take(piece.span, of: head) { activities += 1 }
            }
            found += decoder.strokes()
        }
        return (found + decoder.finish(), activities)
    }

    private static func texts(_ stroke: Stroke?) -> [String] {
        (stroke?.tracks ?? []).map { $0.text?.reveal() ?? "refused" }
    }

    @Test(arguments: [[1, 2], [2, 1], [1, 2, 3]], [64, 1764, 100_000])
    func theTracksOfOneCardAreOneStroke(tracks: [Int], block: Int) throws {
        let heads = StripeSynthesizer.samples(try Self.recipes(tracks), seed: 5)
        let (strokes, activities) = Self.strokes(heads, block: block)
        #expect(strokes.count == 1)
        #expect(activities == 1)
        #expect(strokes.first?.tracks.map(\.track) == tracks.sorted())
        #expect(Self.texts(strokes.first) == tracks.sorted().map(RoundTrip.text))
    }

    @Test func oneCardAfterTheOtherIsAStrokeEach() throws {
        let one = StripeSynthesizer.samples(
            try Self.recipes([1, 2]) {
                $0[0].silence = 0.5; $0[1].silence = 0.5
            }, seed: 5)
        let (strokes, activities) = Self.strokes(zip(one, one).map { $0 + $1 })
        #expect(strokes.map { Self.texts($0).count } == [2, 2])
        #expect(activities == 2)
        #expect(strokes.map(\.range.lowerBound) == strokes.map(\.range.lowerBound).sorted())
    }

    /// Worn and lifted: alone it is refused, in each of these. The other head's sound is that of the same hand.
    @Test(arguments: [1, 5, 8, 11] as [UInt64]) func theSpeedThatOneHasHeardHelpsTheOther(seed: UInt64) throws
    {
        let recipes = try Self.recipes([1, 2]) { recipes in
            for index in recipes.indices {
                recipes[index].speed = SpeedProfile(
                    shape: .hand(variation: 0.35), centimetresPerSecond: 30)
            }
            recipes[0].jitter = 0.03
            recipes[0].signalToNoise = 20
            recipes[0].pulseWidth = 80
            recipes[0].lifts = [HeadLift(centre: 0.5, millimetres: 6, amplitude: 0.3)]
        }
        let heads = StripeSynthesizer.samples(recipes, seed: seed)
        #expect(RoundTrip.texts(RoundTrip.swipes(heads[0], sampleRate: 44_100)) == [])
        let stroke = try #require(Self.strokes(heads).strokes.first)
        #expect(Self.texts(stroke) == [RoundTrip.track1, RoundTrip.track2])
        // Its cells lie where they passed, as those of the other head do.
        let parts = stroke.parts.map(\.swipe).sorted {
            ($0.bitRuns.first?.bits.count ?? 0) < ($1.bitRuns.first?.bits.count ?? 0)
        }
        let edges = parts.compactMap { $0.bitRuns.max { $0.bits.count < $1.bits.count }?.cellEdges }
        let ends = edges.map { ($0.first ?? 0, $0.last ?? 0) }
        #expect(abs(ends[0].0 - ends[1].0) < 4_000 && abs(ends[0].1 - ends[1].1) < 4_000)
        #expect(edges.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0 < $1 } })
    }

    /// The second head's samples are those of another hand: nothing wrong is read by its speed.
    @Test(arguments: [1, 5] as [UInt64]) func anotherHandsSpeedReadsNothingWrong(seed: UInt64) throws {
        let recipes = try Self.recipes([1, 2]) { recipes in
            recipes[0].speed = SpeedProfile(shape: .hand(variation: 0.35), centimetresPerSecond: 30)
            recipes[0].jitter = 0.03
            recipes[0].signalToNoise = 20
            recipes[0].pulseWidth = 80
            recipes[0].lifts = [HeadLift(centre: 0.5, millimetres: 6, amplitude: 0.3)]
            recipes[1].speed = SpeedProfile(shape: .bell(ratio: 3), centimetresPerSecond: 30)
        }
        let heads = [
            StripeSynthesizer.samples([recipes[0]], seed: seed)[0],
            StripeSynthesizer.samples([recipes[1]], seed: seed)[0],
        ]
        let texts = Self.strokes(heads).strokes.flatMap(Self.texts)
        #expect(Set(texts).isSubset(of: ["refused", RoundTrip.track1, RoundTrip.track2]))
        #expect(texts.contains(RoundTrip.track2))
    }

    @Test func aHeadThatHearsNothingHoldsNobodyBack() throws {
        let track = StripeSynthesizer.samples(try Self.recipes([2]), seed: 5)[0]
        let silent = [Int16](repeating: 0, count: track.count)
        for heads in [[track, silent], [silent, track], [silent, silent, track]] {
            #expect(Self.strokes(heads).strokes.map(Self.texts) == [[RoundTrip.track2]])
        }
    }

    /// One head on both channels.
    @Test func theSameTextTwiceIsOneTrack() throws {
        let track = StripeSynthesizer.samples(try Self.recipes([2]), seed: 5)[0]
        #expect(Self.strokes([track, track]).strokes.map(Self.texts) == [[RoundTrip.track2]])
    }

    /// A head that is loud for ever holds back the other's swipe for 5 s.
    @Test func oneThatIsLoudForEverIsNotWaitedFor() throws {
        let track = StripeSynthesizer.samples(try Self.recipes([2]), seed: 5)[0]
        var random = SeededRandom(seed: 3)
        let count = track.count + 6 * 44_100
        let loud = (0..<count).map { index in
            index < 4_000 ? 0 : Int16(random.uniform(-9_000...9_000))
        }
        let padded = track + [Int16](repeating: 0, count: count - track.count)
        var decoder = HeadsDecoder(sampleRate: 44_100, heads: 2)
        var told: Int?
        for start in stride(from: 0, to: count, by: 1764) {
            for (head, samples) in [padded, loud].enumerated() {
                let piece = Array(samples.dropFirst(start).prefix(1764))
                decoder.take(piece.span, of: head)
            }
            let texts = decoder.strokes().flatMap(Self.texts)
            if told == nil, texts.contains(RoundTrip.track2) { told = start }
        }
        let seconds = Double(try #require(told)) / 44_100
        #expect(seconds < Double(track.count) / 44_100 + 5.2)
    }

    /// What came after a gap is no card's other half.
    @Test func lostSamplesEndWhatIsUnderWay() throws {
        let heads = StripeSynthesizer.samples(try Self.recipes([1, 2]), seed: 5)
        let middle = heads[0].count / 2 / 1764 * 1764
        let (strokes, _) = Self.strokes(heads) { decoder, start in
            if start == middle { decoder.interrupt() }
        }
        #expect(!strokes.isEmpty)
        #expect(strokes.flatMap(\.tracks).allSatisfy { $0.text == nil })
    }

    /// Heads that read nothing are called after tracks that nobody read; those that failed alike are one.
    @Test func whatWasRefusedIsCalledAfterAFreeTrack() {
        func part(_ head: Int, _ reading: TrackReading) -> Stroke.Part {
            var swipe = StripeSwipe.unreadable(0..<100)
            swipe.tracks = [reading]
            return Stroke.Part(head: head, swipe: swipe)
        }
        let parity = TrackReading(track: 2, outcome: .refused(.noEndSentinel(atBit: 5)))
        let lrc = TrackReading(track: 2, outcome: .refused(.noStartSentinel))
        let read = TrackReading(track: 2, outcome: .read(SensitiveText(RoundTrip.track2)), format: "iso2")
        #expect(Stroke([part(0, read), part(1, parity)]).tracks.map(\.track) == [1, 2])
        #expect(Stroke([part(0, parity), part(1, read), part(2, lrc)]).tracks.map(\.track) == [1, 2, 3])
        #expect(Stroke([part(0, parity), part(1, parity)]).tracks == [parity])
        #expect(Stroke([part(0, parity), part(1, lrc)]).tracks.map(\.track) == [1, 2])
        #expect(Stroke([part(0, parity), part(0, read)]).tracks == [read])
    }

    /// One head is decoded as it was: the same events, block by block.
    @Test(arguments: [1, 2, 3]) func oneHeadAloneIsAsBefore(track: Int) throws {
        let samples = StripeSynthesizer.samples(try RoundTrip.recipe(track: track), seed: 9)
        var one = StripeDecoder(sampleRate: 44_100)
        var heads = HeadsDecoder(sampleRate: 44_100, heads: 1)
        for start in stride(from: 0, to: samples.count, by: 441) {
            let piece = Array(samples.dropFirst(start).prefix(441))
            let expected = one.process(piece.span), got = heads.process(piece.span, others: [])
            #expect("\(expected)" == "\(got)")
        }
    }
}

/// A card's way, and another head's sound along it.
@Suite struct CardWayTests {
    /// Edges of a hand that gets faster: a cell is 20 samples at first, and 8 in the end.
    private static let edges: [Double] = {
        var edges = [1_000.0]
        for cell in 0..<200 { edges.append((edges.last ?? 0) + 20 - 12 * Double(cell) / 200) }
        return edges
    }()

    @Test func cellsAreEvenOnceStraightened() throws {
        let way = try #require(CardWay(edges: Self.edges))
        let signal = way.straightened([Float](repeating: 1, count: 5_000), first: 0)
        // The place of each edge among the straightened samples, by search.
        let places = Self.edges.map { edge in
            Double(signal.samples.indices.first { signal.moment(of: Double($0)) >= edge } ?? 0)
        }
        let cells = zip(places.dropFirst(), places).map { $0 - $1 }
        let mean = cells.reduce(0, +) / Double(cells.count)
        #expect(cells.dropFirst(4).dropLast(4).allSatisfy { abs($0 - mean) <= 1.5 })
    }

    /// A card that is as fast as a head was everywhere gives pulses of one height.
    @Test func heightsFollowTheSpeed() throws {
        let way = try #require(CardWay(edges: Self.edges))
        let speeds = (0..<4_000).map { sample -> Float in
            let edge = Self.edges.firstIndex { $0 > Double(sample) } ?? 0
            guard edge > 0 else { return 1 / 20 }
            return 1 / Float(Self.edges[edge] - Self.edges[edge - 1])
        }
        let inside = way.straightened(speeds, first: 0).samples.dropFirst(200).dropLast(400)
        let least = try #require(inside.min()), most = try #require(inside.max())
        #expect(most / least < 1.15)
    }

    @Test func tooFewOrTurningEdgesAreNoWay() {
        #expect(CardWay(edges: []) == nil)
        #expect(CardWay(edges: (0..<12).map(Double.init)) == nil)
        #expect(CardWay(edges: Array(repeating: 5, count: 100)) == nil)
        #expect(CardWay(edges: (0..<100).map { -Double($0) }) == nil)
    }

    /// Whatever the sound is, it ends and does not trap.
    @Test(arguments: [0, 1, 2, 50_000], [0, 900, 4_000] as [UInt64]) func anySoundIsTaken(
        count: Int, first: UInt64
    ) throws {
        let way = try #require(CardWay(edges: Self.edges))
        let signal = way.straightened([Float](repeating: .nan, count: count), first: first)
        #expect(signal.samples.count < 8 * count + 100)
    }
}
