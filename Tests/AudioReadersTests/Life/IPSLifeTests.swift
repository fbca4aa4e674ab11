import AudioReaders
import CardData
import ReaderKit
import ReaderTesting
import Testing

@Suite("An IPS reader's life")
struct IPSLifeTests {
    typealias Bench = LifeBench<IPSDriver<EncryptedIPS>>

    private static func bench() -> Bench {
        var bench = Bench()
        bench.profile = .ips
        bench.start()
        return bench
    }

    private static func names(_ events: [ReaderEvent]) -> [String] { UniMagBench.names(events) }

    @Test func everythingAtOnce() {
        var bench = Self.bench()
        #expect(Self.names(bench.takeEvents()) == ["connect", "activate success", "ready"])
        #expect(bench.takeCommands() == [])
        bench.unplug()
        #expect(Self.names(bench.takeEvents()) == ["unready disconnected", "deactivate", "disconnect"])
    }

    @Test func packetsAreSwipes() {
        var generator = SeededGenerator(state: 3)
        var bench = Self.bench()
        _ = bench.takeEvents()
        bench.hears(SimulatedPackets.ips(&generator))
        let events = bench.takeEvents()
        #expect(events.contains { UniMagBench.isSwipe($0) })
        #expect(Self.names(events).first == "swipe started")
    }

    /// Where the SDK says nothing, people are told that the card was not read.
    @Test func badSwipesAreUnreadable() {
        var bench = Self.bench()
        _ = bench.takeEvents()
        let body: [UInt8] = [0x66, 0, 1, 10, 20]
        bench.hears(body + [IPSChecksum.value(of: body)])
        #expect(Self.names(bench.takeEvents()) == ["swipe started", "unreadable"])
        // One bit wrong.
        bench.hears([0x66, 0, 1, 10, 21, IPSChecksum.value(of: body)])
        #expect(Self.names(bench.takeEvents()) == ["swipe started", "malformed", "unreadable"])
    }

    /// Options may change while a test goes on: what was raised is put back, and nothing else.
    @Test(arguments: [true, false]) func theVolumeIsPutBackWhateverIsSet(isRaised: Bool) {
        var options = ReaderOptions()
        options.volumeToMax = isRaised
        var bench = Bench(options)
        bench.profile = .ips
        bench.start()
        bench.ask(.testCommunication)
        #expect(bench.isVolumeRaised == isRaised)
        options.volumeToMax.toggle()
        bench.ask(.configure(options))
        bench.timeOut()
        bench.hears([0x4D, IPSChecksum.value(of: [0x4D])])
        #expect(!bench.isVolumeRaised)
        #expect(bench.takeCommands().count { $0 == .restoreVolume } == (isRaised ? 1 : 0))
    }

    @Test func aTestIsAnswered() {
        var bench = Self.bench()
        _ = bench.takeEvents()
        #expect(bench.ask(.testCommunication) == .accepted(warning: IPSTest.warning))
        #expect(bench.isToneOn)
        guard case .refused(let refusal) = bench.ask(.testCommunication) else { return #expect(Bool(false)) }
        #expect(refusal.code == .busy)
        bench.timeOut()
        #expect(!bench.isToneOn)
        bench.hears([0x4D, IPSChecksum.value(of: [0x4D])])
        #expect(bench.takeEvents() == [.testCompleted(true, why: nil)])
        #expect(!bench.isVolumeRaised && bench.timer == nil)
    }

    /// A profile may say that there is no battery: the tone plays until the test is over.
    @Test func aTestOfAReaderThatLivesOnTheTone() {
        var options = ReaderOptions()
        options.profiles = [.ips]
        options.profiles[0].power = .steady
        var bench = Bench(options)
        bench.profile = .ips
        bench.start()
        bench.ask(.testCommunication)
        bench.timeOut()
        #expect(bench.isToneOn && !bench.bursts.isEmpty)
        bench.hears([0x4D, IPSChecksum.value(of: [0x4D])])
        #expect(!bench.isToneOn && bench.takeEvents().last == .testCompleted(true, why: nil))
    }

    /// Five seconds from the first call, in the voice of the guide.
    @Test func aTestEndsAfterFiveSeconds() {
        var bench = Self.bench()
        _ = bench.takeEvents()
        bench.ask(.testCommunication)
        bench.timeOut()
        var waited = Duration.zero
        while let timer = bench.timer {
            waited += timer
            bench.timeOut()
        }
        #expect(waited == .seconds(5))
        #expect(bench.takeEvents() == [.testCompleted(false, why: nil)])
        #expect(!bench.isToneOn && !bench.isVolumeRaised)
    }

    @Test(
        "fails its test with its sound",
        arguments: [IPSState.ready, .waking, .testing],
        [DeviceError.playbackMissing(detail: "none"), .busy(detail: "hw:desk"), .timedOut])
    func losesSound(in state: IPSState, by error: DeviceError) {
        var bench = Self.bench()
        if state != .ready { bench.ask(.testCommunication) }
        if state == .testing { bench.timeOut() }
        _ = bench.takeEvents()
        bench.fail(error)
        #expect(Self.names(bench.takeEvents()) == (state == .ready ? [] : ["test false"]))
        #expect(bench.driver.state == .ready)
        #expect(!bench.isToneOn)
        bench.fail(.mixerMissing(detail: ""))
        bench.unplug()
        #expect(bench.lifecycle.refusedSignals == 0)
    }

    /// Lost sound ends what was being heard and nothing else: no card comes of it, and a test goes on.
    @Test("loses samples in every state", arguments: IPSState.allCases, [false, true])
    func interrupted(in state: IPSState, isReading: Bool) {
        var generator = SeededGenerator(state: 3)
        var bench = Self.bench()
        if state != .ready { bench.ask(.testCommunication) }
        if state == .testing { bench.timeOut() }
        _ = bench.takeEvents()
        let sound = bench.sound(SimulatedPackets.ips(&generator))
        bench.quiet(30)
        if isReading { bench.hear(Array(sound.prefix(sound.count / 2))) }
        bench.hear(isReading ? Array(sound.dropFirst(sound.count / 2)) : [0], losing: 4_800)
        bench.quiet(100)
        let names = Self.names(bench.takeEvents()).filter { $0 != "malformed" }
        #expect(names == (isReading ? ["swipe started", "unreadable"] : []))
        #expect(bench.driver.state == state)
        // The next one is read, and is an answer to the test as well.
        bench.hears(SimulatedPackets.ips(&generator))
        let next = Self.names(bench.takeEvents()).filter { $0 != "identified" }
        #expect(next == ["swipe started", "card"] + (state == .ready ? [] : ["test true"]))
        #expect(bench.lifecycle.refusedSignals == 0)
    }

    @Test(
        "needs no power and no request",
        arguments: [ReaderRequest.activate, .cancelActivation, .deactivate, .requestSwipe(), .cancelSwipe])
    func refuses(request: ReaderRequest) {
        var bench = Self.bench()
        guard case .refused(let refusal) = bench.ask(request) else { return #expect(Bool(false)) }
        #expect(refusal.code == .notApplicable)
        #expect(refusal.reason.contains("ips"))
    }
}
