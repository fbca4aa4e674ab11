import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// What the page for people who come from the payment SDK promises of the whole daemon, and no other test says.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SDKPromiseTests {
    /// The controller's four readers: all at once where there are jacks for them, each known by its kind.
    @Test func theFourReadersAreListedByTheirKinds() throws {
        let kinds = ["unimag", "ips", "ips_enterprise"]
        let sections = kinds.map {
            "[virtual-audio \($0)]\nsource = {}/\($0)\nsink = {}/\($0)-played\ntype = \($0)\nactivate_on_attach = no\n"
        }
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\n[virtual-hid idynamo]\ndevice = 0801:0020\nsource = {}/reports\n"
                + sections.joined())
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe","params":{"events":["connect"]}}"#)
        _ = try client.line()
        for name in kinds {
            _ = daemon.makePipe("\(name)-played")
            _ = daemon.makePipe(name)
        }
        _ = daemon.makePipe("reports")
        for _ in 0..<4 { _ = try client.lines(through: #""event":"connect""#) }
        client.send(#"{"id":"in","method":"readers"}"#)
        let listed = try client.lines(through: #"{"id":"in","#).last ?? ""
        for kind in kinds {
            #expect(listed.contains(#"{"id":"virtual-\#(kind)","kind":"\#(kind)""#), "\(kind)")
        }
        #expect(listed.contains(#"{"id":"virtual-idynamo","kind":"magtek""#), "\(listed)")
        #expect(daemon.terminate().status == 0)
    }

    /// `resetToDefaults`: settings that are taken out of the configuration are the defaults again.
    @Test func settingsThatAreTakenOutAreTheDefaults() throws {
        let desk = try JackedDaemon("type = unimag\nactivation_prompt = Take it off?\nswipe_timeout_s = 5\n")
        try desk.plug(true)
        let own = try desk.client.lines(through: #""event":"prompt""#).last ?? ""
        #expect(own.contains(#""text":"Take it off?""#))
        #expect(try desk.ask("get").answer.contains(#""swipe_timeout_s":{"value":5,"#))
        try desk.daemon.configure(JackedDaemon.configuration("type = unimag\n"))
        desk.client.send(#"{"id":"r","method":"reload"}"#)
        _ = try desk.client.lines(through: #""id":"r""#)
        // The section changed, so its jack is looked at anew.
        try desk.plug(true)
        let lines = try desk.client.lines(through: #""event":"prompt","#)
        #expect(lines.last?.contains(PromptTexts().activation) == true, "\(lines)")
        let answer = try desk.ask("get").answer
        #expect(answer.contains(#""swipe_timeout_s":{"value":20,"source":"configuration"}"#), "\(answer)")
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Each event says of which reader it is, and which time that was plugged in.
    @Test func everyEventNamesItsReader() throws {
        let desk = try JackedDaemon("type = unimag\n")
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        for attachment in 1...2 {
            try desk.plug(true)
            var lines = try desk.client.lines(through: #""event":"prompt""#)
            desk.client.send(
                #"{"id":\#(attachment),"method":"activate","params":{"reader":"\#(JackedDaemon.reader)"}}"#)
            lines += try desk.client.lines(through: #""event":"ready""#)
            var generator = SeededGenerator(state: 5)
            #expect(jack.swipe(SimulatedPackets.uniMag(&generator)))
            lines += try desk.client.lines(through: #""event":"ready""#)
            try desk.plug(false)
            lines += try desk.client.lines(through: #""event":"disconnect""#)
            let events = lines.filter { $0.hasPrefix(#"{"event":"#) }
            let words = Set(
                JackWords.of(events).compactMap { $0.split(separator: " ").first.map(String.init) })
            #expect(
                words.isSuperset(of: [
                    "connect", "prompt", "activate", "ready", "swipe", "unready", "deactivate", "disconnect",
                ]))
            let name = #""reader":"\#(JackedDaemon.reader)","attachment":\#(attachment),"#
            for line in events { #expect(line.contains(name), "\(line)") }
        }
        #expect(desk.daemon.terminate().status == 0)
    }

    /// `removeDelegate:`: who unsubscribes hears nothing more, and others still do.
    @Test func whoUnsubscribesHearsNothing() throws {
        let desk = try JackedDaemon("type = passive\n")
        let other = try desk.daemon.connect()
        other.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try other.line()
        try desk.plug(true)
        for client in [desk.client, other] { _ = try client.lines(through: #""event":"ready""#) }
        other.send(#"{"id":2,"method":"unsubscribe"}"#)
        #expect(try other.line() == #"{"id":2,"result":{}}"#)
        try desk.plug(false)
        #expect(try desk.events(through: #""event":"disconnect""#) == JackedDaemon.wayOut)
        // Behind everything that was published until now.
        other.send(#"{"id":3,"method":"barrier"}"#)
        #expect(try other.line() == #"{"id":3,"result":{}}"#)
        #expect(desk.daemon.terminate().status == 0)
    }

    /// The MagnePrint, its status and the key's serial number reach a client that may see whole cards.
    @Test(arguments: [true, false]) func theMagnePrintReachesAClient(seesAll: Bool) throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\nfull = \(seesAll ? "*" : "")\n[virtual-hid till]\nsource = {}/reports\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        let pipe = daemon.makePipe("reports")
        _ = try client.lines(through: #""event":"ready""#)
        let vector = BuiltProgram.root.appending(
            path: "Tests/Vectors/MagTek/generated/v5_hid887_datavariant.hex")
        let text = try String(contentsOf: vector, encoding: .utf8).split(separator: "\n").filter {
            $0.first != "#"
        }
        try writePipe(pipe, Array((text.joined() + "\n").utf8))
        let line = try client.lines(through: #""event":"swipe","#).last ?? ""
        #expect(line.contains(#""ksn":"FFFF9876543210E00008""#))
        let print = line.firstMatch(of: /"magneprint":{"status":1441,"ciphertext":"([0-9A-F]+)"/)
        #expect(print?.1.count == (seesAll ? 112 : nil))
        #expect(daemon.terminate().status == 0)
    }

    /// A sound output that mixes both channels into one: the tone's channels cancel each other, and nothing answers. The
    /// same reader answers once the output is stereo.
    @Test func whatIsMixedToMonoPowersNothing() throws {
        let profile = AcousticProfile.uniMagProfiles[0]
        let desk = try JackedDaemon(
            """
            type = unimag
            activate_without_prompting = yes
            initializing_message =
            timeout_message =
            profile = \(profile.name)
            """ + "\n")
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        jack.mixToMono(true)
        try desk.plug(true)
        #expect(try desk.events(through: #""event":"activate""#) == ["connect", "activate timeout"])
        #expect(!jack.isPoweredUp && jack.commands.isEmpty)
        jack.mixToMono(false)
        let (events, _) = try desk.ask("activate")
        #expect(try desk.events(events, to: "ready").suffix(2) == ["activate success", "ready"])
        #expect(desk.daemon.terminate().status == 0)
    }

    /// On an output that mixes to mono, a profile whose channels are alike powers the reader.
    @Test func channelsThatAreAlikeOutlastAMonoOutput() throws {
        let like = AcousticProfile.uniMagProfiles[0].name
        let desk = try JackedDaemon(
            """
            type = unimag
            activate_without_prompting = yes
            initializing_message =
            profile_file = {}/own
            profile = alike
            """ + "\n", files: ["own": "[profile alike]\nlike = \(like)\nchannels = both\n"])
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        jack.mixToMono(true)
        try desk.plug(true)
        let events = try desk.events(through: #""event":"ready""#)
        #expect(events.suffix(2) == ["activate success", "ready"], "\(events)")
        #expect(desk.daemon.terminate().status == 0)
    }
}
