import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// Readers with a battery in the jack of a virtual sound card, and the whole daemon.
@Suite(.serialized, .timeLimit(.minutes(3))) struct IPSReaderTests {
    struct Model: Sendable, CustomTestStringConvertible {
        var type: String
        var profile: AcousticProfile
        var testDescription: String { type }
    }

    static let models = [
        Model(type: "ips", profile: .ips), Model(type: "ips_enterprise", profile: .ipsEnterprise),
    ]

    @Test(arguments: models) func fromPlugToUnplug(model: Model) throws {
        let desk = try JackedDaemon("type = \(model.type)\n")
        let jack = desk.insert(.battery(model.profile))
        defer { jack.stop() }
        try desk.plug(true)
        // At once, as in the SDK: nothing was asked, nothing was played.
        #expect(
            try desk.events(through: #""event":"ready""#) == ["connect", "activate success", "ready"])
        #expect(jack.commands.isEmpty && desk.volume == JackedDaemon.quietVolume)
        var generator = SeededGenerator(state: 3)
        #expect(jack.swipe(SimulatedPackets.ips(&generator)))
        #expect(
            try desk.events(through: #""event":"swipe","#) == [
                "swipe_start", "update \(model.type)", "swipe card",
            ])
        #expect(jack.swipe(SimulatedPackets.ips(&generator)))
        #expect(try desk.events(through: #""event":"swipe","#) == ["swipe_start", "swipe card"])
        // Where the SDK says nothing, people are told.
        #expect(jack.swipe(SimulatedPackets.ipsBadSwipe))
        #expect(try desk.events(through: #""event":"swipe","#) == ["swipe_start", "swipe unreadable"])
        try desk.plug(false)
        #expect(try desk.events(through: #""event":"disconnect""#) == JackedDaemon.wayOut)
        #expect(desk.daemon.terminate().status == 0)
    }

    @Test(arguments: models) func answersATest(model: Model) throws {
        let desk = try JackedDaemon("type = \(model.type)\n")
        let jack = try desk.ready(with: .battery(model.profile))
        defer { jack.stop() }
        try desk.claim()
        #expect(try desk.ask("test_communication").answer.contains("loud tone"))
        #expect(try desk.ask("test_communication").answer.contains("reader.busy"))
        #expect(try desk.events(through: #""event":"test_complete""#) == ["test_complete answered"])
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(jack.commands == [IPSMessage.wakeUp])
        // It is as ready as before.
        var generator = SeededGenerator(state: 4)
        #expect(jack.swipe(SimulatedPackets.ips(&generator)))
        #expect(
            try desk.events(through: #""event":"swipe","#) == [
                "swipe_start", "update \(model.type)", "swipe card",
            ])
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Five seconds, as the SDK's guide says; and a card that cannot play says so at once.
    @Test func aTestOfNothingFails() throws {
        let desk = try JackedDaemon("type = ips\n")
        let jack = try desk.ready(with: .headphone)
        defer { jack.stop() }
        try desk.claim()
        try desk.ask("test_communication")
        let start = ContinuousClock.now
        #expect(try desk.events(through: #""event":"test_complete""#) == ["test_complete unanswered"])
        #expect(ContinuousClock.now - start > .seconds(5))
        #expect(desk.volumeIs(JackedDaemon.quietVolume))
        #expect(desk.daemon.terminate().status == 0)

        let mute = try JackedDaemon("type = ips\n", parts: [.jack])
        try mute.plug(true)
        _ = try mute.events(through: #""event":"ready""#)
        try mute.claim()
        let (events, _) = try mute.ask("test_communication")
        #expect(try mute.events(events, to: "test_complete") == ["test_complete unanswered"])
        let told = mute.client.received.last { $0.contains("test_complete") }
        #expect(told?.contains(#""answered":false,"why":"the sound card does not play"#) == true)
        #expect(mute.daemon.terminate().status == 0)
    }

    /// The exact line of a swipe: what the claimant gets, and what everybody else does.
    @Test func theLineOfASwipe() throws {
        let desk = try JackedDaemon("type = ips\n")
        let jack = try desk.ready(with: .battery(.ips))
        defer { jack.stop() }
        let observer = try desk.observer()
        try desk.claim()
        var generator = SeededGenerator(state: 5)
        #expect(jack.swipe(SimulatedPackets.ips(&generator)))
        let own = try desk.client.lines(through: #""event":"swipe","#).last ?? ""
        let theirs = try observer.lines(through: #""event":"swipe","#).last ?? ""
        #expect(steady(own) == Self.ownLine)
        #expect(steady(theirs) == Self.observersLine)
        #expect(desk.daemon.terminate().status == 0)
    }

    static let ownLine =
        #"{"event":"swipe","seq":6,"time":T,"mono_ns":N,"reader":"virtual-desk","attachment":1,"si"#
        + #"mulated":true,"data":{"card":{"kind":"payment","format":"iso7813","pan":{"masked":"42668"#
        + #"4******9999","length":16,"brand":"visa"},"expiry":"0809","name":"TEST/IPS","properties":{"#
        + #""ExpirationDate":"0809","FirstName":"IPS","Surname":"TEST"}},"tracks":[{""#
        + #"track":1,"status":"ok","masked":"%B426684******9999^TEST/IPS^0809***?"},{"track":2,"stat"#
        + #"us":"ok","masked":";426684******9999=0809***?"},{"track":3,"status":"empty"}],"encryptio"#
        + #"n":{"scheme":"dukpt-tdes","ksn":"FFFF98765432105AF847","tracks":[{"track":2,"joined_trac"#
        + #"ks":[2,1],"ciphertext":"45C544212BE863A73CFB0D17566BFB77D8D9CB20EFE303D621DFB697F57FCE8F"#
        + #"E54EEF4CCB2202DFC991634333F0CD07E8B2F993956D6CF05A39EB7D1B161E03C45F8DC366819933131BCFC3"#
        + #"8680D8E5"}]},"quality":{"repaired_bits":0,"hint":null}}}"#
    static let observersLine =
        #"{"event":"swipe","seq":6,"time":T,"mono_ns":N,"reader":"virtual-desk","attachment":1,"si"#
        + #"mulated":true,"data":{"card":{"kind":"payment","format":"iso7813","pan":{"masked":"42668"#
        + #"4******9999","length":16,"brand":"visa"},"expiry":"0809","name":"TEST/IPS"},"tracks":[{""#
        + #"track":1,"status":"ok","masked":"%B426684******9999^TEST/IPS^0809***?"},{"track":2,"stat"#
        + #"us":"ok","masked":";426684******9999=0809***?"},{"track":3,"status":"empty"}],"encryptio"#
        + #"n":{"scheme":"dukpt-tdes","ksn":"FFFF98765432105AF847","tracks":[]},"quality":{"repaired"#
        + #"_bits":0,"hint":null}}}"#
}
