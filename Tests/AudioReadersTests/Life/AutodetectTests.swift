import AudioReaders
import CardData
import ReaderKit
import ReaderTesting
import Testing
import WaveformSynthesis

@Suite("The search for a reader's kind")
struct AutodetectTests {
    typealias Jack = SimulatedJack<AutodetectDriver>

    private static func names(_ events: [ReaderEvent]) -> [String] { UniMagBench.names(events) }

    private static func result(_ jack: Jack) -> AutodetectResult? {
        for event in jack.bench.events {
            if case .autodetectCompleted(let result, _) = event { return result }
        }
        return nil
    }

    private static func isOver(_ jack: Jack) -> Bool { result(jack) != nil }

    @Test(
        "finds each kind",
        arguments: [
            (ReaderSimulator.Kind.battery(.ipsEnterprise), 44_100, AutodetectResult.ipsEnterprise),
            (.battery(.ips), 44_100, .ips),
            (.uniMag(AutodetectBench.uniMag(9_600)), 48_000, .unimag),
            (.uniMag(AutodetectBench.uniMag(4_800)), 48_000, .unimag),
            (.uniMag(AutodetectBench.uniMag(2_400)), 48_000, .unimag),
            (.headphone, 48_000, .fail),
            (.silence, 48_000, .fail),
        ])
    func finds(kind: ReaderSimulator.Kind, rate: Int, result: AutodetectResult) {
        var jack = Jack(kind, rate: rate)
        jack.bench.start()
        let isOver = jack.run(for: .seconds(40), until: Self.isOver)
        #expect(isOver)
        #expect(Self.result(jack) == result)
        // Nothing of power or readiness was said meanwhile.
        #expect(
            Self.names(jack.bench.takeEvents()).filter { $0 != "overrun" && $0 != "malformed" }
                == ["autodetect started", "autodetect \(result.rawValue)"])
        if result == .unimag { _ = jack.run(for: .seconds(1)) { $0.bench.lifecycle.state == .ready } }
        let state: ReaderState = result == .fail ? .attached : .ready
        #expect(jack.bench.lifecycle.state == state)
        #expect(jack.bench.isToneOn == (result == .unimag))
        #expect(jack.bench.isListening == (result != .fail))
        jack.bench.unplug()
        #expect(Self.names(jack.bench.takeEvents()).last == "disconnect")
        #expect(jack.bench.lifecycle.refusedSignals == 0)
    }

    /// Whoever asks for a search wants the reader powered up, whatever holds when one is plugged in.
    @Test func findsAReaderThatIsNotActivatedOnAttach() {
        var options = ReaderOptions()
        options.activateOnAttach = false
        var jack = Jack(.uniMag(AutodetectBench.uniMag(9_600)), rate: 48_000)
        jack.bench = LifeBench(options)
        jack.bench.start()
        _ = jack.run(for: .seconds(40), until: Self.isOver)
        #expect(Self.result(jack) == .unimag)
    }

    @Test func findsAPassiveHeadByACard() throws {
        var jack = Jack(.silence)
        jack.bench.start()
        let isListening = jack.run(for: .seconds(40)) { $0.bench.driver.state == .passive }
        #expect(isListening)
        let text = ";4266841088889999=080910110000046?"
        var recipe = StripeRecipe(bits: try TrackFormat.iso2.bits(of: Array(text.utf8)), bitsPerInch: 75)
        recipe.sampleRate = 48_000
        recipe.silence = 0.4
        jack.hear(StripeSynthesizer.samples(recipe, seed: 7))
        _ = jack.run(for: .seconds(5), until: Self.isOver)
        #expect(Self.names(jack.bench.takeEvents()) == ["autodetect started", "autodetect passive"])
        #expect(jack.bench.lifecycle.state == .ready)
        // The next card is one.
        jack.hear(StripeSynthesizer.samples(recipe, seed: 8))
        let isRead = jack.run(for: .seconds(5)) { $0.bench.events.contains(where: UniMagBench.isSwipe) }
        #expect(isRead)
    }

    @Test func isPulledOutAtEveryStage() {
        for stage in [AutodetectState.ipsEnterprise, .ips, .unimag, .passive] {
            var jack = Jack(.silence)
            jack.bench.start()
            let isThere = jack.run(for: .seconds(40)) { $0.bench.driver.state == stage }
            #expect(isThere)
            jack.bench.unplug()
            #expect(
                Self.names(jack.bench.takeEvents()) == [
                    "autodetect started", "autodetect fail", "disconnect",
                ])
        }
    }

    /// Without playback nothing can be called: only a passive head is left.
    @Test func failsWithoutPlayback() {
        var bench = LifeBench<AutodetectDriver>()
        bench.start()
        for stage in [AutodetectState.ips, .unimag] {
            bench.fail(.playbackMissing(detail: "none"))
            #expect(bench.driver.state == stage)
        }
        bench.quiet()
        bench.fail(.playbackMissing(detail: "none"))
        #expect(bench.driver.state == .passive)
        bench.timeOut()
        #expect(Self.names(bench.takeEvents()) == ["autodetect started", "autodetect fail"])
    }

    private static let stages: [AutodetectState] = [.ipsEnterprise, .ips, .unimag, .passive]

    private static func search(upTo stage: AutodetectState) -> LifeBench<AutodetectDriver> {
        var bench = LifeBench<AutodetectDriver>()
        bench.start()
        for _ in 0..<200 where bench.driver.state != stage {
            bench.timeOut()
            bench.quiet()
        }
        return bench
    }

    /// Another program plays, the card hangs, or has no volume: that stage finds nothing, and the search comes to its end.
    @Test(
        "comes to an end without its sound", arguments: stages,
        [
            DeviceError.busy(detail: "hw:desk"), .playbackMissing(detail: "none"), .timedOut,
            .mixerMissing(detail: "no control"), .volumeTooLow,
        ])
    func losesSound(in stage: AutodetectState, by error: DeviceError) {
        var bench = Self.search(upTo: stage)
        #expect(bench.driver.state == stage)
        bench.fail(error)
        // A reader may answer though nobody could turn the volume up; a head needs no playback.
        let isEnd: Bool =
            switch error {
            case .busy, .playbackMissing, .timedOut: stage != .passive
            case .volumeTooLow: stage == .unimag
            case .mixerMissing, .gone, .permissionDenied, .refused, .suspended, .closed, .unsupported,
                .system:
                false
            }
        #expect((bench.driver.state != stage) == isEnd)
        for _ in 0..<200 where bench.timer != nil {
            bench.timeOut()
            bench.quiet()
        }
        #expect(Self.names(bench.takeEvents()) == ["autodetect started", "autodetect fail"])
        #expect(bench.driver.state == .failed && !bench.isListening)
        #expect(!bench.isToneOn && !bench.isVolumeRaised)
        #expect(bench.lifecycle.refusedSignals == 0)
    }

    /// Lost sound decides nothing.
    @Test("loses samples in every stage", arguments: stages)
    func interrupted(in stage: AutodetectState) {
        var bench = Self.search(upTo: stage)
        // The volume is known and raised.
        for _ in 0..<3 { bench.quiet() }
        let timer = bench.timer
        bench.hear([Int16](repeating: 0, count: 480), losing: 4_800)
        bench.quiet(100)
        #expect(bench.driver.state == stage && bench.timer == timer)
        #expect(Self.names(bench.takeEvents()).filter { $0 != "malformed" } == ["autodetect started"])
    }

    /// The card was gone for a moment: what was found is used again, and no tone of a search is played.
    @Test("does not look again for what it knows", arguments: AutodetectResult.allCases)
    func knows(result: AutodetectResult) {
        var options = ReaderOptions()
        options.prompts = .none
        options.knownKind = result
        var bench = LifeBench<AutodetectDriver>(options)
        bench.start()
        let names = Self.names(bench.takeEvents())
        #expect(!names.contains { $0.hasPrefix("autodetect") } && bench.takeCommands() == [])
        switch result {
        case .ips, .ipsEnterprise, .passive: #expect(names == ["connect", "activate success", "ready"])
        case .unimag: #expect(names == ["connect"] && bench.timer != nil)
        case .fail: #expect(names == ["connect"] && bench.timer == nil && !bench.isListening)
        }
        #expect(bench.driver.state == (result == .fail ? .failed : .found))
        #expect(bench.lifecycle.refusedSignals == 0)
    }

    /// Settings are taken over also by what has found nothing.
    @Test func isConfiguredAfterItHasFailed() {
        var options = ReaderOptions()
        options.knownKind = .fail
        var bench = LifeBench<AutodetectDriver>(options)
        bench.start()
        #expect(bench.ask(.configure(ReaderOptions())) == .accepted())
        guard case .refused(let refusal) = bench.ask(.activate) else { return #expect(Bool(false)) }
        #expect(refusal.code == .wrongState)
    }

    @Test func takesNoRequestsMeanwhile() {
        var bench = LifeBench<AutodetectDriver>()
        bench.start()
        guard case .refused(let refusal) = bench.ask(.activate) else { return #expect(Bool(false)) }
        #expect(refusal.code == .busy)
        #expect(bench.ask(.configure(ReaderOptions())) == .accepted())
    }
}
