import CardData
import Testing

@testable import StripeSignal
@testable import WaveformSynthesis

/// The figures of a meter are those that the sound was made with.
@Suite struct LevelMeterTests {
    static let rate = 44_100

    static func frames(_ samples: [Int16], rate: Int = LevelMeterTests.rate) -> [LevelFrame] {
        var meter = LevelMeter(sampleRate: rate)
        return meter.take(samples.span)
    }

    /// White noise of a power, and a sine of a frequency and a power: decibels of full scale.
    static func sound(
        seconds: Double, noise: Double, hum: (hertz: Double, level: Double)? = nil,
        rate: Int = LevelMeterTests.rate
    ) -> [Int16] {
        var random = SeededRandom(seed: 11)
        let height = 32768 * Elementary.amplitude(decibels: noise)
        return (0..<Int(seconds * Double(rate))).map { index in
            var value = height * random.gaussian()
            if let hum {
                let angle = 2 * Double.pi * hum.hertz * Double(index) / Double(rate)
                value +=
                    32768 * Elementary.amplitude(decibels: hum.level) * 2.0.squareRoot()
                    * Elementary.sine(angle)
            }
            return Int16(max(min(value.rounded(), 32767), -32768))
        }
    }

    @Test(arguments: [44_100, 48_000, 192_000], [-30.0, -50, -70]) func theFloorIsRight(
        rate: Int, noise: Double
    ) throws {
        let frames = Self.frames(Self.sound(seconds: 6, noise: noise, rate: rate), rate: rate)
        #expect(abs(frames.count - 60) <= 1)
        let floor = try #require(frames.last?.floor)
        #expect(abs(Double(floor) - noise) <= 1)
        #expect(frames.last?.hum == nil)
        #expect(frames.allSatisfy { !$0.isClipped })
    }

    @Test(arguments: [50.0, 60, 49.8], [-30.0, -45]) func theHumIsRight(hertz: Double, level: Double) throws {
        let frames = Self.frames(Self.sound(seconds: 9, noise: -60, hum: (hertz, level)))
        let hum = try #require(frames.last?.hum)
        #expect(hum.hertz == Int((hertz / 10).rounded()) * 10)
        #expect(abs(Double(hum.decibels) - level) <= 1)
        #expect(abs(Double(try #require(frames.last?.floor)) - level) <= 1)
    }

    /// A swipe's height, its gate, and that noise comes back after it.
    @Test(arguments: [-3.0, -20, -40]) func aSwipesPeakIsRight(level: Double) throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.level = level
        recipe.signalToNoise = nil
        // The noise goes on under the swipe: silence before it would be taken for what is usual.
        var samples = Self.sound(seconds: 12, noise: -75)
        for (index, sample) in StripeSynthesizer.samples(recipe, seed: 4).enumerated() {
            samples[6 * Self.rate + index] += sample
        }
        let frames = Self.frames(samples)
        let open = frames.filter(\.isOpen)
        #expect((3...8).contains(open.count))
        #expect(abs(Double(try #require(open.map(\.peak).max())) - level) <= 1)
        #expect(open.map(\.peak) == open.map(\.peak).sorted(), "the peak of a passage only rises")
        #expect(Set(open.map(\.floor)).count == 1, "no power is measured of a swipe")
        #expect(abs(try #require(frames.last?.floor) + 75) <= 1)
        #expect(try #require(frames.last?.peak) < -60)
    }

    /// A card that is lifted half-way, as it is drawn.
    @Test func theOutlineIsThatOfTheSound() throws {
        let samples = StripeSynthesizer.samples(try RoundTrip.recipe(track: 2), seed: 4)
        let quiet = Self.sound(seconds: 6, noise: -75)
        let heard = samples.indices.filter { abs(Int(samples[$0])) > 3_000 }
        let middle = (try #require(heard.first) + (try #require(heard.last))) / 2
        let lifted = samples.indices.map { index in
            index < middle ? samples[index] : Int16(Double(samples[index]) * 0.4)
        }
        let outlines = Self.frames(quiet + lifted + quiet).compactMap(\.passage)
        try #require(outlines.count == 1, "one for a pass")
        // A step less where the card's own pulses, or its beginning, are lower.
        #expect(outlines[0].prefix(5).allSatisfy { $0 >= 80 }, "\(outlines[0])")
        #expect(outlines[0].suffix(4).allSatisfy { $0 == 40 }, "\(outlines[0])")
    }

    /// What takes so long is slow enough for a tenth of it to be a character.
    @Test func aSlowPassHasNoOutline() throws {
        let quiet = Self.sound(seconds: 6, noise: -75)
        for (speed, isTold) in [(25.0, true), (4, false)] {
            let samples = StripeSynthesizer.samples(
                try HiddenDigits.recipe(2, "777777", speed: speed), seed: 4)
            let outlines = Self.frames(quiet + samples + quiet).compactMap(\.passage)
            #expect(outlines.isEmpty != isTold, "\(speed) cm/s")
        }
    }

    @Test func clippingIsTold() throws {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.clipping = 6
        let quiet = Self.sound(seconds: 6, noise: -75)
        let frames = Self.frames(quiet + StripeSynthesizer.samples(recipe, seed: 4) + quiet)
        #expect(frames.contains { $0.isClipped && $0.isOpen })
        #expect(frames.last?.isClipped == false)
    }

    /// An offset is neither a level nor noise.
    @Test func anOffsetIsNoLevel() throws {
        let frames = Self.frames(Self.sound(seconds: 8, noise: -60).map { $0 + 6000 })
        #expect(try #require(frames.last?.peak) < -40)
        #expect(abs(try #require(frames.last?.floor) + 60) <= 1)
    }

    @Test func digitalSilenceIsSilence() {
        let frames = Self.frames(Array(repeating: 0, count: 8 * Self.rate))
        #expect(frames.last == LevelFrame(number: UInt64(frames.count - 1), peak: -120, floor: -120))
    }
}

