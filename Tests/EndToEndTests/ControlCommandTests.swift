import Foundation
import Testing

/// The commands of swipectl that do something to the daemon or a reader.
@Suite(.serialized) struct ControlCommandTests {
    static let configuration = "[access]\nmasked = *\n[virtual-hid till]\nsource = {}/reports\n"

    private func start(
        _ configuration: String = Self.configuration
    ) throws -> (daemon: DaemonUnderTest, observer: LineClient) {
        let daemon = try DaemonUnderTest(configuration, arguments: ["--allow-simulate"])
        let observer = try daemon.connect()
        observer.send(#"{"id":1,"method":"subscribe"}"#)
        _ = try observer.line()
        return (daemon, observer)
    }

    private func run(_ words: [String], _ daemon: DaemonUnderTest) throws -> FinishedProgram {
        try FinishedProgram([SwipectlRuns.swipectl] + words + ["--socket", daemon.socket])
    }

    @Test func simulatesAReader() throws {
        let (daemon, observer) = try start()
        let plugged = try run(["simulate", "virtual-till", "connect"], daemon)
        #expect(plugged.output == "virtual-till is plugged in.\n")
        _ = try observer.lines(through: #""event":"ready""#)
        let swiped = try run(["simulate", "virtual-till", "swipe", "--card", "mastercard"], daemon)
        #expect(swiped.output == "The card 'mastercard' is swiped on virtual-till.\n")
        _ = try observer.lines(through: #""event":"swipe""#)
        let json = try run(["simulate", "virtual-till", "disconnect", "--json"], daemon)
        #expect(json.output == "{}\n")
        _ = try observer.lines(through: #""event":"disconnect""#)
        for (words, status): ([String], Int32) in [
            (["nope", "connect"], 4), (["virtual-till", "fly"], 2),
            (["virtual-till", "connect", "--card", "visa"], 2),
        ] {
            #expect(try run(["simulate"] + words, daemon).status == status)
        }
    }

    @Test func countsReloadsAndSetsTheLogLevel() throws {
        let (daemon, observer) = try start()
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        let stats = try run(["stats"], daemon)
        #expect(stats.output.contains(/server\n(.*\n)* +connections accepted +[0-9]+\n/))
        #expect(stats.output.contains(/\nvirtual-till\n(.*\n)* +GoodReadCount +0\n/))
        let json = try run(["stats", "--json", "virtual-till"], daemon)
        #expect(json.output.contains(#""readers":{"virtual-till":{"HoursPoweredCount":0"#))
        #expect(try run(["stats", "nope"], daemon).status == 4)

        #expect(
            try run(["log-level", "debug"], daemon).output == "The daemon logs from 'debug' on.\n")
        #expect(try run(["log-level"], daemon).output == "The daemon logs from 'debug' on.\n")
        #expect(try run(["log-level", "--json"], daemon).output == #"{"level":"debug"}"# + "\n")
        #expect(try run(["log-level", "loud"], daemon).errors.contains("notice"))
        #expect(try run(["log-level", "loud"], daemon).status == 2)
        #expect(try run(["reload"], daemon).output == "The configuration was read again.\n")
        try daemon.configure("[server]\nmax_clients = many\n")
        let refused = try run(["reload", "--json"], daemon)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("write a whole number from 1 to 65536"))
    }

    @Test func theAdministratorsCommandsAreRefusedToOthers() throws {
        let (daemon, observer) = try start("[access]\nmasked = *\nadmin =\n")
        for words in [["reload"], ["log-level", "info"], ["log-level"], ["simulate", "x", "connect"]] {
            let refused = try run(words, daemon)
            #expect(refused.status == 5)
            #expect(refused.errors.contains("needs the role admin"))
        }
        withExtendedLifetime(observer) {}
    }

    @Test func listsPropertiesAndAsksForThem() throws {
        let (daemon, observer) = try start(
            "[access]\nmasked = *\nadmin =\n[virtual-hid till]\nsource = {}/reports\n")
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        let list = try run(["property", "virtual-till"], daemon)
        #expect(list.output.contains(/interface_type +yes +0 HID, 1 keyboard/))
        #expect(!list.output.contains("host_poll_timeout"), "that is another driver's")
        let json = try run(["property", "--json", "virtual-till"], daemon)
        #expect(json.output.hasPrefix(#"{"name":"software_id","writable":false,"summary":"#))
        // A virtual reader refuses commands: the claim for the request is taken and given back all the same.
        let asked = try run(["property", "virtual-till", "software_id"], daemon)
        #expect(asked.status == 1)
        _ = try observer.lines(through: #""event":"claim_released""#)
        #expect(try run(["property", "virtual-till", "nonsense"], daemon).errors.contains("no property"))
        #expect(try run(["property", "nope"], daemon).status == 4)
        #expect(try run(["property", "nope", "software_id"], daemon).status == 4)
    }

    @Test func aClaimShowsSwipesAndEndsWithTheReader() throws {
        let (daemon, observer) = try start()
        let pipe = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        // It claims, then subscribes.
        let claim = try observer.waitForRequests(2) {
            try RunningProgram([
                SwipectlRuns.swipectl, "claim", "virtual-till", "--json", "--socket", daemon.socket,
            ])
        }
        try writePipe(pipe, try VirtualSwipes.publishedReport())
        let line = claim.firstLine()
        #expect(line.hasPrefix(#"{"event":"swipe","#))
        try LineClient.check(printed: line)
        try FileManager.default.removeItem(atPath: pipe)
        #expect(claim.status() == 4)
    }

    /// Where readers are kept for those whose connection broke, who ends orderly must not keep one.
    @Test func anEndedClaimIsGivenBack() throws {
        let (daemon, observer) = try start(
            "[server]\nswipe_hold = 300\n[access]\nfull = *\n[virtual-hid till]\nsource = {}/reports\n")
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        let claim = try observer.waitForRequests(2) {
            try RunningProgram([SwipectlRuns.swipectl, "claim", "virtual-till", "--socket", daemon.socket])
        }
        claim.stop()
        #expect(try observer.lines(through: "claim_released").last?.contains(#""why":"released""#) == true)
    }

    @Test(arguments: [false, true]) func aClaimIsLostUnlessItIsRetained(isRetained: Bool) throws {
        let (daemon, observer) = try start()
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        let claim = try observer.waitForRequests(2) {
            try RunningProgram(
                [SwipectlRuns.swipectl, "claim", "virtual-till", "--socket", daemon.socket]
                    + (isRetained ? ["--retain"] : []))
        }
        let busy = try run(["claim", "--try", "virtual-till"], daemon)
        #expect(busy.status == 1)
        #expect(busy.errors.contains("Another connection holds the reader and keeps it."))
        observer.send(#"{"id":7,"method":"claim","params":{"reader":"virtual-till"}}"#)
        let answer = try observer.lines(through: #""id":7"#).last ?? ""
        #expect(answer.contains("claim.held") == isRetained)
        if isRetained { claim.stop() } else { #expect(claim.status() == 1) }
    }

    @Test func claimsOfNobodysReader() throws {
        let (daemon, observer) = try start(
            "[access]\nmasked =\nstatus = *\nadmin =\n[virtual-hid till]\nsource = {}/reports\n")
        // Who may not claim hears that first, whether there is such a reader or not.
        #expect(try run(["claim", "nope"], daemon).status == 5)
        let open = try start().daemon
        #expect(try run(["claim", "nope"], open).status == 4)
        _ = daemon.makePipe("reports")
        _ = try observer.lines(through: #""event":"ready""#)
        #expect(try run(["claim", "virtual-till"], daemon).status == 5)
        #expect(try run(["claim", "virtual-till", "--swipes", "0"], daemon).status == 2)
    }
}
