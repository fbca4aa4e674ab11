import Foundation
import TestSupport
import Testing

/// The daemon's lines to a page and back, over both programs as they are installed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct GatewayTests {
    private static let subscribe = #"{"id":1,"method":"subscribe","params":{"snapshot":true}}"#

    @Test func carriesTheProtocol() throws {
        let gateway = try GatewayUnderTest()
        let page = try WebSocketClient(gateway)
        #expect(try page.line().hasPrefix(#"{"hello":{"protocol":"swipe/1""#))
        try page.send(Self.subscribe)
        #expect(try page.line().hasPrefix(#"{"id":1,"result":{"seq":"#))
        try gateway.simulate("connect")
        _ = try page.line(with: #""event":"ready""#)
        try page.send(#"{"id":2,"method":"claim","params":{"reader":"virtual-till"}}"#)
        #expect(try page.line(with: #""id":2"#).contains(#""token":"#))
        try gateway.simulate("swipe")
        let swipe = try page.line(with: #""event":"swipe""#)
        #expect(swipe.contains("476173******0011") && !swipe.contains(#""number""#))
        // Another tab of the same page: one claim.
        let second = try WebSocketClient(gateway)
        _ = try second.line()
        try second.send(#"{"id":3,"method":"claim","params":{"reader":"virtual-till","mode":"try"}}"#)
        #expect(try second.line(with: #""id":3"#).contains("claim.held"))
    }

    /// The gateway's own user may do everything here, and its pages no more than the configuration says.
    @Test func theRoleIsTheOrigins() throws {
        let gateway = try GatewayUnderTest()
        #expect(gateway.logged.contains("pages of https://full.example see cards in full"))
        for (origin, roles, shows) in [
            (GatewayUnderTest.open, #"["status","masked"]"#, false),
            ("https://full.example", #"["status","masked","full"]"#, true),
        ] {
            let page = try WebSocketClient(gateway, origin: origin)
            #expect(try page.line().contains(#""roles":\#(roles)"#))
            try page.send(#"{"id":1,"method":"narrow","params":{"role":"admin"}}"#)
            #expect(try page.line().contains(#""roles":\#(roles)"#))
            try page.send(#"{"id":2,"method":"reload"}"#)
            #expect(try page.line().contains("access.denied"))
            try page.send(#"{"id":3,"method":"subscribe","params":{"events":["swipe"]}}"#)
            _ = try page.line()
            try gateway.simulate("connect")
            try gateway.simulate("swipe")
            #expect(try page.line(with: #""event":"swipe""#).contains(#""number":"#) == shows)
        }
    }

    @Test func aPageThatOnlyListensGetsEvents() throws {
        let gateway = try GatewayUnderTest()
        let socket = try RawSocket(port: gateway.port)
        try socket.send(
            "GET /v1/events?stats=yes HTTP/1.1\r\nHost: localhost:\(gateway.port)\r\nOrigin: \(GatewayUnderTest.open)\r\n\r\n"
        )
        let head = try socket.take(through: "\r\n\r\n").lowercased()
        #expect(head.contains("content-type: text/event-stream") && head.contains(GatewayUnderTest.open))
        _ = try socket.take(through: "event: snapshot\ndata: ")
        let misspelt = try gateway.http("GET", "/v1/events?evnts=swipe", ["Origin": GatewayUnderTest.open])
        #expect(misspelt.status == 400 && misspelt.refusal == "request.query")
        try gateway.simulate("connect")
        let event = try socket.take(through: #""event":"ready""#)
        #expect(event.contains("id: ") && event.contains("\ndata: {"))
        let id = try #require(event.split(separator: "id: ").last?.split(separator: "\n").first)
        // What it says later it says with its own words for `since`.
        let again = try RawSocket(port: gateway.port)
        try again.send(
            "GET /v1/events?events=ready,unready HTTP/1.1\r\nHost: localhost:\(gateway.port)\r\n"
                + "Origin: \(GatewayUnderTest.open)\r\nLast-Event-ID: \(id)\r\n\r\n")
        #expect(!(try again.take(through: "event: snapshot\ndata: ")).contains(#""event":"ready""#))
        try gateway.simulate("disconnect")
        try gateway.simulate("connect")
        #expect(try again.take(through: #""event":"ready""#).contains("unready"))
    }

    /// In the doctor's words, and to who has a token, or needs none.
    @Test func saysWhatIsWrong() throws {
        let wedge = "[serial-reader wedge]\ndevice = /dev/there-is-none\ntype = text-line\n"
        let gateway = try GatewayUnderTest(daemon: GatewayUnderTest.daemonDefaults + wedge)
        let open = ["Origin": GatewayUnderTest.open]
        // Devices that are there already come first, absent ones once all of those are known.
        try gateway.eventually("the absent line") {
            (try? gateway.http("GET", "/v1/problems", open))?.body.contains(#""check":"line-absent""#) == true
        }
        let said = try gateway.http("GET", "/v1/problems", open)
        #expect(said.status == 200 && said.headers["access-control-allow-origin"] == GatewayUnderTest.open)
        #expect(said.body.contains(#""title":"The serial line is not there""#))
        #expect(said.body.contains("[serial-reader wedge] names /dev/there-is-none"))
        #expect(
            try gateway.http("GET", "/v1/problems", ["Origin": GatewayUnderTest.till]).refusal
                == "token.missing")
        gateway.stopDaemon()
        let alone = try gateway.http("GET", "/v1/problems", open)
        #expect(alone.status == 503 && alone.refusal == "daemon.unreachable")
    }

    /// A restart of both, and the page goes on where it was, or is told what is missing.
    @Test func comesBackGapFree() throws {
        let gateway = try GatewayUnderTest()
        let page = try WebSocketClient(gateway)
        let hello = try page.line()
        let instance = try #require(hello.firstMatch(of: /"instance":"([0-9a-f]+)"/)?.1)
        try page.send(Self.subscribe)
        _ = try page.line()
        try gateway.simulate("connect")
        let ready = try page.line(with: #""event":"ready""#)
        let seq = try #require(ready.firstMatch(of: /"seq":([0-9]+)/).flatMap { Int($0.1) })
        let port = gateway.port
        gateway.stopGateway()
        #expect(try page.closeCode() == 1001)
        try gateway.simulate("disconnect")
        try gateway.startGateway(port: port)
        let again = try WebSocketClient(gateway)
        _ = try again.line()
        let since =
            #"{"id":1,"method":"subscribe","params":{"since":{"instance":"\#(instance)","seq":\#(seq)}}}"#
        try again.send(since)
        #expect(try again.line() == #"{"id":1,"result":{"seq":\#(seq)}}"#)
        #expect(try again.line().contains(#""seq":\#(seq + 1),"#))
        // Without its daemon, the page is told; with a new one, what is missing is named.
        gateway.stopDaemon()
        #expect(try again.line(with: "bye").contains("shutdown"))
        #expect(try again.closeCode() == 1001)
        let alone = try WebSocketClient(gateway)
        #expect(try alone.closeCode() == 1013)
        try gateway.eventually("the outage in the log") {
            gateway.logged.contains("event=web.daemon_failed")
        }
        try gateway.startDaemon()
        let anew = try WebSocketClient(gateway)
        _ = try anew.line()
        try anew.send(since)
        #expect(try anew.line().contains(#""reason":"restart""#))
        #expect(try anew.line().contains(#""readers":[]"#))
    }

    /// A daemon that hangs takes connections and greets nobody: pages are told, in place of waiting.
    @Test func aDaemonThatHangsIsTold() throws {
        let gateway = try GatewayUnderTest()
        let daemon = try #require(gateway.daemon?.processIdentifier)
        kill(daemon, SIGSTOP)
        defer { kill(daemon, SIGCONT) }
        let page = try WebSocketClient(gateway)
        #expect(try page.closeCode() == 1013)
        try gateway.awaitLog("it took the connection and says nothing")
        kill(daemon, SIGCONT)
        #expect(try WebSocketClient(gateway).line().hasPrefix(#"{"hello""#))
    }

    /// A page that does not read is cut off; another one misses nothing and does not wait.
    @Test func aSlowPageHurtsNobody() throws {
        let gateway = try GatewayUnderTest()
        let slow = try WebSocketClient(gateway, receiveBuffer: 4_096)
        let good = try WebSocketClient(gateway)
        for page in [slow, good] {
            _ = try page.line()
            try page.send(Self.subscribe)
            _ = try page.line()
        }
        // Answers that nobody reads: the schema is long. No more is asked than there is room for.
        let ask = WebSocketClient.frame(1, Array(#"{"id":9,"method":"schema"}"#.utf8))
        while slow.socket.sendSome(ask) == ask.count {}
        try gateway.simulate("connect")
        _ = try good.line(with: #""event":"ready""#)
        try gateway.awaitLog("reason=page.slow")
        try gateway.simulate("swipe")
        _ = try good.line(with: #""event":"swipe""#)
    }

    /// A page that sends without end waits for the others' turns.
    @Test func whoSendsWithoutEndMakesNobodyWait() throws {
        let gateway = try GatewayUnderTest()
        let (flood, good) = (try WebSocketClient(gateway), try WebSocketClient(gateway))
        for page in [flood, good] { _ = try page.line() }
        let empty = (0..<10_000).flatMap { _ in WebSocketClient.frame(1, []) }
        while flood.socket.sendSome(empty) == empty.count {}
        let began = ContinuousClock.now
        try good.send(#"{"id":1,"method":"ping"}"#)
        #expect(try good.line() == #"{"id":1,"result":{}}"#)
        #expect(
            ContinuousClock.now - began < .seconds(1), "4 s where it may take all turns, in a debug build")
    }

    /// A stream whose page does not read is closed, whatever ends it, and gives its place back.
    @Test func aStreamThatIsNotReadIsClosed() throws {
        let gateway = try GatewayUnderTest("[server]\nmax_pages = 2\n")
        let process = try #require(gateway.gateway)
        let streams = try [65_536, 4_096].map { try RawSocket(port: gateway.port, receiveBuffer: $0) }
        for stream in streams {
            try stream.send(
                "GET /v1/events HTTP/1.1\r\nHost: localhost:\(gateway.port)\r\nOrigin: \(GatewayUnderTest.open)\r\n\r\n"
            )
            _ = try stream.take(through: "event: snapshot")
        }
        let before = try Self.descriptors(process)
        let began = ContinuousClock.now
        for _ in 0..<200 { for action in ["connect", "disconnect"] { try gateway.simulate(action) } }
        // Another origin's page takes the place of the last one: with a connection each to the daemon, all is as before.
        let other = try WebSocketClient(gateway, origin: GatewayUnderTest.full)
        #expect(try other.line().hasPrefix(#"{"hello""#))
        try gateway.eventually("the end of the stream") { (try? Self.descriptors(process)) == before }
        #expect(ContinuousClock.now - began < .seconds(20), "4 s; 38 where it is not closed for its own sake")
        // What has ended once, and is ended again.
        gateway.stopDaemon()
        gateway.stopGateway()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        _ = streams
    }

    private static func descriptors(_ process: Process) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }

    @Test func eachOutageOfTheDaemonIsLogged() throws {
        let gateway = try GatewayUnderTest()
        for outage in 1...2 {
            // A page that still goes would end in an outage of its own.
            let page = try WebSocketClient(gateway)
            #expect(try page.line().hasPrefix(#"{"hello""#))
            gateway.stopDaemon()
            #expect(try page.closeCode() == 1001)
            for _ in 0..<2 { #expect(try WebSocketClient(gateway).closeCode() == 1013) }
            try gateway.eventually("outage \(outage) in the log") {
                gateway.logged.components(separatedBy: "event=web.daemon_failed").count - 1 == outage
            }
            try gateway.startDaemon()
        }
    }

    /// A second gateway does not take the first one's control socket.
    @Test func aControlSocketIsOfOneGateway() throws {
        let gateway = try GatewayUnderTest()
        let second = try Programs.run(
            "swiped-web",
            [
                "--listen", "127.0.0.1:0", "--control", gateway.control, "--foreground", "--config",
                "/dev/null",
            ])
        #expect(second.status == 1 && second.said.contains("Address already in use"), "\(second)")
        #expect(try gateway.operate("tokens") == #"{"result":{"tokens":[]}}"#)
        // Nor what is no socket.
        let file = gateway.folder.appending(path: "kept")
        try "kept".write(to: file, atomically: true, encoding: .utf8)
        let third = try Programs.run(
            "swiped-web",
            ["--listen", "127.0.0.1:0", "--control", file.path, "--foreground", "--config", "/dev/null"])
        #expect(third.status == 1 && third.said.contains("File exists"), "\(third)")
        #expect(try String(contentsOf: file, encoding: .utf8) == "kept")
    }

    /// What stands in the tokens' place and is no file is not waited for.
    @Test func aPipeIsNoFileOfTokens() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "web-\(UUID().uuidString.prefix(6))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        mkfifo(folder.appending(path: "tokens").path, 0o600)
        let file = folder.appending(path: "conf")
        try "[server]\nstate = \(folder.path)\n".write(to: file, atomically: true, encoding: .utf8)
        let ended = try Programs.run(
            "swiped-web", ["--listen", "127.0.0.1:0", "--foreground", "--config", file.path])
        #expect(ended.status == 1 && ended.said.contains("is not a file of tokens"), "\(ended)")
    }

    /// Thousands of connections that say nothing: a page gets through. `SWIPED_CROWD=10000` is what it was tried with, and takes a
    /// minute in a debug build.
    private static let crowd =
        ProcessInfo.processInfo.environment["SWIPED_CROWD"].flatMap { Int($0) } ?? 1_500

    @Test func aCrowdShutsNobodyOut() throws {
        let gateway = try GatewayUnderTest()
        var crowd: [RawSocket] = []
        for number in 0..<Self.crowd {
            crowd.append(try RawSocket(port: gateway.port))
            // The test's own descriptors.
            if crowd.count > 400 { crowd.removeFirst(200) }
            if number.isMultiple(of: 500) {
                let page = try WebSocketClient(gateway)
                #expect(try page.line().hasPrefix(#"{"hello""#))
            }
        }
        let page = try WebSocketClient(gateway)
        #expect(try page.line().hasPrefix(#"{"hello""#))
        try gateway.awaitLog("reason=connections.too_many")
    }

    /// Without a descriptor the gateway says so and waits, in place of asking for the connection again and again.
    @Test func withoutADescriptorItWaits() throws {
        let gateway = try GatewayUnderTest()
        let process = try #require(gateway.gateway)
        let limit = try Process.run(
            URL(filePath: "/usr/bin/prlimit"),
            arguments: ["--pid", "\(process.processIdentifier)", "--nofile=48:"])
        limit.waitUntilExit()
        try #require(limit.terminationStatus == 0)
        var crowd = try (0..<100).map { _ in try RawSocket(port: gateway.port) }
        try gateway.awaitLog("reason=connections.no_descriptor")
        let before = try Self.processorSeconds(process.processIdentifier)
        sleep(2)
        let spent = try Self.processorSeconds(process.processIdentifier) - before
        #expect(spent < 0.5, "in 2 s; one that does not wait spends them all")
        crowd = []
        let page = try WebSocketClient(gateway)
        #expect(try page.line().hasPrefix(#"{"hello""#))
        _ = crowd
    }

    /// What a process has had of a processor (proc(5), stat, utime and stime).
    private static func processorSeconds(_ process: Int32) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = try #require(text.split(separator: ")").last).split(separator: " ")
        let ticks = try #require(Int(fields[11])) + #require(Int(fields[12]))
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    @Test func moreThanSoManyPagesAreRefused() throws {
        let gateway = try GatewayUnderTest("[server]\nmax_pages = 2\n")
        let pages = try (0..<2).map { _ in try WebSocketClient(gateway) }
        for page in pages { _ = try page.line() }
        #expect(try WebSocketClient(gateway).answer.refusal == "pages.too_many")
        try pages[0].socket.send(WebSocketClient.frame(8, [0x03, 0xE8]))
        #expect(try pages[0].closeCode() == 1000)
        let metrics = gateway.folder.appending(path: "metrics.prom").path
        try gateway.eventually("a page less in the metrics") {
            let text = (try? String(contentsOfFile: metrics, encoding: .utf8)) ?? ""
            return text.contains("swiped_web_pages 1\n") && text.contains(#"{reason="pages.too_many"} 1"#)
        }
        #expect(try WebSocketClient(gateway).answer.status == 101)
    }

    /// Who has the most pages gives up its last one, until both have the same.
    @Test func noOriginTakesAllPlaces() throws {
        let gateway = try GatewayUnderTest("[server]\nmax_pages = 4\n")
        let greedy = try (0..<4).map { _ in try WebSocketClient(gateway) }
        for page in greedy { _ = try page.line() }
        let others = try (0..<2).map { _ in try WebSocketClient(gateway, origin: GatewayUnderTest.full) }
        for page in others { #expect(try page.line().hasPrefix(#"{"hello""#)) }
        for page in greedy[2...] { #expect(try page.closeCode() == 1013) }
        for origin in [GatewayUnderTest.open, GatewayUnderTest.full] {
            #expect(try WebSocketClient(gateway, origin: origin).answer.refusal == "pages.too_many")
        }
        for page in greedy[..<2] + others {
            try page.socket.send(WebSocketClient.frame(1, Array(#"{"id":1,"method":"ping"}"#.utf8)))
            #expect(try page.line() == #"{"id":1,"result":{}}"#)
        }
    }

    @Test func bindsToNothingButTheLoopback() throws {
        for address in ["0.0.0.0:0", "192.0.2.1:80", "[::]:0", "example.org:80"] {
            let ended = try Programs.run(
                "swiped-web", ["--listen", address, "--foreground", "--config", "/dev/null"])
            #expect(ended.status == 1 && ended.said.contains("not this machine's loopback"), "\(ended)")
        }
        let none = try Programs.run("swiped-web", ["--foreground", "--config", "/dev/null"])
        #expect(none.status == 1 && none.said.contains("no socket to listen at"))
    }

    @Test(.enabled(if: GatewayUnderTest.hasActivator, "systemd is not installed"))
    func servesWhatSystemdHandsOver() throws {
        let gateway = try GatewayUnderTest()
        try gateway.activateGateway(at: "127.0.0.1")
        let page = try WebSocketClient(gateway)
        #expect(try page.line().hasPrefix(#"{"hello""#))
        #expect(try gateway.operate("tokens") == #"{"result":{"tokens":[]}}"#)
        // Whatever the unit says: a socket that others can reach is not served.
        try gateway.activateGateway(at: "0.0.0.0")
        try gateway.eventually("the refusal") {
            gateway.logged.contains("0.0.0.0 is not this machine's loopback")
        }
    }

    @Test func checksItsConfiguration() throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "web-\(UUID().uuidString.prefix(6)).conf")
        defer { try? FileManager.default.removeItem(at: file) }
        try "[origin https://x.example]\nrole = full\n".write(to: file, atomically: true, encoding: .utf8)
        let good = try Programs.run("swiped-web", ["--check-config", "--config", file.path])
        #expect(good.status == 0 && good.said.contains("see cards in full") && good.said.contains("is good"))
        try "[origin *]\n".write(to: file, atomically: true, encoding: .utf8)
        let bad = try Programs.run("swiped-web", ["--check-config", "--config", file.path])
        #expect(bad.status == 78 && bad.said.contains("\(file.path):1: '*' is not an origin"))
        try "[tls]\ncertificate = /nonexistent/c\nkey = /nonexistent/k\n".write(
            to: file, atomically: true, encoding: .utf8)
        let missing = try Programs.run("swiped-web", ["--check-config", "--config", file.path])
        #expect(
            missing.status == 78
                && missing.said.contains("\(file.path):2: certificate: /nonexistent/c: No such file"))
        let shipped = Programs.root.appending(path: "etc/swiped-web.conf").path
        #expect(try Programs.run("swiped-web", ["--check-config", "--config", shipped]).status == 0)
    }
}
