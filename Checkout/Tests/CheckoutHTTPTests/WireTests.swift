import CardData
import Checkout
import CheckoutTesting
import Foundation
import SwipeClient
import Testing

/// What goes over the wire, byte for byte, and that it is what `openapi.yaml` says.
@Suite struct WireTests {
    /// What a payment sends, request by request.
    private static func requests(_ pay: (Payment) async throws -> Void) async throws -> [String] {
        try await withSandbox { _, address in
            let tap = try WireTap(to: address)
            let gateway = try gateway(tap.address, tries: 1)
            let payment = Payment(try await gateway.open(try shoes()), gateway: gateway, policy: quick)
            try await pay(payment)
            tap.stop()
            // Requests begin with their method, wherever the one before ends.
            return tap.sent.replacing(/(GET|POST) \//) { "\u{0}" + $0.output.0 }.split(separator: "\u{0}")
                .map(String.init)
        }
    }

    private static func body(_ request: String) throws -> [String: Any] {
        let text = try #require(request.components(separatedBy: "\r\n\r\n").last)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func aTypedCard() async throws {
        let requests = try await Self.requests { payment in
            let preparer = HeadlessPreparer(
                card: try card("4111111111111111"), metadata: ["till": "7 \"A\"\n"])
            let end = try await payment.pay(preparedBy: preparer)
            #expect(end.name == "success")
        }
        let paths = requests.map {
            $0.split(separator: " ").prefix(2).joined(separator: " ").replacing(/_[0-9a-f]+/, with: "")
        }
        #expect(
            paths == [
                "POST /v1/transactions", "POST /v1/transactions/txn/sources", "GET /v1/transactions/txn",
                "POST /v1/sources/src/authorise",
            ])
        let keys = requests.compactMap { $0.firstMatch(of: /Idempotency-Key: ([0-9a-f]{32})\r\n/)?.output.1 }
        #expect(Set(keys).count == 3, "a key of its own for each request that changes something")
        let source = try Self.body(requests[1])
        #expect(source["method"] as? String == "card" && source["flow"] as? String == "in_place")
        #expect(source["amount"] as? Int == 440 && source["currency"] as? String == "EUR")
        #expect(source["metadata"] as? [String: String] == ["till": "7 \"A\"\n"])
        #expect(
            source["card"] as? [String: String]
                == ["entry": "typed", "number": "4111111111111111", "expiry": "2030-12", "cvv": "123"])
        for request in requests { #expect(request.contains("Cache-Control: no-cache, no-store\r\n")) }
        for request in [requests[0], requests[2], requests[3]] {
            #expect(!request.contains("1111"), "in one request only")
        }
    }

    @Test func anEncryptedCard() async throws {
        let swipe = SwipeData(
            card: CardInfo(
                kind: .payment, pan: PANInfo(masked: "4111********1111", length: 16, brand: "visa")),
            tracks: [],
            encryption: SwipeEncryption(
                scheme: "dukpt-tdes", keySerialNumber: [0xFF, 0xFF, 0x98, 0x00],
                tracks: [SwipeEncryption.Track(track: 2, ciphertext: [0x0A, 0xFF], clearLength: 37)]))
        let swiped = try SwipedCard(swipe)
        let requests = try await Self.requests { payment in
            let preparer = HeadlessPreparer(card: CardDetails(swiped))
            let end = try await payment.pay(preparedBy: preparer)
            #expect(end.name == "success")
        }
        let card = try #require(try Self.body(requests[1])["card"] as? [String: Any])
        #expect(Set(card.keys) == ["entry", "scheme", "ksn", "masked", "tracks"], "no clear digits, no code")
        #expect(card["ksn"] as? String == "FFFF9800")
        let track = try #require((card["tracks"] as? [[String: Any]])?.first)
        #expect(track["ciphertext"] as? String == "0AFF" && track["clear_length"] as? Int == 37)
    }

    /// A request that got no answer comes again with its own key, and no other.
    @Test func aRetryKeepsItsKey() async throws {
        let requests = try await Self.requests { payment in
            let preparer = HeadlessPreparer(card: try card("3566002020360505"))
            let end = try await payment.pay(preparedBy: preparer)
            #expect(end.name == "success")
        }
        // One try each, but what is authorised is asked for: the connection was cut after the charge.
        #expect(requests.count { $0.contains("/authorise") } == 1)
        try await withSandbox { sandbox, address in
            let tap = try WireTap(to: address)
            let gateway = try gateway(tap.address, tries: 3)
            let payment = Payment(try await gateway.open(try shoes()), gateway: gateway, policy: quick)
            try await payment.pay(preparedBy: HeadlessPreparer(card: try card("3566002020360505")))
            let tries = tap.sent.components(separatedBy: "POST /v1/sources/").dropFirst()
            let keys = tries.compactMap { $0.firstMatch(of: /Idempotency-Key: ([0-9a-f]{32})\r\n/)?.output.1 }
            #expect(keys.count == 2 && Set(keys).count == 1)
            #expect(try await sandbox.ledger().count == 1)
            tap.stop()
        }
    }

    /// A key that would end the header it stands in is not sent at all.
    @Test(arguments: ["pkey_1\r\nX: y", "pkey 1", "pkey_é"]) func keysStayInTheirHeader(key: String)
        async throws
    {
        let gateway = try gateway("http://127.0.0.1:1", tries: 1)
        let request = TransactionRequest(
            description: "Shoes", amount: try shoes().amount, apiKey: .publicKey(key))
        await #expect(throws: GatewayError(.badKey, .notSent)) { try await gateway.open(request) }
    }

    /// Every path, status and name that one side uses is on the page, and every name on the page is used.
    @Test func thePageNamesWhatIsSpoken() throws {
        let page = try String(contentsOf: Programs.package.appending(path: "openapi.yaml"), encoding: .utf8)
        let sources = Programs.package.appending(path: "Sources")
        let (client, server) = try (
            Self.code(sources.appending(path: "CheckoutHTTP")),
            Self.code(sources.appending(path: "CheckoutSandbox"))
        )
        let routes = server.matches(of: /router\.(?:get|post)\("([^"]+)"\)/).map {
            String($0.output.1).replacing(/:id/, with: "{id}")
        }
        #expect(Set(routes) == Set(page.matches(of: /\n  (\/[^:\n]*):\n/).map { String($0.output.1) }))
        let sent = client.matches(of: /body\.(?:field|object|list)\("([a-z_]+)"|track\.field\("([a-z_]+)"/)
        for name in sent.compactMap({ $0.output.1 }) {
            #expect(page.contains("\(name): {") || page.contains("\(name):\n"), "\(name) is not on the page")
        }
        #expect(sent.count > 10)
        for code in GatewayError.Code.allCases where server.contains("\"\(code.rawValue)\"") {
            #expect(page.contains(code.rawValue), "\(code.rawValue) is not on the page")
        }
    }

    private static func code(_ folder: URL) throws -> String {
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        // Other services' pages are elsewhere.
        return try files.filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Documented") }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    }
}
