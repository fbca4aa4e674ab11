import Foundation
import ReaderTesting
import Testing

/// swipectl as people and scripts run it, against the built daemon.
@Suite(.serialized) struct SwipeCtlTests {
    static let configuration = "[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n"
    static let swipectl = BuiltProgram.path("swipectl").path

    @Test(arguments: [
        (["status"], 3), (["watch"], 3), (["readers", "--json"], 3), (["bogus"], 2),
        (["watch", "--count", "0"], 2),
        (["watch", "--event", "bogus"], 2), (["--version"], 0), (["--help"], 0),
    ])
    func exitStatusWithoutDaemon(arguments: [String], status: Int) throws {
        let environment = ["SWIPED_SOCKET": "/nonexistent/swiped.sock"]
        let ended = try FinishedProgram([Self.swipectl] + arguments, environment: environment)
        #expect(Int(ended.status) == status)
        #expect(ended.output.isEmpty == (status != 0))
        if status == 3 { #expect(ended.errors.contains("systemctl start swiped.socket")) }
    }

    @Test func statusSaysWhoAndWhat() throws {
        let daemon = try DaemonUnderTest(Self.configuration)
        let observer = try plugIn(daemon)
        let status = try run(["status"], daemon)
        #expect(status.status == 0)
        #expect(status.output.contains(/daemon +swiped [0-9.]+ \(swipe\/1\)\n/))
        #expect(status.output.contains(/READER +STATE +ENCRYPTION +BUS +MODEL\n/))
        #expect(status.output.contains(/virtual-till +ready +.*\(simulated\)\n/))
        #expect(!status.output.contains("\u{1B}"), "colours in a pipe")
        let json = try run(["status", "--json"], daemon)
        #expect(
            json.output.hasPrefix(#"{"socket":""#)
                && json.output.contains(#""readers":[{"id":"virtual-till""#))
        withExtendedLifetime(observer) {}
    }

    /// A section whose sound card is not there is told: otherwise it looks like one that works and hears nothing.
    @Test func statusTellsOfACardThatIsNotThere() throws {
        let section = "[audio-reader counter]\ndevice = hw:CARD=Absent\n"
        let daemon = try DaemonUnderTest(Self.configuration + section)
        let observer = try plugIn(daemon)
        // The list is known when the first look at all devices is through.
        var line = ""
        while !line.contains("unused_inputs") {
            observer.send(#"{"id":"in","method":"readers"}"#)
            line = try observer.lines(through: #"{"id":"in","#).last ?? ""
        }
        let why = "no such sound card with an input is there; arecord -l lists them"
        let status = try run(["status"], daemon)
        #expect(
            status.output.contains("[audio-reader counter]  hw:CARD=Absent  \(why)\n"), "\(status.output)")
        #expect(
            try run(["status", "--json"], daemon).output.contains(
                #""unused_inputs":[{"section":"audio-reader counter","device":"hw:CARD=Absent","why":"\#(why)"}]"#
            ))
        // No longer where the configuration has no such section any more.
        try daemon.configure(Self.configuration)
        #expect(try run(["reload"], daemon).status == 0)
        #expect(try run(["status", "--json"], daemon).output.contains(#""unused_inputs":[]"#))
        withExtendedLifetime(observer) {}
    }

    @Test func readersTellsAllAboutOne() throws {
        let daemon = try DaemonUnderTest(Self.configuration)
        #expect(try run(["readers"], daemon).output == "No reader is attached.\n")
        let observer = try plugIn(daemon)
        #expect(try run(["readers", "virtual-till"], daemon).output.contains(/attachment +1\n/))
        #expect(
            try run(["readers", "--json"], daemon).output.hasPrefix(#"{"id":"virtual-till","kind":"magtek""#))
        for arguments in [["readers", "nope"], ["watch", "--reader", "nope"]] {
            let refused = try run(arguments, daemon)
            #expect(refused.status == 4)
            #expect(refused.errors == "swipectl: no reader 'nope'; attached: virtual-till\n")
        }
        withExtendedLifetime(observer) {}
    }

    @Test func theDeniedAreToldWhy() throws {
        let daemon = try DaemonUnderTest("[access]\nstatus =\nmasked =\nadmin =\n")
        _ = try? daemon.connect()
        let denied = try run(["status"], daemon)
        #expect(denied.status == 5)
        #expect(denied.errors.contains("swiped.conf, [access]"))
    }

    @Test func watchShowsTheLinesAsTheyCome() throws {
        let daemon = try DaemonUnderTest(Self.configuration)
        let observer = try plugIn(daemon)
        try writePipe(daemon.folder.appending(path: "reports").path, try VirtualSwipes.publishedReport())
        _ = try observer.lines(through: #""event":"swipe""#)
        // Swipes are never kept: what is left are the changes of state, then the word that something is missing.
        let kept = try run(["watch", "--json", "--kept", "--reader", "virtual-till", "--count", "3"], daemon)
        let states = observer.received.filter { $0.contains(/"seq":[123],/) }
        #expect(kept.output == states.map { $0 + "\n" }.joined())
        try LineClient.check(printed: kept.output)
    }

    @Test func watchShowsPeopleOneLineAnEvent() throws {
        let daemon = try DaemonUnderTest(Self.configuration)
        let observer = try plugIn(daemon)
        let watch = try run(["watch", "--kept", "--count", "3"], daemon, ["TZ": "UTC"])
        let lines = watch.output.replacing(/(?m)^[0-9:]{8}\.[0-9]{3}/, with: "TIME").split(separator: "\n")
        #expect(
            lines.map(String.init) == [
                "TIME  virtual-till        connect      "
                    + "MagneSafe V5 swipe (Dynamag, DynaPAD, Flash, BulleT), usb, encryption unknown, simulated",
                "TIME  virtual-till        activate     success",
                "TIME  virtual-till        ready        swipe a card",
            ])
        withExtendedLifetime(observer) {}
    }

    /// An event without a sentence of its own shows its members.
    @Test func watchShowsAnEventByItsMembers() throws {
        let daemon = try DaemonUnderTest(Self.configuration)
        let observer = try plugIn(daemon)
        unlink(daemon.folder.appending(path: "reports").path)
        _ = try observer.lines(through: #""event":"disconnect""#)
        let watch = try run(["watch", "--kept", "--count", "6"], daemon, ["TZ": "UTC"])
        let lines = watch.output.replacing(/(?m)^[0-9:]{8}\.[0-9]{3}/, with: "TIME").split(separator: "\n")
        #expect(
            lines.suffix(3).map(String.init) == [
                "TIME  virtual-till        unready      disconnected",
                "TIME  virtual-till        deactivate   disconnected",
                "TIME  virtual-till        disconnect   unplugged",
            ])
    }

    /// What a person sees of hostile cards, and what a program in the view `masked` gets: no digits of a card.
    @Test(arguments: [("masked", false), ("masked", true), ("full", false)])
    func watchShowsNoDigitsOfHostileCards(view: String, isJSON: Bool) throws {
        let daemon = try DaemonUnderTest(
            "[access]\n\(view) = *\n[virtual-hid till]\ndevice = 0801:0002\nsource = {}/reports\n")
        let observer = try plugIn(daemon)
        var random = SeededGenerator(state: 9)
        var cards: [HostileCard] = []
        while cards.count < 60 {
            if let card = HostileCard(using: &random), !card.secrets.isEmpty { cards.append(card) }
        }
        let words = [Self.swipectl, "watch", "--event", "swipe", "--count", "\(cards.count)"]
        let watch = try observer.waitForRequests {
            try RunningProgram(words + ["--socket", daemon.socket] + (isJSON ? ["--json"] : []))
        }
        for card in cards {
            var report: [UInt8] = [0, 0, 0] + card.texts.map { UInt8($0.utf8.count) } + [0]
            for text in card.texts {
                report += Array(text.utf8) + Array(repeating: 0, count: 110 - text.utf8.count)
            }
            let line = report.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n"
            try writePipe(daemon.folder.appending(path: "reports").path, Array(line.utf8))
            _ = try observer.lines(through: #""event":"swipe""#)
            let shown = watch.firstLine()
            // Its time of day, or the line's own figures, are none of the card's.
            let text = shown.replacing(/^[0-9:]+\.[0-9]+|"(time|mono_ns)":"?[^,]+/, with: "")
            #expect(text.contains("virtual-till") && card.leaks(in: text).isEmpty, "\(card.deed): \(shown)")
        }
        #expect(watch.status() == 0)
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func completesCommands(shell: String) throws {
        let script = try FinishedProgram([Self.swipectl, "--generate-completion-script", shell])
        #expect(script.status == 0)
        for command in ["status", "watch", "readers", "decode"] { #expect(script.output.contains(command)) }
        // Words of the protocol: an event, a level.
        for word in ["swipe_untaken", "critical"] { #expect(script.output.contains(word)) }
    }

    /// Plugs the virtual reader in; returns when it is ready.
    private func plugIn(_ daemon: DaemonUnderTest) throws -> LineClient {
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        return observer
    }

    private func run(
        _ arguments: [String], _ daemon: DaemonUnderTest, _ environment: [String: String] = [:]
    ) throws -> FinishedProgram {
        // A daemon that has only just been started does not listen yet.
        _ = try? daemon.connect()
        return try FinishedProgram(
            [Self.swipectl] + arguments + ["--socket", daemon.socket], environment: environment)
    }
}
