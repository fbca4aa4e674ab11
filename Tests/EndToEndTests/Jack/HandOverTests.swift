import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// One driver takes another's place while the daemon runs: the old one is through with the card before.
@Suite(.serialized, .timeLimit(.minutes(3))) struct HandOverTests {
    @Test func fromOneKindToTheNext() throws {
        let desk = try JackedDaemon(
            "type = unimag\nactivate_without_prompting = yes\ninitializing_message =\n")
        let jack = desk.insertUniMag()
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        try desk.claim()
        #expect(!desk.isSinkFree && desk.volume == JackedDaemon.fullVolume)

        for type in ["ips", "ips_enterprise", "passive"] {
            let (events, answer) = try desk.ask("set_audio_reader", #","type":"\#(type)""#)
            #expect(!answer.contains("error"))
            #expect(
                try desk.events(events, to: "ready") == [
                    "unready deactivated", "deactivate requested", "update \(type)", "activate success",
                    "ready",
                ])
            // The tone ended, the volume is the old one, and one capture is open.
            #expect(desk.isSinkFree && desk.volume == JackedDaemon.quietVolume)
            #expect(desk.descriptors(of: "sound") == 1)
            let listed = try desk.input(saying: #""microphone":"open""#)
            #expect(listed.contains(#""kind":"\#(type)""#) && listed.contains(#""attachment":1"#))
            #expect(listed.contains(#""claimed_by":{"#), "the claim went over")
        }
        jack.stop()
        try writePipe(
            desk.path("sound"), try VirtualSwipes.swipeSound(";4266841088889999=080910110000046?"))
        #expect(try desk.events(through: #""event":"swipe","#) == ["swipe_start", "swipe card"])

        let second = desk.insertUniMag()
        defer { second.stop() }
        let (back, _) = try desk.ask("set_audio_reader", #","type":"unimag""#)
        #expect(
            try desk.events(back, to: "ready") == [
                "unready deactivated", "deactivate requested", "update unimag", "update unimag",
                "activate success", "ready",
            ])
        let (gone, _) = try desk.ask("set_audio_reader", #","type":"none""#)
        #expect(
            try desk.events(gone, to: "claim_released") == [
                "unready disconnected", "deactivate disconnected", "disconnect configuration",
                "claim_released reader_gone",
            ])
        #expect(desk.isSinkFree && desk.volume == JackedDaemon.quietVolume)
        #expect(try desk.input(saying: "its type is none").contains(#""microphone":"closed""#))
        #expect(desk.descriptors(of: "sound") == 0)
        #expect(desk.daemon.terminate().status == 0)
    }

    /// In the middle of a card: what is passing is no card of anybody's.
    @Test func inTheMiddleOfASwipe() throws {
        let slow =
            AcousticProfile.uniMagProfiles.first { $0.baud == 2_400 } ?? AcousticProfile.uniMagProfiles[0]
        let desk = try JackedDaemon(
            "type = unimag\nactivate_without_prompting = yes\ninitializing_message =\nprofile = \(slow.name)\n"
        )
        let jack = desk.insert(.uniMag(slow))
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        try desk.claim()
        var generator = SeededGenerator(state: 6)
        #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
        _ = try desk.events(through: #""event":"swipe_start""#)
        let (events, _) = try desk.ask("set_audio_reader", #","type":"ips""#)
        #expect(
            try desk.events(events, to: "ready") == [
                "swipe unreadable", "unready deactivated", "deactivate requested", "update ips",
                "activate success", "ready",
            ])
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Many clients, many changes: one driver is left, and it works.
    @Test func manyTimes() throws {
        let desk = try JackedDaemon("type = passive\nactivate_without_prompting = yes\n")
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        try desk.claim()
        for round in 0..<20 {
            let type = ["ips", "unimag", "ips_enterprise", "autodetect"][round % 4]
            try desk.ask("set_audio_reader", #","type":"\#(type)""#)
        }
        let (events, _) = try desk.ask("set_audio_reader", #","type":"passive""#)
        _ = events
        while true {
            let words = try desk.events(through: #""event":"ready""#)
            if words.contains("update passive") { break }
        }
        #expect(desk.isSinkFree && desk.volumeIs(JackedDaemon.quietVolume))
        #expect(desk.descriptors(of: "sound") == 1)
        try writePipe(
            desk.path("sound"), try VirtualSwipes.swipeSound(";4266841088889999=080910110000046?"))
        #expect(try desk.events(through: #""event":"swipe","#).last == "swipe card")
        #expect(desk.daemon.terminate().status == 0)
    }
}
