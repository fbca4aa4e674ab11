import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// What goes wrong at a jack, in each state of a reader's life, through the whole daemon.
@Suite(.serialized, .timeLimit(.minutes(5))) struct JackFaultTests {
    private static let unasked = "type = unimag\nactivate_without_prompting = yes\ninitializing_message =\n"
    private static let onRequest = unasked + "always_accept_swipe = no\n"

    /// A packet of 1,200 baud takes two seconds: time for what is done to it while it is heard, on a busy machine too.
    private static let slow: AcousticProfile = {
        var profile = AcousticProfile.uniMagProfiles[0]
        profile.baud = 1_200
        return profile
    }()
    private static let slowFile = "[profile slow]\nlike = \(slow.name)\nbaud = 1200\n"

    enum Moment: String, CaseIterable { case attached, prompting, poweringUp, active, ready, reading }

    @Test("is pulled out", arguments: Moment.allCases)
    func unplugged(at moment: Moment) throws {
        let (desk, jack) = try reach(moment)
        defer { jack.stop() }
        try desk.plug(false)
        let expected: [String] =
            switch moment {
            case .attached: []
            case .prompting, .poweringUp: ["prompt_closed withdrawn"]
            case .active: ["deactivate disconnected"]
            case .ready: ["unready disconnected", "deactivate disconnected"]
            case .reading: ["swipe unreadable", "unready disconnected", "deactivate disconnected"]
            }
        #expect(try desk.events(through: #""event":"disconnect""#) == expected + ["disconnect unplugged"])
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        try desk.input(saying: "nothing is in the jack", #""microphone":"closed""#)
        #expect(desk.isSinkFree)
        #expect(desk.daemon.terminate().status == 0)
    }

    /// The whole card goes, as a USB sound card does.
    @Test("loses its card", arguments: Moment.allCases)
    func cardGone(at moment: Moment) throws {
        let (desk, jack) = try reach(moment)
        defer { jack.stop() }
        unlink(desk.path("sound"))
        let words = try desk.events(through: #""event":"disconnect""#)
        let expected: [String] =
            switch moment {
            case .attached, .prompting, .poweringUp: ["disconnect unplugged"]
            case .active: ["deactivate disconnected", "disconnect unplugged"]
            case .ready, .reading: JackedDaemon.wayOut
            }
        #expect(words.suffix(expected.count) == expected[...])
        #expect(!words.contains("swipe card"))
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(desk.isSinkFree)
        #expect(desk.daemon.terminate().status == 0)
    }

    private func reach(_ moment: Moment) throws -> (JackedDaemon, SimulatedJack) {
        let settings =
            switch moment {
            case .attached: "type = unimag\nactivate_on_attach = no\n"
            case .prompting: "type = unimag\n"
            case .poweringUp: "type = unimag\nactivate_without_prompting = yes\n"
            case .active: Self.onRequest
            case .ready: Self.unasked
            case .reading: Self.unasked + "profile_file = {}/slow\n"
            }
        let desk = try JackedDaemon(settings, files: ["slow": Self.slowFile])
        let jack: SimulatedJack
        switch moment {
        case .attached, .prompting, .poweringUp: jack = desk.insert(.silence)
        case .active, .ready: jack = desk.insertUniMag()
        case .reading: jack = desk.insert(.uniMag(Self.slow))
        }
        try desk.plug(true)
        switch moment {
        case .attached:
            #expect(try desk.events(through: #""event":"connect""#) == ["connect"])
            try desk.input(saying: "it is not activated", #""microphone":"closed""#)
        case .prompting:
            #expect(try desk.events(through: #""event":"prompt""#) == ["connect", "prompt activation"])
            try desk.input(saying: "it is not activated", #""microphone":"closed""#)
        case .poweringUp:
            #expect(try desk.events(through: #""event":"prompt""#) == ["connect", "prompt initializing"])
        case .active:
            #expect(
                try desk.events(through: #""event":"activate""#) == [
                    "connect", "update unimag", "activate success",
                ])
        case .ready, .reading:
            #expect(
                try desk.events(through: #""event":"ready""#) == [
                    "connect", "update unimag", "activate success", "ready",
                ])
        }
        guard moment == .reading else { return (desk, jack) }
        var generator = SeededGenerator(state: 1)
        #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
        #expect(try desk.events(through: #""event":"swipe_start""#) == ["swipe_start"])
        return (desk, jack)
    }

    /// The card sleeps with the machine: what was there is taken back with that reason, and comes again by itself.
    @Test("sleeps", arguments: [Moment.active, .ready, .reading])
    func sleeps(at moment: Moment) throws {
        let (desk, jack) = try reach(moment)
        defer { jack.stop() }
        desk.client.patience = .seconds(60)
        desk.putToSleep()
        let down: [String] =
            switch moment {
            case .attached, .prompting, .poweringUp: []
            case .active: ["deactivate suspended"]
            case .ready: ["unready suspended", "deactivate suspended"]
            case .reading: ["swipe unreadable", "unready suspended", "deactivate suspended"]
            }
        let last = moment == .active ? "activate" : "ready"
        let up = ["activate success"] + (moment == .active ? [] : ["ready"])
        let words = try desk.events(through: #""event":"\#(last)""#)
        #expect(words.filter { !$0.hasPrefix("update") } == down + up)
        #expect(desk.volumeIs(JackedDaemon.fullVolume))
        try desk.plug(false)
        _ = try desk.events(through: #""event":"disconnect""#)
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// The daemon sleeps for longer than the card's buffer lasts: the swipe is unreadable, and the next one is read.
    @Test func losesSamplesInASwipe() throws {
        let (desk, jack) = try reach(.reading)
        defer { jack.stop() }
        kill(desk.daemon.process.processIdentifier, SIGSTOP)
        // The card's clock goes on: when so much time has gone by, its ring and the rest of the packet have.
        usleep(3_000_000)
        kill(desk.daemon.process.processIdentifier, SIGCONT)
        #expect(
            try desk.events(through: #""event":"ready""#).filter { !$0.hasPrefix("update") } == [
                "swipe unreadable", "unready refreshing", "ready",
            ])
        var generator = SeededGenerator(state: 2)
        #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
        let words = try desk.events(through: #""event":"swipe","#).filter { !$0.hasPrefix("update") }
        #expect(words == ["swipe_start", "swipe card"])
        desk.client.send(#"{"id":"s","method":"stats"}"#)
        let stats = try desk.client.lines(through: #""id":"s""#).last ?? ""
        #expect(stats.contains(/"overruns":[1-9]/))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Another program plays: the result says so, and a later activation succeeds.
    @Test func theCardIsBusy() throws {
        let desk = try JackedDaemon(Self.unasked)
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        let other = open(desk.path("played"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        try desk.plug(true)
        let lines = try desk.client.lines(through: #""event":"activate""#)
        #expect(JackWords.of(lines) == ["connect", "activate failed"])
        #expect(lines.last?.contains(#""why":"the sound card is busy"#) == true)
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        close(other)
        try desk.claim()
        let (events, _) = try desk.ask("activate")
        #expect(
            try desk.events(events, to: "ready") == [
                "update unimag", "activate success", "ready",
            ])
        #expect(desk.daemon.terminate().status == 0)
    }

    @Test func theCardDoesNotPlay() throws {
        let desk = try JackedDaemon(Self.unasked, parts: [.jack, .volume])
        try desk.plug(true)
        let lines = try desk.client.lines(through: #""event":"activate""#)
        #expect(JackWords.of(lines) == ["connect", "activate failed"])
        #expect(lines.last?.contains(#""why":"the sound card does not play"#) == true)
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Such a card plays as loud as it does.
    @Test func theCardHasNoVolume() throws {
        let desk = try JackedDaemon(Self.unasked, parts: [.sink, .jack])
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        #expect(
            try desk.events(through: #""event":"ready""#) == [
                "connect", "update unimag", "activate success", "ready",
            ])
        #expect(desk.daemon.terminate().status == 0)
    }

    /// A headphone: every profile is tried, people are told, and all is as before.
    @Test func nothingAnswers() throws {
        let desk = try JackedDaemon("type = unimag\nactivate_without_prompting = yes\n")
        desk.client.patience = .seconds(60)
        let jack = desk.insert(.headphone)
        defer { jack.stop() }
        try desk.plug(true)
        #expect(
            try desk.events(through: #""kind":"timeout","#) == [
                "connect", "prompt initializing", "prompt_closed withdrawn", "activate timeout",
                "prompt timeout",
            ])
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        try desk.input(saying: "it is not activated", #""microphone":"closed""#)
        #expect(desk.isSinkFree)
        #expect(desk.daemon.terminate().status == 0)
    }

    /// The reader goes mute while it is ready: its request is repeated, then it is powered up once more, then it is lost.
    @Test func theReaderFallsSilent() throws {
        let desk = try JackedDaemon(Self.unasked + "swipe_timeout_s = 3\ntimeout_message =\n")
        desk.client.patience = .seconds(60)
        let jack = desk.insertUniMag()
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        jack.stop()
        #expect(
            try desk.events(through: #""event":"activate""#) == [
                "unready refreshing", "deactivate error", "activate timeout",
            ])
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Whoever was asked is gone: the question counts as declined at once, however long it might have waited.
    @Test("loses its claimant while a question is open", arguments: [true, false])
    func claimLost(byReleasing: Bool) throws {
        let desk = try JackedDaemon("type = unimag\nprompt_timeout_s = 600\n")
        try desk.plug(true)
        _ = try desk.events(through: #""event":"prompt""#)
        var other: LineClient? = try desk.daemon.connect()
        other?.send(#"{"id":1,"method":"claim","params":{"reader":"virtual-desk"}}"#)
        _ = try other?.line()
        if byReleasing { other?.send(#"{"id":2,"method":"release","params":{"reader":"virtual-desk"}}"#) }
        if !byReleasing { other = nil }
        #expect(
            try desk.events(through: #""event":"activate""#) == [
                "claim_released \(byReleasing ? "released" : "disconnected")", "prompt_closed withdrawn",
                "activate declined",
            ])
        try desk.input(saying: "it is not activated", #""microphone":"closed""#)
        // Whoever comes next may power it up, and is asked.
        try desk.claim()
        let (events, _) = try desk.ask("activate")
        #expect(try desk.events(events, to: "prompt") == ["prompt activation"])
        withExtendedLifetime(other) {}
        #expect(desk.daemon.terminate().status == 0)
    }

    enum Errand: CaseIterable { case activating, readyOnRequest, testing }

    /// Whoever asked for it is gone: it goes to its end as if they were there, and whoever comes next may ask again.
    @Test("loses its claimant while something goes on", arguments: Errand.allCases)
    func claimLost(during task: Errand) throws {
        let name = AcousticProfile.uniMagProfiles[0].name
        let settings =
            switch task {
            case .activating:
                Self.onRequest + "activate_on_attach = no\ntimeout_message =\nprofile = \(name)\n"
            case .readyOnRequest: Self.onRequest
            case .testing: "type = ips\n"
            }
        let desk = try JackedDaemon(settings)
        let jack = task == .readyOnRequest ? desk.insertUniMag() : desk.insert(.headphone)
        defer { jack.stop() }
        try desk.plug(true)
        let (method, first, last, result): (String, String, String, [String]) =
            switch task {
            case .activating: ("activate", "connect", "activate", ["activate timeout"])
            case .readyOnRequest: ("request_swipe", "activate", "unready", ["ready", "unready timeout"])
            case .testing: ("test_communication", "ready", "test_complete", ["test_complete unanswered"])
            }
        _ = try desk.events(through: #""event":"\#(first)""#)
        var other: LineClient? = try desk.daemon.connect()
        let reader = #""reader":"virtual-desk""#
        let time = task == .readyOnRequest ? #","timeout_s":3"# : ""
        other?.send(#"{"id":1,"method":"claim","params":{\#(reader)}}"#)
        other?.send(#"{"id":2,"method":"\#(method)","params":{\#(reader)\#(time)}}"#)
        _ = try other?.lines(through: #"{"id":2,"#)
        other = nil
        let words = try desk.events(through: #""event":"\#(last)""#)
        #expect(words.filter { !$0.hasPrefix("claim") && !$0.hasPrefix("update") } == result)
        #expect(words.contains("claim_released disconnected"))
        if task != .readyOnRequest { #expect(desk.volumeIs(JackedDaemon.quietVolume) && desk.isSinkFree) }
        try desk.claim()
        #expect(try desk.ask(method).answer.contains(#""result""#))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Somebody else who claims the reader; gone as soon as nobody holds the client any more.
    private func claimant(of desk: JackedDaemon) throws -> LineClient {
        let other = try desk.daemon.connect()
        other.send(#"{"id":1,"method":"claim","params":{"reader":"virtual-desk"}}"#)
        _ = try other.line()
        return other
    }

    /// A card passes while its claimant goes: it is read, and whoever else listens hears of it.
    @Test func claimLostWhileACardPasses() throws {
        let desk = try JackedDaemon(Self.unasked + "profile_file = {}/slow\n", files: ["slow": Self.slowFile])
        let jack = try desk.ready(with: .uniMag(Self.slow))
        defer { jack.stop() }
        var other: LineClient? = try claimant(of: desk)
        var generator = SeededGenerator(state: 3)
        #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
        var words = try desk.events(through: #""event":"swipe_start""#)
        withExtendedLifetime(other) {}
        other = nil
        words += try desk.events(through: #""event":"ready""#)
        #expect(words.contains("claim_released disconnected"))
        #expect(
            words.filter { !$0.hasPrefix("claim") && !$0.hasPrefix("update") } == [
                "swipe_start", "swipe card", "unready refreshing", "ready",
            ])
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Whoever asked for a search is gone: it finds what is there all the same.
    @Test func claimLostDuringASearch() throws {
        let desk = try JackedDaemon("type = ips\n")
        desk.client.patience = .seconds(60)
        let jack = try desk.ready(with: .battery(.ips))
        defer { jack.stop() }
        var other: LineClient? = try claimant(of: desk)
        other?.send(#"{"id":2,"method":"autodetect","params":{"reader":"virtual-desk"}}"#)
        _ = try other?.lines(through: #"{"id":2,"#)
        other = nil
        let words = try desk.events(through: #""event":"autodetect_complete""#)
        #expect(words.contains("claim_released disconnected"))
        #expect(words.last == "autodetect_complete ips")
        #expect(desk.volumeIs(JackedDaemon.quietVolume) && desk.isSinkFree)
        try desk.claim()
        #expect(try desk.ask("test_communication").answer.contains(#""result""#))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// A search on a card that another program plays on, or that cannot play: it ends, and says so.
    @Test("is looked for on a card that does not play", arguments: [true, false])
    func aSearchWithoutPlayback(isBusy: Bool) throws {
        let parts: [JackedDaemon.Part] = isBusy ? JackedDaemon.Part.allCases : [.jack, .volume]
        let desk = try JackedDaemon("type = autodetect\n", parts: parts)
        desk.client.patience = .seconds(60)
        let other = open(desk.path("played"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
        if isBusy { #expect(flock(other, LOCK_EX | LOCK_NB) == 0) }
        defer { close(other) }
        try desk.plug(true)
        #expect(
            try desk.events(through: #""event":"autodetect_complete""#) == [
                "autodetect_start", "update autodetect", "autodetect_complete fail",
            ])
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(
            try desk.input(saying: "nothing was found that could be listened to").contains(
                #""microphone":"closed""#))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Who takes the reader over is there to answer: the question stays.
    @Test func aQuestionGoesOverWithTheClaim() throws {
        let desk = try JackedDaemon("type = unimag\nprompt_timeout_s = 600\n")
        try desk.plug(true)
        let asked = try desk.client.lines(through: #""event":"prompt""#).last ?? ""
        let other = try desk.daemon.connect()
        other.send(#"{"id":1,"method":"claim","params":{"reader":"virtual-desk"}}"#)
        _ = try other.line()
        desk.client.send(
            #"{"id":9,"method":"claim","params":{"reader":"virtual-desk","mode":"ask"}}"#)
        _ = try other.lines(through: "claim_requested")
        other.send(#"{"id":2,"method":"release","params":{"reader":"virtual-desk"}}"#)
        _ = try desk.client.lines(through: #"{"id":9,"#)
        let (events, answer) = try desk.answer(asked, "decline")
        #expect(!answer.contains("error"))
        #expect(
            try desk.events(events, to: "activate") == ["prompt_closed answered", "activate declined"])
        #expect(desk.daemon.terminate().status == 0)
    }
}