/// No frame tells hidden digits: an attacker who has the frames of two cards says of others which card it was. As in ``CardReportSecrecyTests``.
@Suite struct LevelMeterSecrecyTests {
    private static let seeds: Range<UInt64> = 200..<260
    private static let quiet = LevelMeterTests.sound(seconds: 6, noise: -70)
    /// Behind a swipe: an outline is told once nothing was heard for a second.
    private static let quietAfter = Array(quiet.prefix(2 * LevelMeterTests.rate))

    @Test(arguments: [1, 2], [25.0, 4]) func anAttackerGuessesAtChance(track: Int, speed: Double) throws {
        let frames = try HiddenDigits.hidden.map { digits in
            try Self.seeds.map { try Self.figures(track, digits, speed: speed, seed: $0) }
        }
        let count = Self.seeds.count
        let most = Double(count) + 3.5 * (Double(count) / 2).squareRoot()
        let right = HiddenDigits.rightGuesses(frames)
        #expect(Double(right) < most, "\(right) of \(2 * count)")
    }

    /// A meter that is switched on while the card passes says no more.
    @Test func noneOfASwipeThatItBeginsIn() throws {
        let recipe = try HiddenDigits.recipe(2, "777777", speed: 4)
        let samples = StripeSynthesizer.samples(recipe, seed: 1)
        let frames = LevelMeterTests.frames(Array(samples.dropFirst(samples.count / 3)))
        #expect(frames.count > 5)
        #expect(frames.allSatisfy { $0.floor == nil && $0.hum == nil && $0.passage == nil })
        #expect(frames.map(\.peak) == frames.map(\.peak).sorted())
    }

    /// The picture of the last swipe alone, of hands that are even and uneven.
    @Test(arguments: [1, 2], [1.0, 2, 4])
    func theOutlineTellsNothing(track: Int, ratio: Double) throws {
        let outlines = try HiddenDigits.hidden.map { digits in
            try Self.seeds.map { seed in
                var recipe = try HiddenDigits.recipe(track, digits, speed: 12)
                recipe.speed.shape = ratio == 1 ? .constant : .bell(ratio: ratio)
                let sound: [Int16] = Self.quiet + StripeSynthesizer.samples(recipe, seed: seed)
                let frames = LevelMeterTests.frames(sound + Self.quietAfter)
                let outline = try #require(frames.compactMap(\.passage).last)
                return outline.map(Double.init)
            }
        }
        let count = Self.seeds.count
        let most = Double(count) + 3.5 * (Double(count) / 2).squareRoot()
        let right = HiddenDigits.rightGuesses(outlines)
        #expect(Double(right) < most, "\(right) of \(2 * count)")
    }

    private static func figures(
        _ track: Int, _ hidden: String, speed: Double, seed: UInt64
    ) throws -> [Double] {
        let recipe = try HiddenDigits.recipe(track, hidden, speed: speed)
        let sound: [Int16] = quiet + StripeSynthesizer.samples(recipe, seed: seed)
        let frames = LevelMeterTests.frames(sound + quietAfter)
        let told = frames.suffix(from: min(58, frames.count)).prefix(30)
        let figures: [[Double]] = told.map { frame in
            let (floor, hum) = (Double(frame.floor ?? 0), Double(frame.hum?.decibels ?? 0))
            return [Double(frame.peak), floor, hum, frame.isClipped ? 1 : 0, frame.isOpen ? 1 : 0]
                + (frame.passage ?? [Int](repeating: 0, count: 10)).map(Double.init)
        }
        return figures.flatMap(\.self) + [Double](repeating: 0, count: (30 - told.count) * 15)
    }
}
