import AudioReaders
import CardData
import ReaderKit
import Testing
import WaveformSynthesis

@Suite struct PassiveHeadTests {
    static let text = ";4266841088889999=080910110000046?"
    private static let device = DeviceIdentity(
        readerID: "audio-desk", bus: .audio, node: "hw:CARD=desk,DEV=0")

    /// A swipe with silence round it, in blocks as a capture delivers them.
    private static func blocks(
        rate: Int = 48_000, from firstFrame: UInt64 = 0, _ text: String = text, _ format: TrackFormat = .iso2
    ) throws -> [SampleBlock] {
        var recipe = StripeRecipe(bits: try format.bits(of: Array(text.utf8)), bitsPerInch: 75)
        recipe.sampleRate = rate
        recipe.silence = 0.4
        let samples = StripeSynthesizer.samples(recipe, seed: 7)
        return stride(from: 0, to: samples.count, by: 960).map { start in
            SampleBlock(
                samples: Array(samples[start..<min(start + 960, samples.count)]), sampleRate: rate,
                firstFrame: firstFrame + UInt64(start))
        }
    }

    private static func signals(_ driver: inout PassiveHeadDriver, _ blocks: [SampleBlock]) -> [ReaderSignal]
    {
        blocks.flatMap { driver.receive($0) }.compactMap {
            if case .signal(let signal) = $0 { signal } else { nil }
        }
    }

    private static func texts(_ signals: [ReaderSignal]) -> [String] {
        signals.compactMap { signal in
            guard case .swiped(let swipe) = signal else { return nil }
            return swipe.tracks.first?.text?.reveal() ?? "unreadable"
        }
    }

    @Test func isReadyAtOnce() {
        var driver = PassiveHeadDriver(Self.device)
        let details = ReaderDetails(model: "Passive magnetic head", encryption: .clear)
        #expect(
            driver.start() == [
                .signal(.identified(details)), .signal(.activated(.success)), .signal(.ready(expiresIn: nil)),
            ])
    }

    /// Every swipe is announced by `swipeStarted`, and read; at another rate too, as after a new capture.
    @Test func readsOneSwipeAfterAnother() throws {
        var driver = PassiveHeadDriver(Self.device)
        let first = Self.signals(&driver, try Self.blocks())
        let second = Self.signals(&driver, try Self.blocks(rate: 44_100))
        for signals in [first, second] {
            #expect(signals.first == .swipeStarted)
            #expect(Self.texts(signals) == [Self.text])
        }
    }

    /// Two heads on one card are one swipe with both tracks, also where they are at work for one after the other.
    @Test func tracksOfTwoHeadsAreOneSwipe() throws {
        let track1 = "%B4266841088889999^BUSH JR/GEORGE W.MR^0809101100001100000000046000000?"
        var recipes = [
            try StripeRecipe(text: Self.text, format: .iso2, bitsPerInch: 75),
            try StripeRecipe(text: track1, format: .iso1, bitsPerInch: 210),
        ]
        for index in recipes.indices { (recipes[index].sampleRate, recipes[index].silence) = (48_000, 0.4) }
        let heads = StripeSynthesizer.samples(recipes, seed: 7)
        var driver = PassiveHeadDriver(Self.device)
        let count = heads.map(\.count).min() ?? 0
        let blocks = stride(from: 0, to: count, by: 960).map { start in
            let pieces = heads.map { Array($0[start..<min(start + 960, count)]) }
            return SampleBlock(
                samples: pieces[0], otherHeads: [pieces[1]], sampleRate: 48_000, firstFrame: UInt64(start))
        }
        let signals = Self.signals(&driver, blocks)
        #expect(signals.count == 2)
        #expect(signals.first == .swipeStarted)
        guard case .swiped(let swipe) = signals.last else { Issue.record("no swipe"); return }
        #expect(swipe.tracks.map(\.track) == [1, 2])
        #expect(swipe.tracks.map { $0.text?.reveal() } == [track1, Self.text])
        #expect(swipe.card == Card.recognise(swipe.tracks) && swipe.card != nil)
    }

    /// Each overrun is told once, also where a new capture counts from the beginning.
    @Test func overrunsAreToldOnce() {
        var driver = PassiveHeadDriver(Self.device)
        let counts = [0, 2, 2, 3, 1, 0].map { overruns in
            driver.receive(
                SampleBlock(samples: [0, 0], sampleRate: 48_000, firstFrame: 0, overruns: overruns)
            ).map { action -> Int in
                if case .signal(.notice(.overrun(let count))) = action { count } else { -1 }
            }
        }
        #expect(counts == [[], [2], [], [1], [1], []])
    }

    /// Samples lost in the middle of a swipe: it ends, and not as the card it is half of; the next one is read.
    @Test func anOverrunEndsTheSwipe() throws {
        var driver = PassiveHeadDriver(Self.device)
        var blocks = try Self.blocks()
        let middle = blocks.count / 2
        blocks.removeSubrange(middle..<middle + 3)
        let broken = Self.signals(&driver, blocks)
        #expect(broken.count { $0 == .swipeStarted } == Self.texts(broken).count)
        #expect(!Self.texts(broken).contains(Self.text))
        let next = Self.signals(&driver, try Self.blocks(from: 10_000_000))
        #expect(Self.texts(next).last == Self.text)
    }

    /// Half a card is no card, and people are told what was wrong.
    @Test func saysWhyACardCannotBeRead() throws {
        var driver = PassiveHeadDriver(Self.device)
        let blocks = try Self.blocks()
        let half = blocks.prefix(blocks.count / 2)
        let rate = half.first?.sampleRate ?? 48_000
        let end = half.last.map { $0.firstFrame + UInt64($0.samples.count) } ?? 0
        let silence = SampleBlock(
            samples: [Int16](repeating: 0, count: rate), sampleRate: rate, firstFrame: end)
        let swipes = Self.signals(&driver, Array(half) + [silence]).compactMap { signal in
            if case .swiped(let swipe) = signal { swipe } else { nil }
        }
        #expect(swipes.count == 1 && swipes.first?.card == nil)
        #expect(swipes.first?.quality.hint != nil)
    }

    /// A club's cards are read where the options know their format, and payment cards still are.
    @Test func readsFormatsOfOnesOwn() throws {
        let club = TrackFormat(
            name: "club", dataBits: 6, parity: .odd, firstCharacter: UInt8(ascii: " "),
            startSentinel: UInt8(ascii: "$"), endSentinel: UInt8(ascii: "/"), hasLRC: true,
            maximumCharacters: 107)
        let card = "$MEMBER 0042117 GOLD/"
        var options = ReaderOptions()
        options.cardFormats = "[format club]\nbits = 7\nstart = $\nend = /\n"
        var driver = PassiveHeadDriver(Self.device, options: options)
        #expect(Self.texts(Self.signals(&driver, try Self.blocks(card, club))) == [card])
        #expect(Self.texts(Self.signals(&driver, try Self.blocks())) == [Self.text])
        var plain = PassiveHeadDriver(Self.device)
        #expect(!Self.texts(Self.signals(&plain, try Self.blocks(card, club))).contains(card))
    }

    @Test func saysWhatIsWrongWithFormats() {
        #expect(
            PassiveHeadDriver.fault(inCardFormats: "[format club]\nbits = 7\nstart = $\nend = /\n") == nil)
        #expect(
            PassiveHeadDriver.fault(inCardFormats: "[format club]\nbits = 12\n")?.hasPrefix("line 2:") == true
        )
    }
}
