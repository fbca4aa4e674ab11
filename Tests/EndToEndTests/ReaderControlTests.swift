import Foundation
import Testing

/// The commands of swipectl that control one reader, and the words that name it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ReaderControlTests {
    private static let swipectl = SwipectlRuns.swipectl

    private func run(_ words: [String], _ daemon: DaemonUnderTest) throws -> FinishedProgram {
        try FinishedProgram([Self.swipectl] + words + ["--socket", daemon.socket])
    }

    // MARK: Names

    /// Two readers on virtual ports: the name of one is the beginning of nothing else.
    private func named() throws -> (daemon: DaemonUnderTest, observer: LineClient) {
        let daemon = try DaemonUnderTest(
            """
            [access]
            masked = *
            [reader counter]
            port = virtual
            [virtual-hid till]
            source = {}/reports

            """, arguments: ["--allow-simulate"])
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        return (daemon, observer)
    }

    @Test(arguments: ["virtual-till", "virt", "counter", "cou"])
    func anIdANameAndABeginningNameAReader(word: String) throws {
        let (daemon, observer) = try named()
        let all = try run(["readers"], daemon).output
        #expect(all.contains(/READER +NAME +STATE.*\nvirtual-till +counter +ready/))
        #expect(
            try run(["readers", word, "--json"], daemon).output.hasPrefix(
                #"{"id":"virtual-till","name":"counter","#))
        #expect(try run(["readers", word], daemon).output.contains(/\nname +counter\n/))
        #expect(try run(["stats", word], daemon).output.hasPrefix("virtual-till\n"))
        #expect(try run(["property", word], daemon).output.contains("interface_type"))
        let watch = try observer.waitForRequests(2) {
            try RunningProgram([
                Self.swipectl, "watch", "--reader", word, "--json", "--socket", daemon.socket,
            ])
        }
        let claim = try observer.waitForRequests(1) {
            try RunningProgram([Self.swipectl, "claim", word, "--socket", daemon.socket])
        }
        #expect(try run(["simulate", word, "swipe"], daemon).status == 0)
        #expect(watch.firstLine().contains(#""reader":"virtual-till""#))
        withExtendedLifetime(claim) {}
    }

    @Test func aNameMovesWithAReload() throws {
        let (daemon, observer) = try named()
        try daemon.configure(
            "[access]\nmasked = *\nadmin = *\n[reader office]\nport = virtual\n[virtual-hid till]\nsource = {}/reports\n"
        )
        kill(daemon.process.processIdentifier, SIGHUP)
        _ = try observer.lines(through: #""reason":"configuration""#)
        #expect(
            try observer.lines(through: #""event":"connect""#).last?.contains(#""name":"office""#) == true)
        #expect(try run(["readers", "counter"], daemon).status == 4)
    }

    @Test func whatCanBeSeveralReadersIsToldWithThem() throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\n"
                + ["till-1", "till-2", "till"].map { "[virtual-hid \($0)]\nsource = {}/\($0)\n" }.joined())
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        for name in ["till-1", "till-2", "till"] {
            _ = daemon.makePipe(name)
            _ = try observer.lines(through: #""event":"ready""#)
        }
        for words in [
            ["readers", "virt"], ["stats", "virtual-till-"], ["watch", "--reader", "v"],
            ["activate", "virtual-till-"],
        ] {
            let refused = try run(words, daemon)
            #expect(refused.status == 4)
            #expect(refused.errors.contains("can be several readers: virtual-till"), "\(refused.errors)")
            #expect(refused.errors.contains("virtual-till-1, virtual-till-2"))
        }
        // A whole id is not the beginning of others.
        #expect(
            try run(["readers", "virtual-till", "--json"], daemon).output.contains(#""id":"virtual-till","#))
        // Nor is the name of its section.
        for name in ["till", "till-2"] {
            let shown = try run(["readers", name, "--json"], daemon).output
            #expect(shown.contains(#""id":"virtual-\#(name)","#))
        }
        #expect(try run(["get", ""], daemon).status == 4)
        #expect(
            try run(["readers", "nope"], daemon).errors.contains(
                "no reader 'nope'; attached: virtual-till, virtual-till-1"))
    }

    // MARK: Control

    /// What needs a claim makes one where the user is no administrator, and gives it back.
    @Test(arguments: [
        ["activate"], ["deactivate"], ["request"], ["request", "--seconds", "5"], ["cancel"],
        ["cancel", "--activation"], ["test"], ["autodetect"],
    ])
    func whatAReaderCannotDoIsAnErrorAndTheClaimIsGivenBack(words: [String]) throws {
        let (daemon, observer) = try named()
        let isRoot = getuid() == 0
        let refused = try run([words[0], "counter"] + words.dropFirst(), daemon)
        #expect(refused.status == 1)
        #expect(!refused.errors.isEmpty && refused.output.isEmpty)
        // For root, who is an administrator, it makes none.
        if !isRoot { _ = try observer.lines(through: #""event":"claim_released""#) }
        observer.send(#"{"id":"c","method":"claim","params":{"reader":"virtual-till"}}"#)
        #expect(try observer.lines(through: #""id":"c""#).last?.contains(#""token""#) == true)
    }

    @Test func aClaimOfAnothersIsAskedForWhereThatIsWanted() throws {
        let daemon = try DaemonUnderTest(
            "[access]\nmasked = *\nadmin =\n[virtual-hid till]\nsource = {}/reports\n")
        let holder = try daemon.connect()
        holder.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try holder.line()
        _ = daemon.makePipe("reports")
        _ = try holder.lines(through: #""event":"ready""#)
        holder.send(#"{"id":2,"method":"claim","params":{"reader":"virtual-till"}}"#)
        _ = try holder.lines(through: #"{"id":2"#)
        let busy = try run(["deactivate", "virtual-till"], daemon)
        #expect(busy.status == 1)
        #expect(busy.errors.contains("Another connection holds the reader"))
        // The holder says nothing for a second and loses it: then the reader itself refuses.
        let asked = try run(["deactivate", "virtual-till", "--ask"], daemon)
        #expect(asked.status == 1)
        #expect(!asked.errors.contains("holds the reader"))
        _ = try holder.lines(through: #""event":"claim_requested""#)
    }

    @Test(arguments: [
        ["request", "x", "--seconds", "2"], ["set", "x"], ["set", "x", "volume_to_max"],
        ["set", "x", "volume_to_max=loud"], ["set", "x", "swipe_timeout_s=21"], ["set", "x", "type=ips"],
        ["reader-type", "x", "teletype"], ["answer", "x"],
    ])
    func wrongUseIsToldBeforeAnythingIsAsked(words: [String]) throws {
        let refused = try FinishedProgram([Self.swipectl] + words + ["--socket", "/nonexistent/s"])
        #expect(refused.status == 2, "\(refused.errors)")
    }

    @Test(arguments: [
        ["activate", "x"], ["set", "x", "volume_to_max=no"], ["answer", "x", "ok"],
        ["reader-type", "x", "ips"],
    ])
    func withoutADaemonTheStatusIsThree(words: [String]) throws {
        #expect(try FinishedProgram([Self.swipectl] + words + ["--socket", "/nonexistent/s"]).status == 3)
    }
}
