import AudioReaders
import Foundation
import JackBench
import ReaderKit
import ReaderTesting
import Testing

/// What a client sets, what is in force then, and what a reload leaves of it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SettingsTests {
    private static let settings =
        "type = unimag\nactivate_without_prompting = yes\ninitializing_message =\nswipe_timeout_s = 9\n"

    /// What `get` tells of a setting, as it stands in the line.
    private func get(_ desk: JackedDaemon, _ name: String) throws -> String {
        let answer = try desk.ask("get").answer
        let found = try #require(answer.firstMatch(of: try Regex("\"\(name)\":(\\{[^}]*\\})")))
        return String(answer[try #require(found[1].range)])
    }

    /// A value that was set, and the same setting as the file has it.
    static let changes = [
        ("always_accept_swipe", "false", "true"), ("activate_on_attach", "false", "true"),
        ("volume_to_max", "false", "true"), ("activate_without_prompting", "false", "true"),
        ("swipe_timeout_s", "5", "9"),
    ]

    @Test("is in force until the configuration is loaded anew", arguments: [true, false])
    func untilTheReload(isHangup: Bool) throws {
        let desk = try JackedDaemon(Self.settings)
        _ = try desk.input(saying: "nothing is in the jack")
        for (name, changed, configured) in Self.changes {
            #expect(try get(desk, name) == #"{"value":\#(configured),"source":"configuration"}"#)
            // Each alone is something to set.
            #expect(try desk.ask("set", #","\#(name)":\#(changed)"#).answer.hasSuffix(#""result":{}}"#))
            #expect(try get(desk, name) == #"{"value":\#(changed),"source":"set"}"#)
        }
        #expect(try desk.ask("set_audio_reader", #","type":"ips""#).answer.contains(#""result""#))
        #expect(try get(desk, "type") == #"{"value":"ips","source":"set"}"#)
        try reload(desk, isHangup: isHangup)
        #expect(try get(desk, "type") == #"{"value":"unimag","source":"configuration"}"#)
        for (name, _, configured) in Self.changes {
            #expect(try get(desk, name) == #"{"value":\#(configured),"source":"configuration"}"#)
        }
        #expect(try get(desk, "prompt_timeout_s") == #"{"value":30,"source":"configuration"}"#)
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Returns when the daemon has loaded its configuration, which has not changed.
    private func reload(_ desk: JackedDaemon, isHangup: Bool) throws {
        if isHangup {
            kill(desk.daemon.process.processIdentifier, SIGHUP)
            while !desk.daemon.logged.contains("daemon.reload") { sched_yield() }
        } else {
            desk.client.send(#"{"id":"r","method":"reload"}"#)
            _ = try desk.client.lines(through: #""id":"r""#)
        }
    }

    /// The driver at work goes by it at once, and a claim stays.
    @Test func theDriverAtWorkIsTold() throws {
        let desk = try JackedDaemon(Self.settings.replacing("= 9", with: "= 3"))
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        try desk.claim()
        try desk.ask("set", #","always_accept_swipe":false"#)
        // The request that was running ends as it began; the next is the claimant's own.
        _ = try desk.events(through: #""reason":"timeout""#)
        #expect(try desk.ask("request_swipe").answer.contains(#""result""#))
        _ = try desk.events(through: #""reason":"timeout""#)
        desk.client.send(#"{"id":"r","method":"reload"}"#)
        let lines = try desk.client.lines(through: #""event":"ready""#)
        #expect(lines.contains { $0.contains(#""id":"r","result""#) })
        #expect(try desk.ask("request_swipe").answer.contains("reader.automatic"))
        #expect(try desk.input(saying: "claimed_by").contains(#""state":"ready""#))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Another kind of reader that a client named gives way to the configured one, in the jack.
    @Test func theConfiguredKindComesBack() throws {
        let desk = try JackedDaemon(Self.settings)
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"ready""#)
        let (events, _) = try desk.ask("set_audio_reader", #","type":"passive""#)
        _ = try desk.events(events, to: "ready")
        desk.client.send(#"{"id":"r","method":"reload"}"#)
        let words = JackWords.of(try desk.client.lines(through: #""event":"ready""#))
        #expect(words.first == "unready deactivated" && words.contains("update unimag"), "\(words)")
        #expect(desk.daemon.terminate().status == 0)
    }

    /// What a search found is what `autodetect` means: a reload plays no tones that nobody expects.
    @Test func whatASearchFoundHoldsOverAReload() throws {
        let desk = try JackedDaemon("type = autodetect\n")
        let jack = desk.insert(.battery(.ipsEnterprise))
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"autodetect_complete""#)
        _ = try desk.input(saying: #""type":"ips_enterprise""#)
        #expect(try get(desk, "type") == #"{"value":"ips_enterprise","source":"found"}"#)
        let (events, _) = try desk.ask("set_audio_reader", #","type":"passive""#)
        _ = try desk.events(events, to: "ready")
        desk.client.send(#"{"id":"r","method":"reload"}"#)
        let words = JackWords.of(try desk.client.lines(through: #""event":"ready""#))
        #expect(words.contains("update ips_enterprise") && !words.contains("autodetect_start"), "\(words)")
        #expect(desk.daemon.terminate().status == 0)
    }

    @Test func swipectlShowsWhatIsInForce() throws {
        let desk = try JackedDaemon(Self.settings, more: "[virtual-hid till]\nsource = {}/reports\n")
        _ = try desk.input(saying: "nothing is in the jack")
        try desk.ask("set", #","volume_to_max":false"#)
        let swipectl = [BuiltProgram.path("swipectl").path, "get", "--socket", desk.daemon.socket]
        let shown = try FinishedProgram(swipectl + [JackedDaemon.reader])
        #expect(shown.status == 0)
        #expect(shown.output.contains(/type +unimag +configuration\n/))
        #expect(shown.output.contains(/volume_to_max +no +set\n/))
        #expect(shown.output.contains(/swipe_timeout_s +9 +configuration\n/))
        let json = try FinishedProgram(swipectl + ["--json", JackedDaemon.reader])
        #expect(json.output.hasPrefix(#"{"type":{"value":"unimag","source":"configuration"}"#))
        #expect(try FinishedProgram(swipectl + ["nope"]).status == 4)
        let script = """
            import sys
            sys.path.insert(0, "clients/python")
            from swiped import Client
            with Client(sys.argv[1]) as client: print(client.settings("virtual-desk")["type"])
            """
        let python = try FinishedProgram(["python3", "-B", "-c", script, desk.daemon.socket])
        #expect(python.output == "{'value': 'unimag', 'source': 'configuration'}\n", "\(python.errors)")
        _ = desk.daemon.makePipe("reports")
        _ = try desk.events(through: #""event":"ready""#)
        let refused = try FinishedProgram(swipectl + ["virtual-till"])
        #expect(refused.status == 1 && refused.errors.contains("only what is at a sound input has settings"))
        #expect(desk.daemon.terminate().status == 0)
    }

    /// Everybody who may look at readers may look at this, without a claim.
    @Test func theRoleStatusIsEnough() throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked =\nstatus = *\nadmin =\n[virtual-audio desk]\nsource = {}/sound\n")
        let client = try daemon.connect()
        client.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try client.line()
        _ = daemon.makePipe("sound")
        _ = try client.lines(through: #""event":"ready""#)
        client.send(#"{"id":2,"method":"get","params":{"reader":"virtual-desk"}}"#)
        #expect(
            try client.lines(through: #""id":2"#).last?.contains(#""settings":{"type":{"value":"passive""#)
                == true)
    }

    /// The question that is open, or about to be asked: a request to power up is the answer yes.
    @Test(arguments: ["connect", "prompt"]) func toPowerUpIsToSayYes(after event: String) throws {
        let desk = try JackedDaemon("type = unimag\ninitializing_message =\n")
        let jack = desk.insertUniMag()
        defer { jack.stop() }
        try desk.plug(true)
        _ = try desk.events(through: #""event":"\#(event)""#)
        let (events, answer) = try desk.ask("activate")
        #expect(answer.contains(#""result":{}"#), "\(answer)")
        let words = try desk.events(events, to: "ready")
        // The question may have been asked in the moment between; then it is answered.
        #expect(words.contains("activate success") && !words.contains("activate declined"), "\(words)")
        if event == "prompt" { #expect(words.first == "prompt_closed answered") }
        #expect(desk.daemon.terminate().status == 0)
    }
}
