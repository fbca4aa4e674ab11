import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import MSRReaders

/// Cards through a simulated encoder: what a client is told of each.
@Suite struct SwipeTests {

    @Test(arguments: [false, true]) func allTracks(isBackward: Bool) throws {
        var bench = EncoderHabits.ready(ReportLink.self)
        bench.swipe(try EncodedCard(Cards.all, isBackward: isBackward))
        let swipe = try #require(bench.takeSwipes().first)
        #expect(swipe.tracks.map(\.outcome.clear) == Cards.all)
        #expect(swipe.tracks.map(\.format) == ["iso1", "iso2", "iso3"])
        #expect(swipe.quality.direction == (isBackward ? .backward : .forward))
        #expect(swipe.card != nil)
        #expect(bench.encoder.light == .green)
        #expect(bench.encoder.isWaitingForCard)
    }

    @Test func textsWhereTheyAreAskedFor() throws {
        var bench = EncoderHabits.ready(WireLink.self, .init(), EncoderHabits.iso())
        bench.swipe(try EncodedCard(Cards.all))
        let swipe = try #require(bench.takeSwipes().first)
        #expect(swipe.tracks.map(\.outcome.clear) == Cards.all)
        #expect(swipe.quality.direction == nil)
    }

    /// Bits give a reason where a text gives none.
    @Test func aBadTrackSaysWhy() throws {
        var card = try EncodedCard(Cards.all)
        // A parity bit in the middle of track 2, behind 30 zeros.
        card.damage(track: 2, bit: 30 + 5 * 10)
        var bench = EncoderHabits.ready(ReportLink.self)
        bench.swipe(card)
        let raw = try #require(bench.takeSwipes().first)
        #expect(raw.tracks[0].outcome.clear == Cards.track1)
        #expect(raw.tracks[1].outcome == .refused(.parity(atBit: 80)))
        var texts = EncoderHabits.ready(ReportLink.self, .init(), EncoderHabits.iso())
        texts.swipe(card)
        let iso = try #require(texts.takeSwipes().first)
        #expect(iso.tracks[1].outcome == .refused(.malformed))
        #expect(iso.tracks[2].outcome.clear == Cards.track3)
    }

    @Test func aPartialCardIsNoCard() throws {
        var card = try EncodedCard([nil, Cards.track2, nil])
        card.cut(track: 2, to: 120)
        var bench = EncoderHabits.ready(WireLink.self)
        bench.swipe(card)
        let swipe = try #require(bench.takeSwipes().first)
        #expect(swipe.card == nil)
        #expect(swipe.quality.hint == .partial)
        guard case .refused(.noEndSentinel) = swipe.tracks[1].outcome else {
            Issue.record("\(swipe.tracks[1].outcome)")
            return
        }
        #expect(bench.encoder.light == .red)
    }

    @Test func anEmptyCardIsASwipe() throws {
        var bench = EncoderHabits.ready(ReportLink.self)
        bench.swipe(try EncodedCard([nil, nil, nil]))
        let swipe = try #require(bench.takeSwipes().first)
        #expect(swipe.tracks.map(\.outcome) == [.empty, .empty, .empty])
        #expect(bench.encoder.isWaitingForCard)
    }

    /// Card formats of a site's own, from a file as the daemon's.
    @Test func aFormatOfOnesOwn() throws {
        let club = TrackFormat(
            name: "club", dataBits: 5, parity: .even, firstCharacter: 0x40, startSentinel: 0x5B,
            endSentinel: 0x5D, maximumCharacters: 60)
        var options = ReaderOptions()
        options.cardFormats = """
            [format club]
            bits = 6
            parity = even
            first = 0x40
            start = 0x5B
            end = 0x5D
            longest = 60
            track = 2
            """
        let text = "[MEMBERNUMBERSEVENTEENOFTHECLUB]"
        var bench = EncoderHabits.ready(ReportLink.self, .init(), options)
        bench.swipe(try EncodedCard([nil, text, nil], formats: [.iso1, club, .iso3]))
        let swipe = try #require(bench.takeSwipes().first)
        #expect(swipe.tracks[1].outcome.clear == text)
        #expect(swipe.tracks[1].format == "club")
        var other = EncoderHabits.ready(ReportLink.self)
        other.swipe(try EncodedCard([nil, text, nil], formats: [.iso1, club, .iso3]))
        #expect(try #require(other.takeSwipes().first).tracks[1].text == nil)
    }

