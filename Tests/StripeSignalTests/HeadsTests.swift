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
    ) -> [Stroke] {
        var decoder = HeadsDecoder(sampleRate: 44_100, heads: heads.count)
        var found: [Stroke] = []
        let count = heads.map(\.count).max() ?? 0
        for start in stride(from: 0, to: count, by: block) {
            each(&decoder, start)
            for (head, samples) in heads.enumerated() {
                let piece = Array(samples.dropFirst(start).prefix(block))
                decoder.take(piece.span, of: head)
            }
            found += decoder.strokes()
        }
        return found + decoder.finish()
    }

    /// What a daemon is told: `a` for activity, and for a swipe how many tracks were read.
    private static func told(
        _ heads: [[Int16]], block: Int = 1764, _ each: (inout HeadsDecoder, Int) -> Void = { _, _ in }
    ) -> String {
        var decoder = HeadsDecoder(sampleRate: 44_100, heads: heads.count)
        let silence = [Int16](repeating: 0, count: 44_100)
        let heads = heads.map { $0 + silence }
        var told = ""
        for start in stride(from: 0, to: heads.map(\.count).max() ?? 0, by: block) {
            each(&decoder, start)
            let pieces = heads.map { Array($0.dropFirst(start).prefix(block)) }
            let first = pieces[0]
            for event in decoder.process(first.span, others: Array(pieces.dropFirst())) {
                switch event {
                case .activity: told += "a"
                case .swipe(let swipe): told += "\(swipe.tracks.count { $0.text != nil })"
                }
            }
        }
        return told
    }

    private static func texts(_ stroke: Stroke?) -> [String] {
        (stroke?.tracks ?? []).map { $0.text?.reveal() ?? "refused" }
    }

    @Test(arguments: [[1, 2], [2, 1], [1, 2, 3]], [64, 1764, 100_000])
    func theTracksOfOneCardAreOneStroke(tracks: [Int], block: Int) throws {
        let heads = StripeSynthesizer.samples(try Self.recipes(tracks), seed: 5)
        let strokes = Self.strokes(heads, block: block)
        #expect(strokes.count == 1)
        #expect(Self.told(heads, block: block) == "a\(tracks.count)")
        #expect(strokes.first?.tracks.map(\.track) == tracks.sorted())
        #expect(Self.texts(strokes.first) == tracks.sorted().map(RoundTrip.text))
    }

    @Test func oneCardAfterTheOtherIsAStrokeEach() throws {
        let one = StripeSynthesizer.samples(
            try Self.recipes([1, 2]) {
                $0[0].silence = 0.5; $0[1].silence = 0.5
            }, seed: 5)
        let two = zip(one, one).map { $0 + $1 }
        let strokes = Self.strokes(two)
        #expect(strokes.map { Self.texts($0).count } == [2, 2])
        #expect(Self.told(two) == "a2a2")
        #expect(strokes.map(\.range.lowerBound) == strokes.map(\.range.lowerBound).sorted())
    }

    /// Track 1, worn and under a head that lifts, and track 2 in clear, moved by one hand.
    private static func worn() throws -> [StripeRecipe] {
        try recipes([1, 2]) { recipes in
            for index in recipes.indices {
                recipes[index].speed = SpeedProfile(shape: .hand(variation: 0.35), centimetresPerSecond: 30)
            }
            recipes[0].jitter = 0.03
            recipes[0].signalToNoise = 20
            recipes[0].pulseWidth = 80
            recipes[0].lifts = [HeadLift(centre: 0.5, millimetres: 6, amplitude: 0.3)]
        }
    }

    /// Worn and lifted: alone it is refused, in each of these. The other head's sound is that of the same hand.
    @Test(arguments: [1, 5, 8, 11] as [UInt64]) func theSpeedThatOneHasHeardHelpsTheOther(seed: UInt64) throws
    {
        let recipes = try Self.worn()
        let heads = StripeSynthesizer.samples(recipes, seed: seed)
        #expect(RoundTrip.texts(RoundTrip.swipes(heads[0], sampleRate: 44_100)) == [])
        let stroke = try #require(Self.strokes(heads).first)
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
        var recipes = try Self.worn()
        recipes[1].speed.shape = .bell(ratio: 3)
        let heads = [
            StripeSynthesizer.samples([recipes[0]], seed: seed)[0],
            StripeSynthesizer.samples([recipes[1]], seed: seed)[0],
        ]
        let texts = Self.strokes(heads).flatMap(Self.texts)
        #expect(Set(texts).isSubset(of: ["refused", RoundTrip.track1, RoundTrip.track2]))
        #expect(texts.contains(RoundTrip.track2))
    }

    @Test func aHeadThatHearsNothingHoldsNobodyBack() throws {
        let track = StripeSynthesizer.samples(try Self.recipes([2]), seed: 5)[0]
        let silent = [Int16](repeating: 0, count: track.count)
        for heads in [[track, silent], [silent, track], [silent, silent, track]] {
            #expect(Self.strokes(heads).map(Self.texts) == [[RoundTrip.track2]])
        }
    }

    /// One head on both channels.
    @Test func theSameTextTwiceIsOneTrack() throws {
        let track = StripeSynthesizer.samples(try Self.recipes([2]), seed: 5)[0]
        #expect(Self.strokes([track, track]).map(Self.texts) == [[RoundTrip.track2]])
    }

    /// A head that is loud for ever holds back the other's swipe for 5 s.
    @Test func oneThatIsLoudForEverIsNotWaitedFor() throws {
        let track = StripeSynthesizer.samples(try Self.recipes([2]), seed: 5)[0]
        var random = SeededRandom(seed: 3)
        let count = track.count + 6 * 44_100
        // Louder by 3 dB a second: what stays as loud becomes the gate's floor.
        var level = 1_500.0
        let loud = (0..<count).map { index in
            level *= 1.0000078
            return index < 4_000 ? 0 : Int16(random.uniform(-level...level))
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
        let strokes = Self.strokes(heads) { decoder, start in
            if start == middle { decoder.interrupt() }
        }
        #expect(!strokes.isEmpty)
        #expect(strokes.flatMap(\.tracks).allSatisfy { $0.text == nil })
    }

    /// Two cards pass one head while the other is loud all the time: they stay two, and the loud one's noise is no third text of them.
    @Test func twoCardsUnderALoudHeadStayTwo() throws {
        let card = StripeSynthesizer.samples(try RoundTrip.recipe(track: 2) { $0 }, seed: 5)
        let pause = [Int16](repeating: 0, count: 11_025)
        let cards = card + pause + card
        var random = SeededRandom(seed: 3)
        let loud = cards.indices.map { index in
            (4_000..<cards.count - 4_000).contains(index) ? Int16(random.uniform(-9_000...9_000)) : 0
        }
        for heads in [[cards, loud], [loud, cards]] {
            let strokes = Self.strokes(heads)
            let texts = strokes.map { Self.texts($0).filter { $0 != "refused" } }.filter { !$0.isEmpty }
            #expect(texts == [[RoundTrip.track2], [RoundTrip.track2]])
            let told = Self.told(heads)
            #expect(told.filter { $0 == "a" }.count == told.filter { $0 != "a" }.count)
        }
    }

    /// Samples that are lost while the card passes, even behind its record, end the help; those lost long before do not.
    @Test func aGapEndsTheHelp() throws {
        let heads = StripeSynthesizer.samples(try Self.worn(), seed: 1)
            .map { [Int16](repeating: 0, count: 44_100) + $0 }
        func told(_ heads: [[Int16]], _ place: Int) -> String {
            Self.told(heads, block: 441) { decoder, start in
                if start == place / 441 * 441 { decoder.interrupt() }
            }
        }
        #expect(told(heads, 8_820).contains("2"))
        let end = heads[0].count
        for place in stride(from: end - 5_000, through: end - 2_000, by: 600) {
            // What is left of it the first head may read by itself.
            let readsAlone = told([heads[0]], place).contains("1")
            #expect(told(heads, place).contains("2") == readsAlone, "\(end - place) samples before the end")
        }
    }

    /// The helped head's sound stays where it was: its swipe begins with its first pulses, and its waveform with the swipe.
    @Test func placesAreThoseOfTheSound() throws {
        let heads = StripeSynthesizer.samples(try Self.worn(), seed: 8)
        var options = StripeOptions()
        options.keepsTrace = true
        var decoder = HeadsDecoder(sampleRate: 44_100, heads: 2, options: options)
        for (head, samples) in heads.enumerated() { decoder.take(samples.span, of: head) }
        let stroke = try #require((decoder.strokes() + decoder.finish()).first)
        let swipe = try #require(stroke.parts.first { $0.head == 0 }?.swipe),
            trace = try #require(swipe.trace)
        #expect(swipe.hasText)
        #expect(trace.waveform.count == Int(swipe.endSample - swipe.startSample))
        #expect(trace.heard.count == trace.waveform.count)
        // Half of the reversals that the reading was made of stand where the sound has a pulse of that sign.
        let right = trace.reversals.count { reversal in
            let index = Int(reversal.position) - Int(swipe.startSample)
            guard trace.waveform.indices.contains(index) else { return false }
            return trace.waveform[index] * reversal.amplitude > 0
        }
        #expect(right > trace.reversals.count * 8 / 10)
    }

    /// A text that was refused for a seam, or since another was as likely, is known to have been: no other head's speed brings it back.
    @Test(arguments: [
        (TrackRefusal.ambiguous(.seam, atBit: 3), false, true), (.ambiguous(.rival, atBit: 3), false, true),
        (.ambiguous(.unsureBits, atBit: 3), false, false), (.noStartSentinel, false, false),
        (.noStartSentinel, true, true),
    ])
    func aRefusedTextIsRemembered(refusal: TrackRefusal, isSeamed: Bool, isDoubted: Bool) throws {
        let samples = StripeSynthesizer.samples(try RoundTrip.recipe(track: 2), seed: 5).map(Float.init)
        let reader = SwipeReader(sampleRate: 44_100, options: .init())
        var reading = try #require(reader.read(samples, firstSample: 0)).reading
        let rating = ReadingQuality(sampleRate: 44_100, signalPower: 1, noisePower: 0)
        #expect(reading.swipe(firstSample: 0, count: 100, rating, .init())?.isDoubted == false)
        (reading.track, reading.refusal, reading.isSeamed) = (nil, refusal, isSeamed)
        #expect(reading.swipe(firstSample: 0, count: 100, rating, .init())?.isDoubted == isDoubted)
    }

    @Test func partsAreGroupedByTheCard() {
        func part(_ head: Int, _ range: Range<UInt64>, _ isRead: Bool) -> Stroke.Part {
            var swipe = StripeSwipe.unreadable(range)
            swipe.tracks = [
                TrackReading(
                    track: 2,
                    outcome: isRead ? .read(SensitiveText(RoundTrip.track2)) : .refused(.noStartSentinel))
            ]
            return Stroke.Part(head: head, swipe: swipe)
        }
        // One refused part that lies over two cards belongs to neither.
        let groups = Stroke.groups([
            part(1, 0..<1_000, true), part(0, 0..<3_000, false), part(1, 2_000..<3_000, true),
        ])
        #expect(groups.map(\.count) == [1, 1, 1])
        #expect(Stroke.groups([part(0, 0..<1_000, true), part(0, 100..<1_000, true)]).count == 2)
        #expect(Stroke.groups([part(0, 0..<1_000, false), part(1, 100..<1_000, false)]).count == 1)
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
