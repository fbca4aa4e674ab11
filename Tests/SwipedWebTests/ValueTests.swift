import Glibc
import ServiceSupport
import SwipeProtocol
import Testing

@testable import SwipedWeb

/// The values that decide, without a socket.
@Suite struct OriginTests {
    @Test(arguments: [
        "http://localhost:817", "https://till.example", "https://till.example:8443", "http://127.0.0.1:8080",
        "http://[::1]:3000", "https://a-b.c_d.example",
    ]) func isAnOrigin(_ text: String) { #expect(WebOrigin(text)?.description == text) }

    @Test(arguments: [
        "null", "", "*", "https://*.example", "https://till.example/", "https://till.example/x",
        "https://Till.example",
        "https://user@till.example", "https://till.example:443", "http://till.example:80",
        "https://till.example:",
        "https://till.example:0", "https://till.example:08443", "https://till.example:65536",
        "ftp://till.example",
        "till.example", "https://", "https://till.example ", "https://till.example, https://b.example",
        "https://.example", "https://[::1", "https://[::1]x", "https://[]", "file://", "https://tïll.example",
    ]) func isNone(_ text: String) { #expect(WebOrigin(text) == nil) }

    @Test func ownNamesAreExact() {
        let own = OwnHosts(port: 817, isTLS: false)
        #expect(own.hosts == ["localhost:817", "127.0.0.1:817", "[::1]:817"])
        #expect(
            own.origins.map(\.description).sorted() == [
                "http://127.0.0.1:817", "http://[::1]:817", "http://localhost:817",
            ])
        #expect(OwnHosts(port: 443, isTLS: true).hosts == ["localhost", "127.0.0.1", "[::1]"])
    }
}

@Suite struct PairingDeskTests {
    private static let till = WebOrigin("https://till.example")
    private static let second: UInt64 = 1_000_000_000

    @Test func aTokenIsGivenOnce() throws {
        let till = try #require(Self.till)
        var desk = PairingDesk()
        let asked = try desk.ask(till, at: 0)
        #expect(try desk.collect(asked.ticket, by: till, at: 1) == .wait)
        #expect(try desk.confirm(asked.code, isOperator: false, at: 2) { _ in false } == till)
        #expect(try desk.collect(asked.ticket, by: till, at: 3) == .give(isOperator: false))
        #expect(throws: Refusal.pairingUsed) { try desk.collect(asked.ticket, by: till, at: 4) }
        #expect(throws: PairingDesk.Fault.unknownCode) {
            try desk.confirm(asked.code, isOperator: false, at: 5) { _ in false }
        }
    }

    @Test func aTicketIsOfItsOriginAndItsTime() throws {
        let (till, other) = (try #require(Self.till), try #require(WebOrigin("https://other.example")))
        var desk = PairingDesk()
        let asked = try desk.ask(till, at: 0)
        #expect(throws: Refusal.pairingOfAnotherOrigin) { try desk.collect(asked.ticket, by: other, at: 1) }
        let late = 121 * Self.second
        #expect(throws: PairingDesk.Fault.unknownCode) {
            try desk.confirm(asked.code, isOperator: false, at: late) { _ in false }
        }
        #expect(throws: Refusal.pairingExpired) { try desk.collect(asked.ticket, by: till, at: late) }
    }