    /// Each way in which sources let encoders answer, with each track missing.
    @Test(arguments: EncoderHabits.everyHabit) func everyVariantIsRead(habits: EncoderSimulator.Habits) throws
    {
        for missing in 0...3 {
            var texts = Cards.all
            if missing < 3 { texts[missing] = nil }
            for options in [ReaderOptions(), EncoderHabits.iso()] {
                var bench = EncoderHabits.ready(ReportLink.self, habits, options)
                bench.swipe(try EncodedCard(texts))
                #expect(bench.complaints.isEmpty)
                let swipe = try #require(bench.takeSwipes().first, "\(habits) without \(missing + 1)")
                #expect(swipe.tracks.map(\.outcome.clear) == texts)
            }
        }
    }

    @Test(arguments: EncoderHabits.everyHabit) func everyVariantIsNamed(habits: EncoderSimulator.Habits)
        throws
    {
        var bench = EncoderHabits.ready(ReportLink.self, habits)
        bench.swipe(try EncodedCard([Cards.track1, Cards.track2, nil]))
        let blank =
            switch habits.blank {
            case .nothing: "nothing"
            case .mark: "emptyMark"
            case .zeroLength: "zeroLength"
            }
        let others =
            (habits.countsItself ? ["countsItself"] : []) + (habits.lowBitFirst ? ["lowBitFirst"] : [])
        #expect(EncoderHabits.variants(bench.driver) == ([blank] + others).sorted().joined(separator: " "))
    }

    /// Bank cards have no third track: what is whole in one way does not wait to be whole in another.
    @Test(arguments: EncoderHabits.everyHabit) func aBlankTrackNeedsNoPause(habits: EncoderSimulator.Habits)
        throws
    {
        for missing in 0...3 {
            var texts = Cards.all
            if missing < 3 { texts[missing] = nil } else { texts = [nil, nil, nil] }
            var bench = EncoderHabits.ready(WireLink.self, habits)
            bench.hear(bench.encoder.swipe(try EncodedCard(texts).stripes))
            #expect(bench.takeSwipes().map { $0.tracks.map(\.outcome.clear) } == [texts], "\(missing)")
        }
    }

    /// A block in pieces of every size, and cut in two at every place with a pause that the driver does not count.
    @Test func splitAtEveryByte() throws {
        let card = try EncodedCard(Cards.all)
        var template = EncoderHabits.ready(WireLink.self)
        let block = template.encoder.swipe(card.stripes)
        for place in 1..<block.count {
            var bench = EncoderHabits.ready(WireLink.self)
            _ = bench.encoder.swipe(card.stripes)
            bench.hear(Array(block[..<place]))
            #expect(bench.swipes.isEmpty)
            bench.hear(Array(block[place...]))
            #expect(bench.takeSwipes().first?.tracks.map(\.outcome.clear) == Cards.all, "\(place)")
        }
    }

