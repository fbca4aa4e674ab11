import AudioReaders
import CardData
import ReaderKit
import ReaderTesting
import Testing

@Suite("A UniMag's life")
struct UniMagLifeTests {

    static func texts(_ events: [ReaderEvent]) -> [String] {
        events.compactMap { event in
            guard case .swipe(let swipe) = event else { return nil }
            return swipe.card == nil ? "unreadable" : "card"
        }
    }

    @Test func fromTheJackToACardAndOn() {
        var bench = UniMagBench.Bench()
        bench.reach(.awaitingSwipe)
        #expect(
            UniMagBench.names(bench.takeEvents()) == [
                "connect", "prompt activation", "prompt closed accepted", "prompt initializing",
                "prompt closed over", "identified", "activate success", "ready",
            ])
        bench.hears(UniMagBench.Bench.packet)
        #expect(
            UniMagBench.names(bench.takeEvents()) == ["swipe started", "card", "unready refreshing"])
        #expect(bench.driver.state == .requesting)
        bench.hears([0x06])
        #expect(UniMagBench.names(bench.takeEvents()) == ["ready"])
        bench.unplug()
        #expect(
            UniMagBench.names(bench.takeEvents()) == ["unready disconnected", "deactivate", "disconnect"])
    }

    static let states = UniMagState.allCases

    /// The volume that is left alone is looked at again once somebody has said yes: they may have turned it up.
    @Test("goes by the volume of now", arguments: [40, 100, nil])
    func volumeAfterTheQuestion(now: Int?) {
        var options = ReaderOptions()
        options.volumeToMax = false
        var bench = UniMagBench.Bench(options)
        bench.reach(.prompting)
        bench.volume = now
        bench.ask(.answerPrompt(id: bench.prompt?.id ?? 0, .accept))
        #expect(bench.driver.state == .checkingVolume)
        bench.quiet()
        #expect(bench.driver.state == (now == 40 ? .attached : .poweringUp))
        #expect(UniMagBench.names(bench.takeEvents()).contains("activate volume_too_low") == (now == 40))
    }

    /// A volume that was too low is no reason for ever: each activation looks anew.
    @Test func isTurnedUpAfterItWasTooLow() {
        var options = UniMagBench.Bench.options(for: .attached)
        options.volumeToMax = false
        options.activateWithoutPrompting = true
        var bench = UniMagBench.Bench(options)
        bench.start()
        bench.ask(.activate)
        bench.quiet()
        #expect(UniMagBench.names(bench.takeEvents()).contains("activate volume_too_low"))
        bench.volume = 100
        bench.ask(.activate)
        #expect(bench.driver.state == .checkingVolume && bench.timer != nil)
        bench.quiet()
        #expect(bench.driver.state == .poweringUp)
    }

    /// The question is that of the volume of now: what is going to be raised is said to be.
    @Test("asks by the volume of now", arguments: [(100, 30), (30, 100)])
    func isTurnedBetweenTwoQuestions(first: Int, second: Int) {
        var bench = UniMagBench.Bench(UniMagBench.Bench.options(for: .attached))
        bench.start()
        for volume in [first, second] {
            bench.volume = volume
            bench.ask(.activate)
            bench.quiet()
            #expect(bench.prompt?.kind == (volume == 100 ? .activationAtMaximumVolume : .activation))
            bench.ask(.answerPrompt(id: bench.prompt?.id ?? 0, .decline))
        }
    }

    /// It is powered up again at once, while sound from before the volume was put back still waits: the question is that
    /// of the volume that people have.
    @Test("asks rightly when it rises again", arguments: [true, false], [40, 100])
    func risesAgain(byRequest: Bool, volume: Int) {
        var bench = UniMagBench.Bench()
        bench.volume = volume
        bench.reach(byRequest ? .awaitingSwipe : .requesting)
        if byRequest {
            bench.ask(.deactivate)
        } else {
            for _ in 0..<3 { bench.timeOut() }
        }
        #expect(bench.driver.state == .checkingVolume)
        bench.quiet()
        #expect(bench.prompt?.kind == (volume == 100 ? .activationAtMaximumVolume : .activation))
    }

    /// The same where the card is not opened anew: what it says in the end is believed.
    @Test func staysLoud() {
        var bench = UniMagBench.Bench()
        bench.reach(.awaitingSwipe)
        bench.ask(.deactivate)
        for _ in 0..<2 {
            _ = bench.driver.receive(
                SampleBlock(
                    samples: [0], sampleRate: UniMagBench.Bench.rate, firstFrame: 9_600, playbackVolume: 100))
        }
        #expect(bench.driver.state == .checkingVolume && bench.timer == .seconds(3))
        bench.timeOut()
        #expect(bench.prompt?.kind == .activationAtMaximumVolume)
    }

    /// Disks and mixers may be slow: the volume is waited for, and not longer than it takes.
    @Test func aVolumeThatTakesItsTimeIsWaitedFor() {
        var bench = UniMagBench.Bench()
        bench.reach(.raisingVolume)
        bench.volume = 40
        for _ in 0..<100 { bench.quiet() }
        bench.pass(.seconds(2))
        #expect(bench.driver.state == .raisingVolume)
        bench.volume = 100
        bench.quiet()
        #expect(bench.driver.state == .poweringUp)
    }

    /// A profile may say that there is a battery: the tone ends before the first word, and all is silent in the end.
    @Test("is woken up by a tone, or lives on it", arguments: AcousticProfile.Power.allCases)
    func power(_ power: AcousticProfile.Power) {
        var profile = AcousticProfile.uniMagProfiles[0]
        profile.power = power
        var options = UniMagBench.Bench.options(for: .active)
        options.activateOnAttach = false
        options.profiles = [profile]
        var bench = UniMagBench.Bench(options)
        bench.reach(.poweringUp)
        #expect(bench.isToneOn)
        bench.timeOut()
        #expect(bench.isToneOn == (power == .steady) && !bench.bursts.isEmpty)
        bench.hears(UniMagBench.Bench.version)
        #expect(bench.driver.state == .active && bench.isToneOn == (power == .steady))
        bench.ask(.requestSwipe())
        bench.ask(.deactivate)
        #expect(!bench.isToneOn && bench.bursts.isEmpty && !bench.isVolumeRaised)
    }

    /// Of two profiles that wake it alike the second one only says it otherwise; it is powered up anew where they differ.
    @Test("is powered as each profile says", arguments: [true, false])
    func powerOfTheNext(isAlike: Bool) {
        var first = AcousticProfile.uniMagProfiles[0]
        var second = AcousticProfile.uniMagProfiles[8]
        (first.power, second.power) = (.wakeUp, isAlike ? .wakeUp : .steady)
        var options = ReaderOptions()
        options.profiles = [first, second]
        var bench = UniMagBench.Bench(options)
        bench.reach(.connecting)
        _ = bench.takeCommands()
        for _ in 0..<3 { bench.timeOut() }
        #expect(bench.driver.state == (isAlike ? .connecting : .poweringUp))
        #expect(bench.takeCommands().contains(.startTone(second.tone)) != isAlike)
    }

    /// People distrust an open microphone: it is closed while the reader has no power and gets none.
    @Test("listens only where something can be said", arguments: states)
    func listens(in state: UniMagState) {
        var bench = UniMagBench.Bench(UniMagBench.Bench.options(for: state))
        bench.reach(state)
        #expect(bench.isListening == (state != .attached && state != .prompting))
        bench.ask(.configure(UniMagBench.Bench.options(for: .attached)))
        if state.isActivating { bench.ask(.cancelActivation) } else { bench.ask(.deactivate) }
        #expect(!bench.isListening)
    }

    @Test("is put into every state by the way there", arguments: states)
    func reaches(state: UniMagState) {
        var bench = UniMagBench.Bench(UniMagBench.Bench.options(for: state))
        bench.reach(state)
        #expect(bench.driver.state == state)
    }

    /// The way out is complete wherever it begins, no prompt stays, and a card that was passing is none.
    @Test("is pulled out in every state", arguments: states)
    func unplugged(in state: UniMagState) {
        var bench = UniMagBench.Bench(UniMagBench.Bench.options(for: state))
        bench.reach(state)
        _ = bench.takeEvents()
        bench.unplug()
        let names = UniMagBench.names(bench.takeEvents())
        let expected: [String] =
            switch state {
            case .attached, .checkingVolume, .raisingVolume: ["disconnect"]
            case .prompting, .poweringUp, .connecting: ["prompt closed disconnected", "disconnect"]
            case .active, .requesting: ["deactivate", "disconnect"]
            case .awaitingSwipe: ["unready disconnected", "deactivate", "disconnect"]
            case .receiving: ["unreadable", "unready disconnected", "deactivate", "disconnect"]
            }
        #expect(names == expected)
    }

    /// The reader cannot be used without its power: silence, the old volume, and the reason in words.
    @Test(
        "loses its sound in every state", arguments: states,
        [
            DeviceError.playbackMissing(detail: "no such card"), .busy(detail: "hw:desk"), .timedOut,
            .system(errno: 5, operation: "snd_pcm_writei"),
        ])
    func losesSound(in state: UniMagState, by error: DeviceError) {
        var options = UniMagBench.Bench.options(for: state)
        options.prompts.timeout = ""
        var bench = UniMagBench.Bench(options)
        bench.reach(state)
        options.activateOnAttach = false
        bench.ask(.configure(options))
        _ = bench.takeEvents()
        bench.fail(error)
        #expect(bench.driver.state == .attached)
        #expect(!bench.isToneOn && !bench.isVolumeRaised)
        let last = UniMagBench.names(bench.takeEvents()).last { !$0.hasPrefix("prompt") }
        #expect(last == (state == .attached ? nil : state.isActive ? "deactivate" : "activate failed: why"))
    }

    /// A card without a volume control plays as loud as it can; the reader tells whether that is enough.
    @Test("goes on without a mixer", arguments: states)
    func mixerMissing(in state: UniMagState) {
        var bench = UniMagBench.Bench(UniMagBench.Bench.options(for: state))
        bench.volume = nil
        bench.reach(state == .checkingVolume ? .attached : state)
        _ = bench.takeEvents()
        let before = bench.driver.state
        bench.fail(.mixerMissing(detail: "no control"))
        // There is nothing to wait for.
        #expect(bench.driver.state == (before == .raisingVolume ? .poweringUp : before))
        #expect(
            UniMagBench.names(bench.takeEvents()) == (before == .raisingVolume ? ["prompt initializing"] : [])
        )
    }

    /// Lost sound ends what was being heard and nothing else; no card comes of it.
    @Test("loses samples in every state", arguments: states)
    func interrupted(in state: UniMagState) {
        var bench = UniMagBench.Bench(UniMagBench.Bench.options(for: state))
        bench.reach(state)
        _ = bench.takeEvents()
        bench.hear([Int16](repeating: 0, count: 480), losing: 4_800)
        bench.quiet(100)
        let names = UniMagBench.names(bench.takeEvents())
        #expect(!names.contains("card"))
        #expect(!names.contains("deactivate"))
        if state == .receiving {
            #expect(names == ["malformed", "unreadable", "unready refreshing"])
        }
    }

    /// A burst that was nothing does not make a request longer.
    @Test func noiseTakesNoTime() {
        var bench = UniMagBench.Bench()
        bench.reach(.awaitingSwipe)
        for _ in 0..<3 {
            bench.quiet(2_000)
            bench.hears([0x15])
        }
        #expect(bench.driver.state == .awaitingSwipe)
        let left = bench.timer ?? .zero
        #expect(left < .seconds(14) && left > .milliseconds(13_000))
    }

    /// Nobody answers a prompt, nobody asks for anything, no reader says a word: it always comes to rest.
    @Test("comes to rest when nobody is there", arguments: states)
    func abandoned(in state: UniMagState) {
        var bench = UniMagBench.Bench(UniMagBench.Bench.options(for: state))
        bench.reach(state)
        for _ in 0..<200 where bench.timer != nil {
            bench.timeOut()
            bench.quiet()
        }
        #expect(bench.timer == nil)
        #expect([.attached, .active].contains(bench.driver.state))
        #expect(bench.isToneOn == bench.driver.state.isActive)
        #expect(bench.isVolumeRaised == bench.driver.state.isActive)
    }

    /// A reader that says its version and takes no request is powered up once more, and then left alone: silent or not.
    @Test("does not power up without end", arguments: [true, false])
    func takesNoRequest(refuses: Bool) {
        var options = ReaderOptions()
        options.activateWithoutPrompting = true
        var bench = UniMagBench.Bench(options)
        bench.start()
        for _ in 0..<100 where bench.timer != nil {
            switch bench.driver.state {
            case .connecting: bench.hears(UniMagBench.Bench.version)
            case .requesting where refuses: bench.hears([0x15])
            case .attached, .checkingVolume, .prompting, .raisingVolume, .poweringUp, .active, .requesting,
                .awaitingSwipe, .receiving:
                bench.timeOut()
            }
        }
        #expect(bench.driver.state == .attached && bench.timer == nil)
        #expect(!bench.isToneOn && !bench.isVolumeRaised && !bench.isListening)
        let names = UniMagBench.names(bench.takeEvents())
        #expect(names.count { $0 == "activate success" } == 2)
        #expect(names.suffix(2) == ["deactivate", "prompt timeout"])
    }

    /// Whatever happens in whatever order: the tone plays exactly while it should, and no event is out of order.
    @Test("keeps its rules", arguments: 0..<40)
    func anything(seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed))
        var options = ReaderOptions()
        options.alwaysAcceptSwipe = seed % 2 == 0
        options.activateOnAttach = seed % 3 != 0
        options.volumeToMax = seed % 5 != 0
        var bench = UniMagBench.Bench(options)
        bench.start()
        for _ in 0..<60 {
            happen(Int(generator.next() % 20), &bench)
            let state = bench.driver.state
            let isPowered = state.isActive || state == .poweringUp || state == .connecting
            #expect(bench.isToneOn == isPowered)
            #expect(bench.isListening == (state != .attached && state != .prompting))
            if state == .attached { #expect(!bench.isVolumeRaised) }
            #expect(bench.timer != nil || state == .attached || state == .active)
        }
        bench.unplug()
        #expect(bench.lifecycle.refusedSignals == 0)
    }

    private func happen(_ event: Int, _ bench: inout UniMagBench.Bench) {
        switch event {
        case 0: bench.ask(.activate)
        case 1: bench.ask(.cancelActivation)
        case 2: bench.ask(.deactivate)
        case 3: bench.ask(.requestSwipe())
        case 4: bench.ask(.cancelSwipe)
        case 5: if let prompt = bench.prompt { bench.ask(.answerPrompt(id: prompt.id, .accept)) }
        case 6: bench.timeOut()
        case 7, 8: bench.hears([0x06])
        case 9: bench.hears(UniMagBench.Bench.version)
        case 10: bench.hears(UniMagBench.Bench.packet)
        case 11: bench.fail(.volumeTooLow)
        case 12: bench.hear(Array(bench.sound(UniMagBench.Bench.packet).prefix(3_000)))
        case 13: bench.hear([Int16](repeating: 0, count: 480), losing: 4_800)
        case 14: bench.fail(.busy(detail: "hw:desk"))
        case 15: bench.fail(.playbackMissing(detail: "none"))
        case 16: bench.ask(.configure(UniMagBench.Bench.options(for: .active)))
        case 17: bench.ask(.configure(ReaderOptions()))
        default: bench.quiet()
        }
    }
}