    @Test func guessesRunOut() throws {
        let till = try #require(Self.till)
        var desk = PairingDesk()
        let asked = try desk.ask(till, at: 0)
        for _ in 0..<PairingDesk.wrongPerMinute {
            #expect(throws: Refusal.pairingUnknown) { try desk.collect("guess", by: till, at: 0) }
            #expect(throws: PairingDesk.Fault.unknownCode) {
                try desk.confirm("no", isOperator: false, at: 0) { _ in false }
            }
        }
        #expect(throws: Refusal.pairingTooOften) { try desk.collect("guess", by: till, at: 0) }
        #expect(throws: PairingDesk.Fault.tooOften) {
            try desk.confirm(asked.code, isOperator: false, at: 0) { _ in false }
        }
        // Who guesses does not keep the page from its own ticket, and time heals.
        #expect(try desk.collect(asked.ticket, by: till, at: 0) == .wait)
        #expect(try desk.confirm(asked.code, isOperator: false, at: 60 * Self.second) { _ in false } == till)
    }

    @Test func onlyAFewWait() throws {
        let till = try #require(Self.till)
        var desk = PairingDesk()
        let asked = try (0...PairingDesk.maximumOfAnOrigin).map { _ in try desk.ask(till, at: 0) }
        // The first one made room for the last.
        #expect(desk.waiting(at: 0).map(\.code) == asked.dropFirst().map(\.code))
        #expect(throws: Refusal.pairingUnknown) { try desk.collect(asked[0].ticket, by: till, at: 0) }
        for number in desk.waiting(at: 0).count..<PairingDesk.maximum {
            _ = try desk.ask(#require(WebOrigin("https://till\(number).example")), at: 0)
        }
        let other = try #require(WebOrigin("https://other.example"))
        #expect(throws: Refusal.pairingTooMany) { try desk.ask(other, at: 0) }
    }

    @Test func onlyOwnPagesAreOperators() throws {
        let till = try #require(Self.till)
        var desk = PairingDesk()
        let asked = try desk.ask(till, at: 0)
        #expect(throws: PairingDesk.Fault.notOfOurs(till)) {
            try desk.confirm(asked.code, isOperator: true, at: 0) { _ in false }
        }
        #expect(try desk.confirm(asked.code, isOperator: true, at: 0) { _ in true } == till)
        #expect(try desk.collect(asked.ticket, by: till, at: 0) == .give(isOperator: true))
    }
}

@Suite struct TokenStoreTests {
    @Test func keepsHashesAndKnowsTokensAgain() throws {
        let till = try #require(WebOrigin("https://till.example"))
        var store = TokenStore()
        let issued = store.issue(to: till, isOperator: false, at: 7)
        let (token, entry, _) = try #require(issued)
        let secret = try #require(token.split(separator: ".").last)
        #expect(!store.text.contains(secret))
        var again = TokenStore()
        #expect(again.read(store.text) == nil)
        #expect(try again.check(token, at: 0) == entry)
        #expect(throws: Refusal.tokenUnknown) { try again.check(entry.id + ".wrong", at: 0) }
        #expect(throws: Refusal.tokenUnknown) { try again.check("", at: 0) }
        #expect(again.revoke(entry.id) == entry)
        #expect(throws: Refusal.tokenUnknown) { try again.check(token, at: 0) }
    }

    @Test func theOldestGoes() throws {
        let till = try #require(WebOrigin("https://till.example"))
        var store = TokenStore()
        let issued = (0...TokenStore.maximum).map { store.issue(to: till, isOperator: false, at: Int64($0)) }
        #expect(issued.dropLast().allSatisfy { $0 != nil && $0?.oldest == nil })
        #expect(issued.last??.oldest == issued.first??.entry)
        #expect(store.entries.count == TokenStore.maximum)
    }

    @Test func whoGuessesShutsNobodyOut() throws {
        let till = try #require(WebOrigin("https://till.example"))
        var store = TokenStore()
        let issued = store.issue(to: till, isOperator: false, at: 7)
        let (token, _, _) = try #require(issued)
        for _ in 0..<TokenStore.wrongPerMinute { _ = try? store.check("guessed1.secret", at: 0) }
        #expect(throws: Refusal.tokenTooOften) { try store.check("guessed1.secret", at: 0) }
        #expect(try store.check(token, at: 0).origin == till)

        // Nor who knows the id, which logs name.
        let named = token.prefix { $0 != "." } + ".secret"
        for _ in 0..<TokenStore.wrongPerMinute { _ = try? store.check(String(named), at: 0) }
        #expect(throws: Refusal.tokenTooOften) { try store.check(String(named), at: 0) }
        #expect(try store.check(token, at: 0).origin == till)
    }