    /// The same for bits and for texts in every variant, without any track, with the ones that fail.
    @Test(arguments: EncoderHabits.everyHabit) func everyVariantSplitAtEveryByte(
        habits: EncoderSimulator.Habits
    ) throws {
        let device = DeviceIdentity(readerID: "x", bus: .serial, node: "", isSimulated: true)
        for options in [ReaderOptions(), EncoderHabits.iso()] {
            for missing in 0...3 {
                var texts = Cards.all
                if missing < 3 { texts[missing] = nil } else { texts = [nil, nil, nil] }
                var encoder = EncoderSimulator(habits)
                _ = encoder.receive([0x1B, options.encoderReading == .raw ? 0x6D : 0x72])
                let block = encoder.swipe(try EncodedCard(texts).stripes)
                for place in 1..<block.count {
                    var driver = MSRLineDriver(device, options: options)
                    _ = driver.start()
                    let actions =
                        driver.receive(SerialBytes(Array(block[..<place])))
                        + driver.receive(SerialBytes(Array(block[place...])))
                    let signals = actions.compactMap {
                        if case .signal(let signal) = $0 { signal } else { nil }
                    }
                    let told = signals.map { signal -> [String?]? in
                        if case .swiped(let swipe) = signal { swipe.tracks.map(\.outcome.clear) } else { nil }
                    }
                    #expect(told == [texts], "\(options.encoderReading) without \(missing + 1) at \(place)")
                }
            }
        }
    }

    /// What breaks off is no swipe, and the next card is read.
    @Test func yankedAtEveryByte() throws {
        let card = try EncodedCard([nil, Cards.track2, nil])
        var template = EncoderHabits.ready(WireLink.self)
        let block = template.encoder.swipe(card.stripes)
        for place in 1..<block.count {
            var bench = EncoderHabits.ready(WireLink.self)
            _ = bench.encoder.swipe(card.stripes)
            bench.hear(Array(block[..<place]))
            bench.fireTimer()
            #expect(bench.takeSwipes().allSatisfy { $0.card == nil }, "\(place)")
            for _ in 0..<4 where !bench.encoder.isWaitingForCard { bench.fireTimer() }
            bench.swipe(card)
            #expect(bench.takeSwipes().last?.tracks[1].outcome.clear == Cards.track2, "\(place)")
        }
    }

    @Test(arguments: [UInt8(0x31), 0x32, 0x39, 0x41]) func aStatusAlone(status: UInt8) throws {
        var bench = EncoderHabits.ready(ReportLink.self)
        _ = bench.encoder.swipe(try EncodedCard([nil, nil, nil]).stripes)
        bench.hear([0x1B, status])
        #expect(bench.encoder.light == .red)
        let swipe = try #require(bench.takeSwipes().first)
        #expect(swipe.card == nil)
        #expect(swipe.quality.hint != nil)
        #expect(bench.encoder.isWaitingForCard)
    }

    /// One that refuses to read is not asked for ever.
    @Test func aRefusedRead() {
        var bench = EncoderHabits.ready(ReportLink.self)
        for _ in 0..<MSRDialogue.mostRefusals {
            bench.hear([0x1B, 0x34])
            bench.run(MSRDialogue.settling)
        }
        #expect(bench.signals.first == .lost)
        #expect(bench.swipes.isEmpty)
    }

    /// A virtual reader takes no commands: what comes is taken for answers.
    @Test func aVirtualOneIsListenedTo() throws {
        let device = DeviceIdentity(
            readerID: "virtual", bus: .usb, vendorID: 0x0801, productID: 0x0003, node: "/tmp/pipe",
            isSimulated: true)
        var driver = MSR605XDriver(device)
        #expect(driver.start().contains(.signal(.ready(expiresIn: nil))))
        var encoder = EncoderSimulator()
        _ = encoder.receive([0x1B, 0x6D])
        let refusals = (0..<5).flatMap { _ in EncoderReports.reports(of: [0x1B, 0x34]) }
        let told = refusals.flatMap { driver.receive(HIDReport(bytes: $0)) } + driver.timerFired()
        #expect(!told.contains { if case .startTimer = $0 { false } else { $0 != .stopTimer } })
        let reports = EncoderReports.reports(of: encoder.swipe(try EncodedCard(Cards.all).stripes))
        let actions = reports.flatMap { driver.receive(HIDReport(bytes: $0)) }
        #expect(!actions.contains { if case .command = $0 { true } else { false } })
        #expect(
            actions.contains { if case .signal(.swiped(let swipe)) = $0 { swipe.card != nil } else { false } }
        )
    }
}
