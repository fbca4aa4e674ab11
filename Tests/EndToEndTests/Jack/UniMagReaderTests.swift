import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// A simulated UniMag in the jack of a virtual sound card, and the whole daemon: plug, question, power-up, swipe, unplug.
@Suite(.serialized, .timeLimit(.minutes(3))) struct UniMagReaderTests {
    private static let unasked = "type = unimag\nactivate_without_prompting = yes\ninitializing_message =\n"

    @Test func fromPlugToUnplug() throws {
        let desk = try JackedDaemon("type = unimag\ninitializing_message =\n")
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        let asked = try desk.client.lines(through: #""event":"prompt""#)
        #expect(JackWords.of(asked) == ["connect", "prompt activation"])
        #expect(asked.last?.contains(#""kind":"activation","text":"A card reader may be"#) == true)
        try desk.claim()
        #expect(try desk.answer(asked.last ?? "", "maybe").answer.contains("params.invalid"))
        let (events, _) = try desk.answer(asked.last ?? "", "accept")
        #expect(
            try desk.events(events, to: "ready") == [
                "prompt_closed answered", "update unimag", "activate success", "ready",
            ])
        #expect(desk.volume == JackedDaemon.fullVolume)
        var generator = SeededGenerator(state: 7)
        #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
        #expect(
            try desk.events(through: #""event":"ready""#) == [
                "swipe_start", "update unimag", "swipe card", "unready refreshing", "ready",
            ])
        #expect(try desk.ask("request_swipe").answer.contains("reader.automatic"))
        #expect(try desk.ask("set", #","swipe_timeout_s":21"#).answer.contains("not within 3 and 20"))
        #expect(try desk.ask("set", #","swipe_timeout_s":3"#).answer.contains(#""result""#))
        try desk.plug(false)
        // Only the last three are certain: the request may have been renewed meanwhile.
        let words = try desk.events(through: #""event":"disconnect""#)
        #expect(words.suffix(3) == JackedDaemon.wayOut[...])
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Everything that a claimant may ask for, and in which order it comes.
    @Test func onRequest() throws {
        let desk = try JackedDaemon(
            Self.unasked + "activate_on_attach = no\nalways_accept_swipe = no\nswipe_timeout_s = 3\n")
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        #expect(try desk.events(through: #""event":"connect""#) == ["connect"])
        _ = try desk.input(saying: "it is not activated")
        try desk.claim()
        #expect(try desk.ask("request_swipe").answer.contains("reader.inactive"))
        #expect(try desk.ask("cancel_activation").answer.contains("reader.state"))
        try desk.ask("activate")
        let (cancelled, _) = try desk.ask("cancel_activation")
        #expect(cancelled == ["activate cancelled"] && desk.volumeIs(JackedDaemon.quietVolume))
        let (active, _) = try desk.ask("activate")
        #expect(
            try desk.events(active, to: "activate") == [
                "update unimag", "activate success",
            ])
        _ = try desk.input(saying: #""microphone":"open""#)
        try desk.ask("request_swipe")
        #expect(try desk.events(through: #""event":"ready""#) == ["ready"])
        #expect(try desk.ask("cancel_swipe").events == ["unready cancelled"])
        #expect(try desk.ask("request_swipe", #","timeout_s":2"#).answer.contains("not within 3 and 20"))
        try desk.ask("request_swipe", #","timeout_s":4"#)
        #expect(
            try desk.events(through: #""event":"unready""#) == ["ready", "unready timeout"])
        try desk.ask("request_swipe")
        #expect(try desk.events(through: #""event":"ready""#) == ["ready"])
        var generator = SeededGenerator(state: 8)
        #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
        #expect(
            try desk.events(through: #""event":"unready""#) == [
                "swipe_start", "update unimag", "swipe card", "unready swiped",
            ])
        #expect(try desk.ask("deactivate").events == ["deactivate requested"])
        _ = try desk.input(saying: "it is not activated")
        #expect(desk.volumeIs(JackedDaemon.quietVolume) && desk.isSinkFree)
        #expect(desk.daemon.terminate().status == 0)
    }

    /// It is powered up again at once, and the answer warns of that.
    @Test func deactivatedOnlyToRise() throws {
        let desk = try JackedDaemon(Self.unasked)
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        try desk.claim()
        let (events, answer) = try desk.ask("deactivate")
        #expect(answer.contains(#""warning":"activate_on_attach is on"#))
        #expect(
            try desk.events(events, to: "ready") == [
                "unready deactivated", "deactivate requested", "activate success", "ready",
            ])
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Nobody is there to answer.
    @Test func aQuestionThatNobodyAnswersIsDeclined() throws {
        let desk = try JackedDaemon("type = unimag\nprompt_timeout_s = 1\n")
        try desk.plug(true)
        #expect(
            try desk.events(through: #""event":"activate""#) == [
                "connect", "prompt activation", "prompt_closed timeout", "activate declined",
            ])
        #expect(desk.volume == JackedDaemon.quietVolume)
        #expect(desk.daemon.terminate().status == 0)
    }

    /// The next claimant finds an open question among the readers.
    @Test func aQuestionIsListed() throws {
        let desk = try JackedDaemon("type = unimag\nprompt_timeout_s = 600\n")
        try desk.plug(true)
        let asked = try desk.client.lines(through: #""event":"prompt""#).last ?? ""
        #expect(try desk.input(saying: "prompt").contains(#""kind":"activation""#))
        try desk.claim()
        let (events, _) = try desk.answer(asked, "decline")
        #expect(
            try desk.events(events, to: "activate") == ["prompt_closed answered", "activate declined"])
        #expect(desk.daemon.terminate().status == 0)
    }
}
