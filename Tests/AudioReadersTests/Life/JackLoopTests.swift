import AudioReaders
import ReaderKit
import ReaderTesting
import Testing

/// Driver and simulated reader, each hearing only the other's sound.
@Suite("A reader on the other side of the sound")
struct JackLoopTests {
    private static func names(_ events: [ReaderEvent]) -> [String] { UniMagBench.names(events) }

    private static func options(_ profiles: AcousticProfile...) -> ReaderOptions {
        var options = ReaderOptions()
        options.activateWithoutPrompting = true
        options.prompts = .none
        options.profiles = profiles
        return options
    }

    @Test(
        "a UniMag powers up, swipes, is renewed, times out, is pulled out",
        arguments: [9_600, 4_800, 2_400], [48_000, 44_100])
    func uniMag(baud: Int, rate: Int) {
        var profile = AutodetectBench.uniMag(baud)
        (profile.captureRate, profile.playbackRate) = (rate, rate)
        var generator = SeededGenerator(state: UInt64(baud))
        var jack = SimulatedJack<UniMagDriver>(.uniMag(profile), Self.options(profile), rate: rate)
        jack.bench.start()
        var isThere = jack.run(for: .seconds(3)) { $0.bench.driver.state == .awaitingSwipe }
        #expect(isThere)
        #expect(jack.simulator.isPoweredUp && jack.simulator.awaitsSwipe)
        #expect(
            Self.names(jack.bench.takeEvents()) == ["connect", "identified", "activate success", "ready"])
        #expect(jack.bench.lifecycle.details.firmware == "SIMULATED SHUTTLE")
        for _ in 0..<2 {
            let isTaken = jack.swipe(SimulatedPackets.uniMag(&generator))
            #expect(isTaken)
            isThere = jack.run(for: .seconds(5)) { Self.names($0.bench.events).last == "ready" }
            let expected = ["swipe started", "card", "unready refreshing", "ready"]
            #expect(isThere && Self.names(jack.bench.takeEvents()).filter { $0 != "identified" } == expected)
        }
        jack.bench.unplug()
        #expect(jack.bench.lifecycle.refusedSignals == 0)
    }

    /// Cut off in the middle of a packet: lost samples make it unreadable, and the next one is read.
    @Test func lostSamplesCostOneSwipe() {
        let profile = AutodetectBench.uniMag(9_600)
        var generator = SeededGenerator(state: 5)
        var jack = SimulatedJack<UniMagDriver>(.uniMag(profile), Self.options(profile))
        jack.bench.start()
        _ = jack.run(for: .seconds(3)) { $0.bench.driver.state == .awaitingSwipe }
        _ = jack.bench.takeEvents()
        _ = jack.swipe(SimulatedPackets.uniMag(&generator))
        _ = jack.run(for: .milliseconds(120))
        #expect(jack.bench.driver.state == .receiving)
        jack.bench.hear([Int16](repeating: 0, count: 480), losing: 2_400)
        _ = jack.run(for: .seconds(2)) { $0.bench.driver.state == .awaitingSwipe }
        #expect(!Self.names(jack.bench.takeEvents()).contains("card"))
        _ = jack.swipe(SimulatedPackets.uniMag(&generator))
        let isRead = jack.run(for: .seconds(2)) { Self.names($0.bench.events).contains("card") }
        #expect(isRead)
    }

    /// The sound goes on as if nothing were missing, and yet something is: nobody knows what.
    @Test func aGapInAPacketIsNoCard() {
        for gap in [UInt64(0), 1, 48_000] {
            var bench = UniMagBench.Bench()
            bench.reach(.awaitingSwipe)
            _ = bench.takeEvents()
            let sound = bench.sound(UniMagBench.Bench.packet)
            bench.quiet(30)
            bench.hear(Array(sound.prefix(sound.count * 2 / 3)))
            bench.hear(Array(sound.dropFirst(sound.count * 2 / 3)), losing: gap)
            bench.quiet(100)
            let names = Self.names(bench.takeEvents())
            #expect(names.contains("card") == (gap == 0))
            #expect(names.contains("unreadable") == (gap > 0))
        }
    }

    /// A profile that was chosen is the only one that is tried.
    @Test func aChosenProfileIsTheOnlyOne() {
        let wrong = AutodetectBench.uniMag(2_400)
        var jack = SimulatedJack<UniMagDriver>(.uniMag(AutodetectBench.uniMag(9_600)), Self.options(wrong))
        jack.bench.start()
        _ = jack.run(for: .seconds(10)) { Self.names($0.bench.events).contains("activate timeout") }
        #expect(Self.names(jack.bench.takeEvents()) == ["connect", "activate timeout"])
        #expect(!jack.bench.isToneOn && !jack.bench.isVolumeRaised)
        var searching = SimulatedJack<UniMagDriver>(.uniMag(wrong), Self.options())
        searching.bench.start()
        let isFound = searching.run(for: .seconds(15)) { $0.bench.driver.state == .awaitingSwipe }
        #expect(isFound)
    }

    /// Profiles of one's own are tried in their order, then the known ones of that kind.
    @Test("tries what a file adds, then the known ones", arguments: [false, true])
    func profilesOfOnesOwn(isOwn: Bool) {
        var own = AutodetectBench.uniMag(9_600)
        (own.name, own.baud) = ("mine", 1_200)
        let known = AcousticProfile.uniMagProfiles
        var jack = SimulatedJack<UniMagDriver>(
            .uniMag(isOwn ? own : AutodetectBench.uniMag(2_400)),
            Self.options(.ips, own, known[0], known[8]))
        jack.bench.start()
        let isFound = jack.run(for: .seconds(20)) { $0.bench.driver.state == .awaitingSwipe }
        #expect(isFound)
    }

    /// A profile for one kind of reader says nothing of another, whatever the configuration was written for.
    @Test func aProfileIsForItsOwnKind() {
        let strange = [AcousticProfile.ips, AcousticProfile.ipsEnterprise]
        var jack = SimulatedJack<UniMagDriver>(
            .uniMag(AutodetectBench.uniMag(9_600)), Self.options(strange[0], strange[1]))
        jack.bench.start()
        let isFound = jack.run(for: .seconds(3)) { $0.bench.driver.state == .awaitingSwipe }
        #expect(isFound)

        let options = Self.options(AcousticProfile.uniMagProfiles[0], strange[1])
        var ips = LifeBench<IPSDriver<EncryptedIPS>>(options)
        ips.profile = .ips
        ips.start()
        var generator = SeededGenerator(state: 3)
        for _ in 0..<2 {
            _ = ips.takeEvents()
            ips.hears(SimulatedPackets.ips(&generator))
            #expect(Self.names(ips.takeEvents()).contains("card"))
            ips.ask(.configure(options))
        }
    }

    /// What a search found is used with its own profile, also after settings were changed.
    @Test("finds a reader beside a profile of another kind", arguments: [nil, AutodetectResult.ips])
    func aSearchBesideAProfile(known: AutodetectResult?) {
        var options = Self.options(AcousticProfile.uniMagProfiles[0])
        options.knownKind = known
        var jack = SimulatedJack<AutodetectDriver>(.battery(.ips), options, rate: 44_100)
        jack.bench.start()
        let isFound = jack.run(for: .seconds(40)) { $0.bench.driver.state == .found }
        #expect(isFound)
        jack.bench.ask(.configure(options))
        var generator = SeededGenerator(state: 4)
        let isTaken = jack.swipe(SimulatedPackets.ips(&generator))
        let isRead = jack.run(for: .seconds(5)) { Self.names($0.bench.events).contains("card") }
        #expect(isTaken && isRead)
    }

    /// Noise, full scale, silence and rates that no card has: no trap and no card, whatever the state.
    @Test("junk is no card", arguments: UniMagState.allCases)
    func junk(state: UniMagState) {
        var generator = SeededGenerator(state: 17)
        var bench = UniMagBench.Bench(UniMagBench.Bench.options(for: state))
        bench.reach(state)
        var ips = LifeBench<IPSDriver<EncryptedIPS>>()
        ips.start()
        for rate in [48_000, 8_000, 192_000, 1, 0] {
            bench.rate = rate
            ips.rate = rate
            for kind in 0..<5 {
                let samples = Self.junk(kind, &generator)
                bench.hear(samples, losing: kind == 3 ? 1 << 40 : 0)
                ips.hear(samples)
            }
        }
        #expect(!Self.names(bench.takeEvents() + ips.takeEvents()).contains("card"))
    }

    private static func junk(_ kind: Int, _ generator: inout SeededGenerator) -> [Int16] {
        switch kind {
        case 0: []
        case 1: (0..<4_000).map { _ in Int16(truncatingIfNeeded: generator.next()) }
        case 2: (0..<4_000).map { $0 / 5 % 2 == 0 ? .max : .min }
        case 3: [Int16](repeating: .min, count: 4_000)
        default: (0..<4_000).map { Int16(truncatingIfNeeded: $0 * 16) }
        }
    }
}
