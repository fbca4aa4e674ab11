import CardData
import StripeSignal
import Testing
import WaveformSynthesis

/// The decoder as a stream: how the samples are cut into blocks must not matter.
@Suite struct StreamingTests {
    private func events(_ samples: [Int16], block: Int) -> [StripeEvent] {
        var decoder = StripeDecoder(sampleRate: 44_100)
        var events: [StripeEvent] = []
        for start in stride(from: 0, to: samples.count, by: block) {
            events += decoder.process(samples.span.extracting(start..<min(start + block, samples.count)))
        }
        return events + decoder.finish()
    }

    private func twoSwipes() throws -> [Int16] {
        var recipe = try RoundTrip.recipe(track: 2)
        recipe.silence = 0.25
        return StripeSynthesizer.samples(recipe, seed: 1) + StripeSynthesizer.samples(recipe, seed: 2)
    }

    @Test(arguments: [31, 441, 1_000_000]) func blocksDoNotMatter(block: Int) throws {
        var texts: [String] = []
        var places: [UInt64] = []
        for case .swipe(let swipe) in events(try twoSwipes(), block: block) {
            texts += RoundTrip.texts([swipe])
            places.append(swipe.startSample)
        }
        #expect(texts == [RoundTrip.track2, RoundTrip.track2])
        #expect(places.sorted() == places)
    }

    /// No silence teaches the gate what is quiet: the card is at the head when the recording begins.
    @Test(arguments: 1...3) func aSwipeThatBeginsWithTheStreamIsRead(track: Int) throws {
        var recipe = try RoundTrip.recipe(track: track)
        recipe.silence = 0
        var read = 0
        for seed in UInt64(0)..<12 {
            let samples = StripeSynthesizer.samples(recipe, seed: seed) + [Int16](repeating: 0, count: 13_230)
            read += RoundTrip.texts(RoundTrip.swipes(samples, sampleRate: 44_100)).count
        }
        // One in thirty or so is still lost.
        #expect(read >= 11)
    }

    @Test func activityComesBeforeItsSwipe() throws {
        let kinds = events(try twoSwipes(), block: 441).map { event in
            switch event {
            case .activity: "activity"
            case .swipe: "swipe"
            }
        }
        #expect(kinds == ["activity", "swipe", "activity", "swipe"])
    }

    @Test func lostSamplesEndTheSwipeAsPartial() throws {
        let samples = StripeSynthesizer.samples(try RoundTrip.recipe(track: 2), seed: 1)
        var decoder = StripeDecoder(sampleRate: 44_100)
        var events = decoder.process(samples.span.extracting(first: samples.count / 2))
        decoder.interrupt()
        events += decoder.process([Int16](repeating: 0, count: 44_100).span)
        let hints = events.compactMap { if case .swipe(let swipe) = $0 { swipe.quality.hint } else { nil } }
        #expect(hints.first == .partial)
        let next = StripeSynthesizer.samples(try RoundTrip.recipe(track: 2), seed: 2)
        events = decoder.process(next.span) + decoder.finish()
        #expect(
            RoundTrip.texts(events.compactMap { if case .swipe(let swipe) = $0 { swipe } else { nil } }) == [
                RoundTrip.track2
            ])
    }

    @Test func oddFloatsAreSilence() {
        var decoder = StripeDecoder(sampleRate: 44_100)
        let samples: [Float] = (0..<20_000).map { [.nan, .infinity, -.infinity, 3e38][$0 % 4] }
        #expect(decoder.process(samples.span).isEmpty)
        #expect(decoder.finish().isEmpty)
    }

    @Test(arguments: [0, -1, 1, Int.max, Int.min]) func absurdRatesAreClamped(rate: Int) {
        var decoder = StripeDecoder(sampleRate: rate)
        _ = decoder.process([Int16](repeating: 1000, count: 5000).span)
        _ = decoder.finish()
    }

    @Test(arguments: [0, 1, 2, 3, 17, 100, 1000]) func shortInputsAreNoSwipe(count: Int) {
        let samples = (0..<count).map { Int16($0.isMultiple(of: 2) ? 20_000 : -20_000) }
        #expect(RoundTrip.texts(RoundTrip.swipes(samples, sampleRate: 44_100)).isEmpty)
    }
}
