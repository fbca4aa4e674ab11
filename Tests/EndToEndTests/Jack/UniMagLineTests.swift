import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// The exact lines of a UniMag: what each kind of client reads of one swipe, and what `readers` says of the microphone.
@Suite(.serialized, .timeLimit(.minutes(3))) struct UniMagLineTests {
    private static let unasked = "type = unimag\nactivate_without_prompting = yes\ninitializing_message =\n"

    /// The claimant with full rights gets what is encrypted; whoever may see masked cards does not, claimant or not.
    @Test(arguments: [true, false]) func aSwipe(claimantMaySeeAll: Bool) throws {
        let desk = try JackedDaemon(Self.unasked, full: claimantMaySeeAll ? "*" : "")
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        let observer = try desk.observer()
        try desk.claim()
        var generator = SeededGenerator(state: 5)
        #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
        let own = try desk.client.lines(through: #""event":"swipe","#).last ?? ""
        let theirs = try observer.lines(through: #""event":"swipe","#).last ?? ""
        #expect(steady(own) == (claimantMaySeeAll ? Self.wholeLine : Self.maskedLine))
        #expect(steady(theirs) == Self.maskedLine)
        #expect(desk.daemon.terminate().status == 0)
    }

    static let wholeLine =
        #"{"event":"swipe","seq":7,"time":T,"mono_ns":N,"reader":"virtual-desk","attachment":1,"si"#
        + #"mulated":true,"data":{"card":{"kind":"payment","format":"iso7813","pan":{"masked":"4266*"#
        + #"*******9999","length":16,"brand":"visa"},"name":"TEST/UNIMAG","pro"#
        + #"perties":{"FirstName":"UNIMAG","Surname":"TEST"}},"tracks":[{"track":1,"sta"#
        + #"tus":"ok","masked":"%*4266********9999^TEST/UNIMAG^**********************?*"},{"track":2"#
        + #","status":"ok","masked":";4266********9999=***************?*"},{"track":3,"status":"empt"#
        + #"y"}],"encryption":{"scheme":"dukpt-tdes","ksn":"62994901190000A2AEA3","key_variant":"dat"#
        + #"a","key_variant_assumed":true,"tracks":[{"track":1,"ciphertext":"5AF84745C544212BE863A73CFB0D17566BFB77D8D9CB20EFE3"#
        + #"03D621DFB697F57FCE8FE54EEF4CCB2202DFC991634333F0CD07E8B2F99395","clear_length":55},{"tra"#
        + #"ck":2,"ciphertext":"6D6CF05A39EB7D1B161E03C45F8DC366819933131BCFC38680D8E57A5A4E78EE5967"#
        + #"6F1EF5BF0AAF","clear_length":35}]},"quality":{"repaired_bits":0,"hint":null}}}"#
    static let maskedLine =
        #"{"event":"swipe","seq":7,"time":T,"mono_ns":N,"reader":"virtual-desk","attachment":1,"si"#
        + #"mulated":true,"data":{"card":{"kind":"payment","format":"iso7813","pan":{"masked":"4266*"#
        + #"*******9999","length":16,"brand":"visa"},"name":"TEST/UNIMAG"},"tracks":[{"track":1,"sta"#
        + #"tus":"ok","masked":"%*4266********9999^TEST/UNIMAG^**********************?*"},{"track":2"#
        + #","status":"ok","masked":";4266********9999=***************?*"},{"track":3,"status":"empt"#
        + #"y"}],"encryption":{"scheme":"dukpt-tdes","ksn":"62994901190000A2AEA3","key_variant":"dat"#
        + #"a","key_variant_assumed":true,"tracks":[]},"quality":{"repaired_bits":0,"hint":null}}}"#

    /// A microphone is open while a reader is expected to say something, and `readers` says why it is, or is not.
    @Test func theMicrophone() throws {
        let desk = try JackedDaemon(Self.unasked + "activate_on_attach = no\n")
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        #expect(try input(desk, "nothing is in") == Self.line(false, "closed", Self.nothing))
        try desk.plug(true)
        _ = try desk.events(through: #""event":"connect""#)
        #expect(try input(desk, "not activated") == Self.line(true, "closed", Self.powerless))
        try desk.claim()
        try desk.ask("activate")
        #expect(try input(desk, #""microphone":"open""#) == Self.line(true, "open", Self.expected))
        #expect(try input(desk, #""state":"ready""#) == Self.line(true, "open", Self.expected))
        try desk.ask("deactivate")
        #expect(try input(desk, #""microphone":"closed""#) == Self.line(true, "closed", Self.powerless))
        try desk.ask("set_audio_reader", #","type":"none""#)
        #expect(try input(desk, "its type") == Self.line(true, "closed", Self.unexpected, type: "none"))
        #expect(desk.daemon.terminate().status == 0)
    }

    private static let nothing = "nothing is in the jack"
    private static let powerless =
        "a reader of type unimag is expected, and it says nothing without power: it is not activated"
    private static let expected =
        "a reader of type unimag is expected, and something is in the Mic Jack"
    private static let unexpected = "no reader is expected: its type is none"

    /// The one entry of `audio_inputs`, once `readers` says that.
    private func input(_ desk: JackedDaemon, _ text: String) throws -> String {
        let answer = try desk.input(saying: text)
        let entry = try #require(answer.firstMatch(of: /"audio_inputs":\[(.*)\]\}\}/)).1
        return String(entry)
    }

    private static func line(
        _ isPluggedIn: Bool, _ microphone: String, _ why: String, type: String = "unimag"
    ) -> String {
        #"{"id":"virtual-desk","device":"swiped_virtual-desk","type":"\#(type)","jack":"Mic Jack","#
            + #""plugged_in":\#(isPluggedIn),"microphone":"\#(microphone)","why":"\#(why)","profile":null,"#
            + #""acoustics":"\#(type == "none" ? "given" : "assumed")"}"#
    }
}