    @Test(arguments: ["{}", "x", #"{"id":"a","origin":"null","operator":true,"made_at":1,"hash":"h"}"#])
    func refusesALineThatIsNone(_ line: String) {
        var store = TokenStore()
        #expect(store.read("\n" + line + "\n") == 1)
    }
}

@Suite struct WebConfigurationTests {
    @Test func saysWhoMayDoWhat() throws {
        let read = try WebConfiguration(
            """
            [server]
            max_pages = 1000
            [origin https://till.example]
            role = masked
            [origin https://old.example:8443]
            role = full
            pairing = no
            [live]
            role = status
            """)
        let till = try #require(WebOrigin("https://till.example"))
        let old = try #require(WebOrigin("https://old.example:8443"))
        #expect(read.maximumPages == 1_000)
        #expect(read.origins[till] == Doorkeeper.Rule(role: .masked, needsPairing: true))
        #expect(read.origins[old] == Doorkeeper.Rule(role: .full, needsPairing: false))
        #expect(read.live.role == .status)
        #expect(read.warnings.count == 2)
        #expect(try WebConfiguration("").warnings.isEmpty)
    }

    @Test(arguments: [
        ("[origin https://till.example/]\nrole = full\n", "f:1:"),
        ("[origin *]\nrole = masked\n", "f:1:"),
        ("[origin https://a.example]\nrole = admin\n", "f:2: role:"),
        ("[server]\nmax_pages = 0\n", "f:2:"),
        ("[live]\npairing = maybe\n", "f:2: pairing:"), ("[servers]\nx = 1\n", "f:1: unknown section"),
        ("[server]\nlisten = 0.0.0.0\n", "f:2: unknown key 'listen'"),
        ("[tls]\nkey = /k\n", "f:2: [tls] needs both"),
        ("[server]\ndaemon = rel\n", "f:2: daemon: write a path of at most 107 bytes that begins with /"),
        ("[server]\ndaemon =\n", "f:2: daemon: write a path of at most"),
        ("[server]\nstate =\n", "f:2: state: write a path that begins with /"),
        ("[server]\nfiles = rel\n", "f:2: files: write a path that begins with /"),
        (
            "[tls]\ncertificate = c\nkey = /k\n",
            "f:2: certificate: write a path that begins with /, or nothing"
        ),
        ("[metrics]\nfile = rel\n", "f:2: file: write a path that begins with /, or nothing"),
    ]) func saysWhatIsWrong(_ text: String, _ words: String) {
        do throws(ConfigurationFault) {
            _ = try WebConfiguration(text, of: "f")
            Issue.record("\(text) is accepted")
        } catch {
            #expect(error.lines.contains { $0.hasPrefix(words) }, "\(error.lines)")
        }
    }
}

@Suite struct LoopbackSocketTests {
    /// Of several `--listen` it is one whose port is taken.
    @Test func namesTheAddressThatIsTaken() throws {
        let first = try LoopbackSocket(listeningAt: "127.0.0.1:0")
        defer { close(first.descriptor) }
        let address = "127.0.0.1:\(first.port)"
        #expect(throws: LoopbackSocket.Fault.system("cannot listen at \(address)", EADDRINUSE)) {
            try LoopbackSocket(listeningAt: address)
        }
    }
}

@Suite struct EventQueryTests {
    @Test func readsWhatAPageAsksFor() throws {
        let query = try #require(
            EventQuery("events=swipe%2Cready&readers=a%20b&since=5f0c:41", lastEvent: "5f0c:43"))
        #expect(
            query.line.text
                == #"{"id":"events","method":"subscribe","params":{"snapshot":true,"events":["swipe","ready"],"#
                + #""readers":["a b"],"since":{"instance":"5f0c","seq":43}}}"# + "\n")
    }

    @Test(arguments: ["events", "other=1", "since=1", "events=%", "events=%zz", "events=%ff"])
    func refusesWhatItCannotRead(_ query: String) { #expect(EventQuery(query, lastEvent: "") == nil) }
}
