import Checkout
import CheckoutHTTP
import CheckoutTesting
import Foundation
import Testing

/// The gateway alone: keys that are kept, errors that say what is certain, TLS.
@Suite struct GatewayTests {
    private static func params(_ number: String, _ transaction: Transaction) throws -> SourceParams {
        var params = SourceParams(amount: transaction.amount, description: transaction.description)
        params.method = transaction.methods.first
        params.card = try card(number)
        return params
    }

    @Test func oneKeyIsOneSourceAndOneCharge() async throws {
        try await withSandbox { sandbox, address in
            let gateway = try gateway(address)
            let opening = IdempotencyKey()
            let transaction = try await gateway.openTransaction(try shoes(), key: opening)
            #expect(try await gateway.openTransaction(try shoes(), key: opening).id == transaction.id)
            let params = try Self.params("4111111111111111", transaction)
            let (creating, authorising) = (IdempotencyKey(), IdempotencyKey())
            let source = try await gateway.createSource(params, in: transaction, key: creating)
            #expect(try await gateway.createSource(params, in: transaction, key: creating).id == source.id)
            let permit = AuthorisationPermit(source.id, key: authorising)
            let first = try await gateway.authorise(permit, in: transaction)
            let second = try await gateway.authorise(permit, in: transaction)
            #expect(first == second)
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    @Test func aKeyIsForOneThing() async throws {
        try await withSandbox { sandbox, address in
            let gateway = try gateway(address)
            let key = IdempotencyKey()
            let transaction = try await gateway.openTransaction(try shoes(), key: key)
            await #expect(throws: GatewayError(.conflict, .refused)) {
                try await gateway.openTransaction(try shoes(441), key: key)
            }
            let source = try await gateway.createSource(
                try Self.params("4111111111111111", transaction), in: transaction, key: IdempotencyKey())
            _ = try await gateway.authorise(
                AuthorisationPermit(source.id, key: IdempotencyKey()), in: transaction)
            // No money by this one; but who is told so cannot know that.
            await #expect(throws: GatewayError(.conflict, .unknown)) {
                try await gateway.authorise(
                    AuthorisationPermit(source.id, key: IdempotencyKey()), in: transaction)
            }
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// The key that opened a transaction is kept for as long as that is, whatever becomes of other keys.
    @Test func anOrderIsOneTransactionForGood() async throws {
        try await withSandbox(["--key-seconds", "0"]) { _, address in
            let gateway = try gateway(address)
            let key = IdempotencyKey(naming: "17")
            let transaction = try await gateway.openTransaction(try shoes(), key: key)
            #expect(try await gateway.openTransaction(try shoes(), key: key).id == transaction.id)
        }
    }

    /// The service's promise: one charge of a transaction, also where an authorisation was on its way for long.
    @Test(arguments: [true, false]) func aTransactionIsChargedOnce(chargesOnce: Bool) async throws {
        try await withSandbox(chargesOnce: chargesOnce) { sandbox, address in
            let gateway = try gateway(address)
            let transaction = try await gateway.openTransaction(try shoes(), key: IdempotencyKey())
            var permits: [AuthorisationPermit] = []
            for number in ["4111111111111111", "4012888888881881", "4111111111111111", "6011111111111117"] {
                let source = try await gateway.createSource(
                    try Self.params(number, transaction), in: transaction, key: IdempotencyKey())
                permits.append(AuthorisationPermit(source.id, key: IdempotencyKey()))
            }
            // Declined: the transaction may be paid with another source, but not with one of before.
            #expect(try await gateway.authorise(permits[1], in: transaction).status == .failed(.declined))
            let first = try await gateway.source(permits[0].source, in: transaction)
            #expect(first.status == (chargesOnce ? .cancelled : .pending))
            let later = try await gateway.createSource(
                try Self.params("6011111111111117", transaction), in: transaction, key: IdempotencyKey())
            _ = try await gateway.authorise(
                AuthorisationPermit(later.id, key: IdempotencyKey()), in: transaction)
            for permit in [permits[0], permits[2], permits[3]] {
                do throws(GatewayError) {
                    _ = try await gateway.authorise(permit, in: transaction)
                    #expect(!chargesOnce)
                } catch {
                    #expect(chargesOnce && error == GatewayError(.conflict, .unknown))
                }
            }
            #expect(try await sandbox.ledger().count == (chargesOnce ? 1 : 4))
        }
    }

    /// What a service calls its things is sent back as it is, and leads nowhere else.
    @Test(arguments: [
        ("src.1~a-b_C", "src.1~a-b_C"), ("a/../b?c#d", "a%2F..%2Fb%3Fc%23d"), ("é 1", "%C3%A9%201"),
        ("%2e", "%252e"),
    ]) func namesStayInTheirPath(name: String, path: String) async throws {
        try await withSandbox { _, address in
            let tap = try WireTap(to: address)
            let gateway = try gateway(tap.address, tries: 1)
            _ = try? await gateway.transaction(TransactionID(name), with: .publicKey("pkey_1"))
            #expect(tap.sent.hasPrefix("GET /v1/transactions/\(path) HTTP/1.1\r\n"))
            tap.stop()
        }
    }

    @Test func aCancelledSourceIsNeverCharged() async throws {
        try await withSandbox { sandbox, address in
            let gateway = try gateway(address)
            let transaction = try await gateway.openTransaction(try shoes(), key: IdempotencyKey())
            let source = try await gateway.createSource(
                try Self.params("4111111111111111", transaction), in: transaction, key: IdempotencyKey())
            #expect(try await gateway.cancel(source.id, in: transaction).status == .cancelled)
            await #expect(throws: GatewayError(.conflict, .unknown)) {
                try await gateway.authorise(
                    AuthorisationPermit(source.id, key: IdempotencyKey()), in: transaction)
            }
            #expect(try await sandbox.ledger().isEmpty)
        }
    }

    @Test func keysAreChecked() async throws {
        try await withSandbox { _, address in
            let request = TransactionRequest(
                description: "Shoes", amount: try shoes().amount, apiKey: .publicKey("pkey_refused"))
            let gateway = try gateway(address)
            await #expect(throws: GatewayError(.badKey, .refused)) {
                try await gateway.openTransaction(request, key: IdempotencyKey())
            }
            await #expect(throws: GatewayError(.notFound, .refused)) {
                try await gateway.transaction(TransactionID("txn_none"), with: .publicKey("pkey_1"))
            }
        }
    }

    /// Nobody listens: it never left, and every advice may be followed.
    @Test func nobodyThereMeansNotSent() async throws {
        // Port 1 is nobody's.
        let gateway = try gateway("http://127.0.0.1:1", tries: 2)
        await #expect(throws: GatewayError(.unreachable, .notSent)) {
            try await gateway.openTransaction(try shoes(), key: IdempotencyKey())
        }
        #expect(GatewayError.Code.unreachable.advice == .checkNetwork)
    }

    /// The first try may have arrived, the second one never left: together they are unknown.
    @Test func aTryThatMayHaveArrivedIsNotForgotten() async throws {
        let listener = try LocalListener()
        Thread.detachNewThread {
            guard let connection = listener.next() else { return }
            listener.stop()
            var bytes = [UInt8](repeating: 0, count: 4096)
            _ = read(connection, &bytes, bytes.count)
            close(connection)
        }
        let gateway = try gateway(listener.url, tries: 3)
        await #expect(throws: GatewayError(.unreachable, .unknown)) { try await gateway.open(try shoes()) }
    }

    /// Every request goes wrong in every way: what is not certain is called unknown.
    @Test func faultsAreUnknown() async throws {
        try await withSandbox(["--faults", "1000", "--seed", "7", "--lateness", "0.2"]) { _, address in
            let gateway = try gateway(address, timeout: .milliseconds(60), tries: 1)
            for _ in 0..<30 {
                do {
                    _ = try await gateway.openTransaction(try shoes(), key: IdempotencyKey())
                } catch let error as GatewayError {
                    #expect(error.certainty == .unknown, "\(error.code)")
                }
            }
        }
    }

    @Test(arguments: [
        ("http://pay.example.com", GatewayError.Code.insecure), ("ftp://localhost", .insecure),
        ("", .badRequest),
        ("pay", .badRequest), ("http://127.0.0.1.example.com", .insecure),
        ("http://localhost.example.com", .insecure),
    ])
    func cardsDoNotTravelInClear(address: String, code: GatewayError.Code) {
        #expect { try HTTPGateway(HTTPGatewayConfiguration(address: address)) } throws: { error in
            (error as? GatewayError)?.code == code
        }
    }

    @Test(arguments: [
        "https://pay.example.com", "http://localhost:8080/", "http://127.0.0.1:1", "http://[::1]:1",
    ])
    func theseAddressesAreFine(address: String) throws {
        _ = try HTTPGateway(HTTPGatewayConfiguration(address: address))
    }

    @Test func certificatesAreChecked() async throws {
        let folder = try Folder()
        let (chain, key) = (folder.path("chain.pem"), folder.path("key.pem"))
        try makeCertificate(chain, key)
        try await withSandbox(["--certificate", chain, "--key", key]) { _, address in
            let address = address.replacingOccurrences(of: "127.0.0.1", with: "localhost")
            let trusting = try gateway(address, trust: chain)
            #expect(
                try await trusting.openTransaction(try shoes(), key: IdempotencyKey()).description == "Shoes")
            let strict = try gateway(address)
            await #expect(throws: GatewayError(.untrusted, .notSent)) {
                try await strict.openTransaction(try shoes(), key: IdempotencyKey())
            }
        }
        #expect(throws: GatewayError.self) {
            try gateway("https://localhost", trust: folder.path("none.pem"))
        }
    }

    private func makeCertificate(_ chain: String, _ key: String) throws {
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/env")
        openssl.arguments =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
            .split(separator: " ").map(String.init)
            + ["-addext", "subjectAltName=DNS:localhost", "-out", chain, "-keyout", key]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        #expect(openssl.terminationStatus == 0)
    }

    /// Each code has an advice, and each advice has words.
    @Test func everyErrorSaysWhatToDo() {
        for code in GatewayError.Code.allCases {
            #expect(!code.meaning.isEmpty)
            #expect(!code.advice.words.isEmpty)
        }
        #expect(GatewayError.Code.wrongCode.advice == .checkTheCard)
        #expect(GatewayError.Code.declined.advice == .askForAnotherCard)
        #expect(GatewayError.Code.untrusted.advice == .callSupport)
    }
}
