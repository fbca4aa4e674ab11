import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// The search for what is in the jack, through the whole daemon: against each reader of software, a headphone, nothing.
@Suite(.serialized, .timeLimit(.minutes(5))) struct AutodetectChainTests {
    struct Search: Sendable, CustomTestStringConvertible {
        var result: String
        var kind: ReaderSimulator.Kind
        var testDescription: String { result }
    }

    static let searches = [
        Search(result: "ips_enterprise", kind: .battery(.ipsEnterprise)),
        Search(result: "ips", kind: .battery(.ips)),
        Search(result: "unimag", kind: .uniMag(AcousticProfile.uniMagProfiles[0])),
    ]

    /// The longest search tries everything: two tests of 5 s, all of UniMag's profiles, 5 s of listening.
    private static let longest = Duration.seconds(90)

    private static func start(_ more: String = "") throws -> JackedDaemon {
        let desk = try JackedDaemon("type = autodetect\n" + more)
        desk.client.patience = longest
        return desk
    }

    @Test("finds it, without a word of power or readiness meanwhile", arguments: searches)
    func finds(search: Search) throws {
        let desk = try Self.start()
        let jack = desk.insert(search.kind)
        defer { jack.stop() }
        try desk.plug(true)
        #expect(
            try desk.events(through: #""event":"autodetect_complete""#) == [
                "autodetect_start", "update \(search.result)", "autodetect_complete \(search.result)",
            ])
        let isReady = search.result != "unimag"
        if !isReady { #expect(try desk.events(through: #""event":"ready""#) == ["ready"]) }
        // The input takes over what its search found a moment after the search says so.
        let listed = try desk.input(saying: #""type":"\#(search.result)""#)
        #expect(listed.contains(#""kind":"\#(search.result)""#))
        #expect(listed.contains(#""is_connected":true,"is_activated":true,"is_ready_for_swipe":true"#))
        var generator = SeededGenerator(state: 9)
        let packet =
            isReady ? SimulatedPackets.ips(&generator) : SimulatedPackets.uniMag(&generator)
        #expect(jack.swipe(packet))
        #expect(
            try desk.events(through: #""event":"swipe","#) == [
                "swipe_start", "update \(search.result)", "swipe card",
            ])
        if !isReady { _ = try desk.events(through: #""event":"ready""#) }
        try desk.plug(false)
        #expect(try desk.events(through: #""event":"disconnect""#) == JackedDaemon.wayOut)
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        // What was found is expected from now on.
        try desk.plug(true)
        let again = try desk.client.line()
        #expect(again.hasPrefix(#"{"event":"connect""#) && again.contains(#""kind":"\#(search.result)""#))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// A profile for one kind says nothing of another: what was found is heard after the next plug as well.
    @Test func holdsBesideAProfileOfAnotherKind() throws {
        let desk = try Self.start("profile = \(AcousticProfile.uniMagProfiles[0].name)\n")
        let jack = desk.insert(.battery(.ipsEnterprise))
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"autodetect_complete""#)
        let listed = try desk.input(saying: #""type":"ips_enterprise""#)
        #expect(listed.contains(#""profile":null,"acoustics":"assumed""#))
        try desk.plug(false)
        _ = try desk.events(through: #""event":"disconnect""#)
        try desk.plug(true)
        #expect(try desk.events(through: #""event":"ready""#) == ["connect", "activate success", "ready"])
        var generator = SeededGenerator(state: 9)
        #expect(jack.swipe(SimulatedPackets.ips(&generator)))
        #expect(try desk.events(through: #""event":"swipe","#).last == "swipe card")
        #expect(desk.daemon.terminate().status == 0)
    }

    /// A headphone and nothing at all are the same to it, and the microphone is closed afterwards.
    @Test func findsNothing() throws {
        let desks = try [ReaderSimulator.Kind.headphone, .silence].map { kind in
            let desk = try Self.start()
            let jack = desk.insert(kind)
            try desk.plug(true)
            return (desk, jack)
        }
        for (desk, jack) in desks {
            #expect(
                try desk.events(through: #""event":"autodetect_complete""#) == [
                    "autodetect_start", "update autodetect", "autodetect_complete fail",
                ])
            let listed = try desk.input(saying: "nothing was found that could be listened to")
            #expect(listed.contains(#""microphone":"closed""#))
            #expect(listed.contains(#""is_connected":true,"is_activated":false,"is_ready_for_swipe":false"#))
            #expect(desk.volumeIs(JackedDaemon.quietVolume))
            // Settings are taken over by what has found nothing; a search is begun where one is announced.
            try desk.claim()
            #expect(try desk.ask("set", #","swipe_timeout_s":5"#).answer.contains(#""result""#))
            let (again, answer) = try desk.ask("set_audio_reader", #","type":"autodetect""#)
            #expect(answer.contains("loud tones"))
            desk.client.patience = .seconds(10)
            #expect(try desk.events(again, to: "autodetect_start").contains("autodetect_start"))
            // One that is going on is not begun anew.
            try desk.ask("set_audio_reader", #","type":"autodetect""#)
            try desk.plug(false)
            #expect(
                try desk.events(through: #""event":"disconnect""#) == [
                    "update autodetect", "autodetect_complete fail", "disconnect unplugged",
                ])
            jack.stop()
            #expect(desk.daemon.terminate().status == 0)
        }
    }

    /// What was found is found: the card that slept, or was in use, begins no search that nobody asked for.
    @Test("holds what it found while the card comes and goes", arguments: [searches[0], searches[2]])
    func holdsWhatItFound(search: Search) throws {
        let desk = try Self.start("initializing_message =\n")
        let jack = desk.insert(search.kind)
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"autodetect_complete""#)
        let isReady = search.result != "unimag"
        if !isReady { _ = try desk.events(through: #""event":"ready""#) }
        desk.putToSleep()
        var words: [String] = []
        while words.last != "ready", words.last != "autodetect_start", words.last != "prompt activation" {
            words += JackWords.of([try desk.client.line()])
        }
        #expect(
            words.filter { !$0.hasPrefix("update") } == ["unready suspended", "deactivate suspended"]
                + (isReady ? ["activate success", "ready"] : ["prompt activation"]))
        #expect(
            try desk.input(saying: #""type":"\#(search.result)""#).contains(#""kind":"\#(search.result)""#))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Pulled out in mid-search: the search ends, and what was never said is not taken back.
    @Test func isPulledOutMeanwhile() throws {
        let desk = try Self.start()
        try desk.plug(true)
        #expect(try desk.events(through: #""event":"autodetect_start""#) == ["autodetect_start"])
        try desk.claim()
        #expect(try desk.ask("activate").answer.contains("reader.busy"))
        try desk.plug(false)
        #expect(
            try desk.events(through: #""event":"disconnect""#) == [
                "update autodetect", "autodetect_complete fail", "disconnect unplugged",
            ])
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// A claimant searches again; the answer warns of the tones.
    @Test func isAskedFor() throws {
        let desk = try JackedDaemon("type = ips_enterprise\n")
        let jack = desk.insert(.battery(.ipsEnterprise))
        defer { jack.stop() }
        _ = try desk.input(saying: "nothing is in the jack")
        #expect(try desk.ask("autodetect").answer.contains("reader.inactive"))
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        try desk.claim()
        let (events, answer) = try desk.ask("autodetect")
        #expect(answer.contains("loud tones"))
        #expect(
            try desk.events(events, to: "autodetect_complete") == [
                "unready deactivated", "deactivate requested", "autodetect_start", "update ips_enterprise",
                "autodetect_complete ips_enterprise",
            ])
        #expect(desk.daemon.terminate().status == 0)
    }

    /// The next daemon knows what the last one found.
    @Test func remembersOverARestart() throws {
        let settings = """
            type = autodetect
            remember_autodetect = yes
            activate_without_prompting = yes
            initializing_message =
            """ + "\n"
        let desk = try JackedDaemon(settings)
        desk.client.patience = Self.longest
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        #expect(desk.says("unimag\n", "reader-type-desk"))
        #expect(desk.daemon.terminate().status == 0)
        let text = JackedDaemon.configuration(settings, more: "[server]\nstate = {}\n")
        let next = try DaemonUnderTest(text.replacing("{}", with: desk.daemon.folder.path))
        let client = try next.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        try desk.plug(true)
        let lines = try client.lines(through: #""event":"ready""#)
        #expect(JackWords.of(lines) == ["connect", "update unimag", "activate success", "ready"])
        #expect(next.terminate().status == 0)
    }
}
