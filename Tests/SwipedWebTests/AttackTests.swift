import Foundation
import Testing

/// What a page that may not tries, as bytes on a socket: each is refused, and named in the log.
@Suite(.serialized, .timeLimit(.minutes(5))) struct AttackTests {
    /// What is asked under another name, or with another origin, gets no WebSocket; the code is the log's.
    private static func refusals(_ port: Int) -> [(origin: String?, host: String?, code: String)] {
        [
            ("https://attacker.example", nil, "origin.foreign"), ("null", nil, "origin.null"),
            ("http://localhost:\(port + 1)", nil, "origin.foreign"),
            ("http://localhost.:\(port)", nil, "origin.foreign"),
            ("http://127.0.0.1.attacker.example:\(port)", nil, "origin.foreign"),
            ("https://open.example:8443", nil, "origin.foreign"),
            ("http://open.example", nil, "origin.foreign"),
            ("https://user@open.example", nil, "origin.foreign"),
            ("https://open.example.", nil, "origin.foreign"),
            ("https://OPEN.example", nil, "origin.foreign"), (nil, nil, "origin.missing"),
            // A name that was bent to this machine, and what only looks like the right one.
            (GatewayUnderTest.open, "attacker.example:\(port)", "host.foreign"),
            ("http://attacker.example:\(port)", "attacker.example:\(port)", "host.foreign"),
            (GatewayUnderTest.open, "127.0.0.1.attacker.example:\(port)", "host.foreign"),
            (GatewayUnderTest.open, "localhost.:\(port)", "host.foreign"),
            (GatewayUnderTest.open, "localhost:\(port + 1)", "host.foreign"),
            (GatewayUnderTest.open, "localhost", "host.foreign"),
            (GatewayUnderTest.open, "user@localhost:\(port)", "host.foreign"),
            (GatewayUnderTest.open, "0.0.0.0:\(port)", "host.foreign"),
            (GatewayUnderTest.open, "127.1:\(port)", "host.foreign"),
            (GatewayUnderTest.till, nil, "token.missing"),
        ]
    }

    @Test func namesAndOriginsAreExact() throws {
        let gateway = try GatewayUnderTest()
        for (origin, host, code) in Self.refusals(gateway.port) {
            let client = try WebSocketClient(gateway, origin: origin, host: host)
            #expect(client.answer.status >= 400, "\(String(describing: origin)) \(String(describing: host))")
            #expect(
                client.answer.refusal == code, "\(String(describing: origin)) \(String(describing: host))")
            #expect(
                client.answer.headers["access-control-allow-origin"] == nil || origin == GatewayUnderTest.till
            )
            try gateway.awaitLog("reason=\(code)")
        }
        for name in ["localhost", "127.0.0.1", "[::1]"] {
            let client = try WebSocketClient(gateway, host: "\(name):\(gateway.port)")
            #expect(client.answer.status == 101)
            #expect(try client.line().contains(#""roles":["status","masked"]"#))
        }
    }

    @Test func headersThatComeTwiceAreRefused() throws {
        let gateway = try GatewayUnderTest()
        let two = try WebSocketClient(gateway, more: "Origin: https://attacker.example\r\n")
        #expect(two.answer.refusal == "origin.foreign")
        let hosts = try WebSocketClient(gateway, more: "Host: attacker.example\r\n")
        #expect(hosts.answer.status == 400)
        let target = try gateway.http("GET", "http://localhost:\(gateway.port)/v1/session")
        #expect(target.refusal == "request.path")
    }

    /// Requests that two programs may read in two ways, and one whose body has no end.
    @Test func whatIsNoRequestIsRefused() throws {
        let gateway = try GatewayUnderTest()
        let origin = "Host: localhost:\(gateway.port)\r\nOrigin: \(GatewayUnderTest.open)\r\n"
        let post = "POST /v1/pairings HTTP/1.1\r\n\(origin)Content-Type: application/json\r\n"
        for bytes in [
            "GET /v1/session HTTP/1.1\r\nHost: localhost:\(gateway.port)\r\nOrigin: https://a\u{1B}[31m\r\n\r\n",
            "GET /v1/session HTTP/1.1\r\n\(origin) https://attacker.example\r\n\r\n",
            post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "swipe\r\n\r\n",
        ] {
            let socket = try RawSocket(port: gateway.port)
            try socket.send(bytes)
            #expect(try socket.rest().hasPrefix("HTTP/1.1 400"), "\(bytes)")
        }
        try gateway.awaitLog("reason=request.malformed")
        let socket = try RawSocket(port: gateway.port)
        try socket.send(post + "Content-Length: 99999999999\r\n\r\n" + String(repeating: " ", count: 5_000))
        #expect(try socket.take(through: "request.too_long").hasPrefix("HTTP/1.1 413"))
    }

    /// However many are sent at once, one is answered; and one that waits for its answer keeps no memory for more.
    @Test func oneRequestIsAnsweredForEachConnection() throws {
        let gateway = try GatewayUnderTest()
        let socket = try RawSocket(port: gateway.port)
        let one = "GET /live.js HTTP/1.1\r\nHost: localhost:\(gateway.port)\r\n\r\n"
        try socket.send(String(repeating: one, count: 20))
        #expect(try socket.rest().components(separatedBy: "HTTP/1.1 200").count == 2)
    }

    @Test func headersHaveALimit() throws {
        let gateway = try GatewayUnderTest()
        let few = String(repeating: "X: \(String(repeating: "x", count: 8_000))\r\n", count: 3)
        #expect(try gateway.http("GET", "/", more: few).status == 200)
        #expect(try gateway.http("GET", "/", more: few + few).status >= 400)
        try gateway.awaitLog("reason=request.malformed")
    }

    @Test func tokensAreOfTheirOrigin() throws {
        let gateway = try GatewayUnderTest()
        let token = try gateway.pair(GatewayUnderTest.till)
        // With its origin, and, since it is no page's secret, without one.
        for origin in [GatewayUnderTest.till, nil] {
            let client = try WebSocketClient(gateway, origin: origin, token: token)
            #expect(client.answer.status == 101)
            #expect(client.answer.headers["sec-websocket-protocol"] == "swipe.1")
        }
        let small = ["Origin": GatewayUnderTest.till, "Authorization": "bearer \(token)"]
        #expect(try gateway.http("GET", "/v1/session", small).status == 200)
        let twice = try gateway.http(
            "GET", "/v1/session", small, more: "Authorization: Bearer guessed.token\r\n")
        #expect(twice.refusal == "token.unknown")
        let other = try WebSocketClient(gateway, origin: GatewayUnderTest.open, token: token)
        #expect(other.answer.refusal == "token.other_origin")
        let wrong = try WebSocketClient(gateway, origin: GatewayUnderTest.till, token: token + "x")
        #expect(wrong.answer.refusal == "token.unknown")
        try gateway.awaitLog("reason=token.other_origin")
        try gateway.awaitLog("reason=token.unknown")
        #expect(!gateway.logged.contains(token) && !gateway.logged.contains(token.split(separator: ".")[1]))
        let kept = try String(contentsOf: gateway.folder.appending(path: "tokens"), encoding: .utf8)
        #expect(!kept.contains(token.split(separator: ".")[1]))
    }

    /// Brute force: of a token, of a pairing, of a code; and a pairing that is replayed.
    @Test func guessesAreLimited() throws {
        let gateway = try GatewayUnderTest()
        var refusals: Set<String> = []
        for number in 0..<70 {
            let answer = try gateway.http(
                "GET", "/v1/session",
                ["Origin": GatewayUnderTest.till, "Authorization": "Bearer guess\(number).x"])
            refusals.insert(answer.refusal ?? "\(answer.status)")
        }
        #expect(refusals == ["token.unknown", "token.too_often"])
        refusals = []
        for number in 0..<20 {
            let answer = try gateway.http(
                "POST", "/v1/pairings/token", ["Origin": GatewayUnderTest.till],
                body: #"{"pairing":"\#(number)"}"#)
            refusals.insert(answer.refusal ?? "\(answer.status)")
        }
        #expect(refusals == ["pairing.unknown", "pairing.too_often"])
        let asked = try gateway.http("POST", "/v1/pairings", ["Origin": GatewayUnderTest.till], body: "{}")
        let ticket = try #require(asked.member("pairing"))
        let collect = {
            try gateway.http(
                "POST", "/v1/pairings/token", ["Origin": GatewayUnderTest.till],
                body: #"{"pairing":"\#(ticket)"}"#)
        }
        let code = try #require(asked.member("code"))
        #expect(try collect().status == 202)
        #expect(try gateway.operate("pair", #"{"code":"\#(code)"}"#).contains("result"))
        #expect(try collect().member("token") != nil)
        #expect(try collect().refusal == "pairing.used")
        for reason in ["token.too_often", "pairing.too_often", "pairing.used"] {
            try gateway.awaitLog("reason=\(reason)")
        }
    }

    @Test func aRevokedTokenEndsItsPages() throws {
        let gateway = try GatewayUnderTest()
        let token = try gateway.pair(GatewayUnderTest.till)
        let page = try WebSocketClient(gateway, origin: GatewayUnderTest.till, token: token)
        _ = try page.line()
        let stream = try RawSocket(port: gateway.port)
        try stream.send(
            "GET /v1/events HTTP/1.1\r\nHost: localhost:\(gateway.port)\r\nAuthorization: Bearer \(token)\r\n\r\n"
        )
        _ = try stream.take(through: "event: snapshot")
        let id = token.split(separator: ".")[0]
        #expect(try gateway.operate("tokens").contains(#""id":"\#(id)""#))
        #expect(try gateway.operate("revoke", #"{"id":"\#(id)"}"#).contains("till.example"))
        #expect(try page.closeCode() == 1008)
        // And its streams: this returns at the end of one.
        _ = try stream.rest()
        let again = try WebSocketClient(gateway, origin: GatewayUnderTest.till, token: token)
        #expect(again.answer.refusal == "token.unknown")
    }

    /// Nothing is changed by GET, nor by what a page may send without a preflight.
    @Test func onlyJSONPostsChangeAnything() throws {
        let gateway = try GatewayUnderTest()
        let origin = ["Origin": GatewayUnderTest.till]
        for path in ["/v1/pairings", "/v1/pairings/token", "/v1/operator/pair", "/v1/operator/revoke"] {
            let got = try gateway.http("GET", path, origin)
            #expect(got.refusal == "request.method" && got.headers["allow"] == "POST")
            #expect(got.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'")
            let plain = origin.merging(["Content-Type": "text/plain"]) { _, new in new }
            let answer = try gateway.http("POST", path, plain, body: #"{"code":"1","pairing":"1"}"#)
            #expect(["request.body", "token.missing"].contains(answer.refusal), "\(path): \(answer)")
        }
        let foreign = try gateway.http(
            "POST", "/v1/pairings", ["Origin": "https://attacker.example"], body: "{}")
        #expect(foreign.refusal == "origin.foreign")
        #expect(try gateway.http("POST", "/v1/pairings", body: "{}").refusal == "origin.missing")
        #expect(
            try gateway.http("POST", "/v1/pairings", origin, body: String(repeating: " ", count: 5_000))
                .status == 413)
        #expect(try gateway.operate("pairings") == #"{"result":{"pairings":[]}}"#)
    }

    @Test func preflightsAreForNamedOrigins() throws {
        let gateway = try GatewayUnderTest()
        let ask = ["Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"]
        let allowed = try gateway.http(
            "OPTIONS", "/v1/pairings", ask.merging(["Origin": GatewayUnderTest.till]) { _, new in new })
        #expect(allowed.status == 204)
        #expect(allowed.headers["access-control-allow-origin"] == GatewayUnderTest.till)
        #expect(allowed.headers["access-control-allow-private-network"] == "true")
        #expect(allowed.headers["access-control-allow-credentials"] == nil)
        let foreign = try gateway.http(
            "OPTIONS", "/v1/pairings", ask.merging(["Origin": "https://attacker.example"]) { _, new in new })
        #expect(foreign.refusal == "origin.foreign")
        #expect(foreign.headers["access-control-allow-origin"] == nil)
        #expect(foreign.headers["access-control-allow-private-network"] == nil)
    }

    @Test func theLivePageIsShutIn() throws {
        let gateway = try GatewayUnderTest()
        var bytes = 0
        for path in ["/", "/live.js", "/live.css", "/swiped.js"] {
            let page = try gateway.http("GET", path)
            #expect(page.status == 200)
            #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
            #expect(page.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
            #expect(page.headers["cross-origin-resource-policy"] == "same-origin")
            #expect(page.headers["access-control-allow-origin"] == nil)
            bytes += page.body.utf8.count
        }
        #expect(bytes < 100_000)
        let loaded = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"]
        #expect(try gateway.http("GET", "/live.js", loaded).refusal == "fetch.cross_site")
        let linked = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"]
        #expect(try gateway.http("GET", "/", linked).status == 200)
        #expect(try gateway.http("GET", "/../tokens").status == 404)
        // Without a token it shows nothing, and with one of a page it may not say anything.
        let origin = gateway.origin
        #expect(try gateway.http("GET", "/v1/events", ["Origin": origin]).refusal == "token.missing")
        // As a browser asks for what is of the page's own origin.
        let same = ["Sec-Fetch-Site": "same-origin"]
        let unknown = try gateway.http("GET", "/v1/session", same)
        #expect(unknown.refusal == "token.missing" && unknown.headers["www-authenticate"] == "Bearer")
        #expect(try gateway.http("GET", "/v1/session").refusal == "origin.missing")
        let token = try gateway.pair(origin)
        #expect(
            try WebSocketClient(gateway, origin: origin, token: token).answer.refusal == "token.not_operator")
        let pair = try gateway.http(
            "POST", "/v1/operator/pairings", ["Origin": origin, "Authorization": "Bearer \(token)"],
            body: "{}")
        #expect(pair.refusal == "token.not_operator")
        let master = try gateway.pair(origin, isOperator: true)
        #expect(try WebSocketClient(gateway, origin: origin, token: master).answer.status == 101)
    }
}
