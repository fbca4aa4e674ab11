internal import AsyncHTTPClient
internal import CardData
public import Checkout
internal import FoundationEssentials
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// A payment service that speaks the API of `openapi.yaml` over HTTP.
///
/// A request that gets no answer is tried again with the same idempotency key, after a pause that grows; the service
/// then does it once. When no try is answered, the error says whether any of them may have arrived.
public final class HTTPGateway: PaymentGateway {
    private let configuration: HTTPGatewayConfiguration
    private let client: HTTPClient

    /// A gateway. Nothing is sent yet.
    ///
    /// - Throws: `insecure` for plain HTTP to another machine, `untrusted` for a trust file that cannot be read,
    ///   `badRequest` for an address that is none.
    public init(_ configuration: HTTPGatewayConfiguration) throws(GatewayError) {
        try Self.check(configuration.address)
        self.configuration = configuration
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let file = configuration.additionalTrust {
            guard let certificates = try? NIOSSLCertificate.fromPEMFile(file) else {
                throw GatewayError(.untrusted, .notSent, "The file of trusted certificates cannot be read.")
            }
            tls.additionalTrustRoots = [.certificates(certificates)]
        }
        var settings = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(configuration.connectTimeout)))
        // A connection that cannot be made is told at once: how often to try is decided here.
        settings.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    }

    deinit { client.shutdown { _ in } }

    private static func check(_ address: String) throws(GatewayError) {
        guard let url = URL(string: address), let scheme = url.scheme, let host = url.host(), !host.isEmpty
        else {
            throw GatewayError(.badRequest, .notSent, "The payment service's address is not one.")
        }
        guard scheme == "https" || (scheme == "http" && isThisMachine(host)) else {
            throw GatewayError(.insecure, .notSent)
        }
    }

    /// Names and addresses that cannot lead to another machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    private static func isThisMachine(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { $0.utf8.allSatisfy { (48...57).contains($0) } && UInt8($0) != nil }
    }

    // MARK: The gateway

    /// Opens a transaction: `POST /v1/transactions`.
    public func openTransaction(
        _ request: TransactionRequest, key: IdempotencyKey
    ) async throws(GatewayError) -> Transaction {
        let body = RequestBodies.transaction(request)
        let call = Call("POST", "/v1/transactions", request.apiKey.value, key: key, body: body)
        return try await send(call, Answers.transaction)
    }

    /// A transaction that was opened before: `GET /v1/transactions/{id}`.
    public func transaction(_ id: TransactionID, with key: APIKey) async throws(GatewayError) -> Transaction {
        try await send(
            Call("GET", "/v1/transactions/\(Self.inPath(id.value))", key.value), Answers.transaction)
    }

    /// Creates a source: `POST /v1/transactions/{id}/sources`.
    public func createSource(
        _ params: SourceParams, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource {
        let path = "/v1/transactions/\(Self.inPath(transaction.id.value))/sources"
        let call = Call("POST", path, transaction.token, key: key, body: RequestBodies.source(params))
        return try await send(call, Answers.source)
    }

    /// Authorises a source: `POST /v1/sources/{id}/authorise`.
    public func authorise(
        _ source: SourceID, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource {
        let path = "/v1/sources/\(Self.inPath(source.value))/authorise"
        return try await send(Call("POST", path, transaction.token, key: key), Answers.source)
    }

    /// How a source is: `GET /v1/sources/{id}`.
    public func source(
        _ id: SourceID, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        try await send(Call("GET", "/v1/sources/\(Self.inPath(id.value))", transaction.token), Answers.source)
    }

    /// Gives a source up: `POST /v1/sources/{id}/cancel`.
    public func cancel(
        _ source: SourceID, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        let path = "/v1/sources/\(Self.inPath(source.value))/cancel"
        return try await send(Call("POST", path, transaction.token), Answers.source)
    }

    /// A name as a part of a path: what a service calls its things must not lead anywhere else.
    private static func inPath(_ name: String) -> String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") ? $0 : "_" })
    }

    // MARK: Requests

    /// One request, which may be tried several times.
    private struct Call {
        let method: String
        let path: String
        let authorisation: SensitiveText
        let key: IdempotencyKey?
        let body: ByteBuffer?

        init(
            _ method: String, _ path: String, _ authorisation: SensitiveText, key: IdempotencyKey? = nil,
            body: ByteBuffer? = nil
        ) {
            self.method = method
            self.path = path
            self.authorisation = authorisation
            self.key = key
            self.body = body
        }
    }

    private func send<Value>(
        _ call: Call, _ read: (ByteBuffer) -> Value?
    ) async throws(GatewayError) -> Value {
        // RFC 9110 §5.5: what else is in a field's value may end it.
        guard call.authorisation.withRevealedBytes({ $0.allSatisfy { (0x21...0x7E).contains($0) } }) else {
            throw GatewayError(.badKey, .notSent)
        }
        var pause = configuration.firstPause
        var mayHaveArrived = false
        var left = max(configuration.tries, 1)
        while true {
            left -= 1
            do throws(GatewayError) {
                return try await tryOnce(call, read)
            } catch {
                mayHaveArrived = mayHaveArrived || error.certainty == .unknown
                guard left > 0, FailureMapping.isWorthAnotherTry(error), await wait(pause) else {
                    // A refusal is an answer, and the same one for every try with this key.
                    let isDoubtful = mayHaveArrived && error.certainty != .refused
                    throw GatewayError(error.code, isDoubtful ? .unknown : error.certainty, error.message)
                }
                pause = min(pause * 2, HTTPGatewayConfiguration.longestPause)
            }
        }
    }

    /// Waits about that long; false when the task was cancelled.
    private func wait(_ pause: Duration) async -> Bool {
        (try? await Task.sleep(for: pause * Double.random(in: 0.75...1.25))) != nil
    }

    private func tryOnce<Value>(
        _ call: Call, _ read: (ByteBuffer) -> Value?
    ) async throws(GatewayError) -> Value {
        let status: UInt
        let body: ByteBuffer
        do {
            let response = try await client.execute(
                request(call), timeout: TimeAmount(configuration.answerTimeout))
            status = response.status.code
            body = try await response.body.collect(upTo: HTTPGatewayConfiguration.longestAnswer)
        } catch {
            throw FailureMapping.error(error)
        }
        guard (200...299).contains(status) else { throw FailureMapping.error(status: status, body: body) }
        guard let value = read(body) else { throw GatewayError(.badAnswer, .unknown) }
        return value
    }

    private func request(_ call: Call) -> HTTPClientRequest {
        var base = configuration.address
        while base.hasSuffix("/") { base.removeLast() }
        var request = HTTPClientRequest(url: base + call.path)
        request.method = .init(rawValue: call.method)
        request.headers.add(name: "Authorization", value: "Bearer \(call.authorisation.reveal())")
        request.headers.add(name: "Accept", value: "application/json")
        if let key = call.key { request.headers.add(name: "Idempotency-Key", value: key.value) }
        if let body = call.body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        return request
    }
}
