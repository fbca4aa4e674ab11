internal import AsyncHTTPClient
internal import CardData
public import Checkout
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// A payment service that speaks the API of `openapi.yaml` over HTTP.
///
/// A request that gets no answer is tried again with the same idempotency key, after a pause that grows; the service
/// then does it once. When no try is answered, the error says whether any of them may have arrived.
public final class HTTPGateway: PaymentGateway {
    private let configuration: HTTPGatewayConfiguration
    private let address: ServiceAddress
    private let client: HTTPClient

    /// A gateway. Nothing is sent yet.
    ///
    /// - Throws: `insecure` for plain HTTP to another machine, `untrusted` for a trust file that cannot be read,
    ///   `badRequest` for an address that is none.
    public init(_ configuration: HTTPGatewayConfiguration) throws(GatewayError) {
        address = try Self.check(configuration.address)
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

    private static func check(_ text: String) throws(GatewayError) -> ServiceAddress {
        guard let address = ServiceAddress(text) else {
            throw GatewayError(.badRequest, .notSent, "The payment service's address is not one.")
        }
        guard address.scheme == "https" || (address.scheme == "http" && address.isThisMachine) else {
            throw GatewayError(.insecure, .notSent)
        }
        return address
    }

    /// The service that requests go to, by its one name.
    public var service: String { address.name }

    // MARK: The gateway

    /// Opens a transaction: `POST /v1/transactions`.
    public func openTransaction(
        _ request: TransactionRequest, key: IdempotencyKey
    ) async throws(GatewayError) -> Transaction {
        let body = RequestBodies.transaction(request)
        let call = HTTPCall(.open, "POST", "/v1/transactions", request.apiKey.value, key: key, body: body)
        return try await send(call) { Answers.transaction($0, nil) }
    }

    /// A transaction that was opened before: `GET /v1/transactions/{id}`.
    public func transaction(_ id: TransactionID, with key: APIKey) async throws(GatewayError) -> Transaction {
        let path = "/v1/transactions/\(Self.inPath(id.value))"
        return try await send(HTTPCall(.lookUp, "GET", path, key.value, about: id.value)) {
            Answers.transaction($0, id)
        }
    }

    /// Creates a source: `POST /v1/transactions/{id}/sources`.
    public func createSource(
        _ params: SourceParams, in transaction: Transaction, key: IdempotencyKey
    ) async throws(GatewayError) -> PaymentSource {
        let path = "/v1/transactions/\(Self.inPath(transaction.id.value))/sources"
        let call = HTTPCall(
            .create, "POST", path, transaction.token, key: key, body: RequestBodies.source(params))
        return try await send(call) { Answers.source($0, nil, transaction.id) }
    }

    /// Authorises a source: `POST /v1/sources/{id}/authorise`.
    public func authorise(
        _ permit: AuthorisationPermit, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        let path = "/v1/sources/\(Self.inPath(permit.source.value))/authorise"
        let call = HTTPCall(.authorise, "POST", path, transaction.token, key: permit.key)
        return try await send(call) { Answers.source($0, permit.source, transaction.id) }
    }

    /// How a source is: `GET /v1/sources/{id}`.
    public func source(
        _ id: SourceID, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        let path = "/v1/sources/\(Self.inPath(id.value))"
        let call = HTTPCall(.poll, "GET", path, transaction.token, about: id.value)
        return try await send(call) { Answers.source($0, id, transaction.id) }
    }

    /// Gives a source up: `POST /v1/sources/{id}/cancel`.
    public func cancel(
        _ source: SourceID, in transaction: Transaction
    ) async throws(GatewayError) -> PaymentSource {
        let path = "/v1/sources/\(Self.inPath(source.value))/cancel"
        let call = HTTPCall(.giveUp, "POST", path, transaction.token, about: source.value)
        return try await send(call) { Answers.source($0, source, transaction.id) }
    }

    /// A name as a part of a path: what a service calls its things must not lead anywhere else.
    private static func inPath(_ name: String) -> String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") ? $0 : "_" })
    }

    // MARK: Requests

    private func send<Value: Sendable>(
        _ call: HTTPCall, _ read: @escaping @Sendable (ByteBuffer) -> Value?
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
            let (result, retryAfter) = await tryOnce(call, read)
            switch result {
            case .success(let value): return value
            case .failure(let error):
                mayHaveArrived = mayHaveArrived || error.certainty == .unknown
                let wanted = max(pause, retryAfter ?? .zero)
                guard left > 0, AnswerTable.isWorthAnotherTry(error),
                    wanted <= HTTPGatewayConfiguration.longestPause,
                    await wait(wanted)
                else {
                    // The service's own refusal is an answer, and the same one for every try with this key.
                    let isDoubtful = mayHaveArrived && error.certainty != .refused
                    throw GatewayError(error.code, isDoubtful ? .unknown : error.certainty, error.message)
                }
                pause = min(pause * 2, HTTPGatewayConfiguration.longestPause)
            }
        }
    }

    /// Waits for that long, or a little longer; false when the task was cancelled.
    private func wait(_ pause: Duration) async -> Bool {
        (try? await Task.sleep(for: pause * Double.random(in: 1...1.5))) != nil
    }

    private func tryOnce<Value: Sendable>(
        _ call: HTTPCall, _ read: @escaping @Sendable (ByteBuffer) -> Value?
    ) async -> (Result<Value, GatewayError>, Duration?) {
        let answer: HTTPAnswer
        do {
            let (client, limit, base) = (client, configuration.answerTimeout, address.url)
            answer = try await withinTime(limit) {
                let response = try await client.execute(call.request(to: base), timeout: TimeAmount(limit))
                let body = try await response.body.collect(upTo: HTTPGatewayConfiguration.longestAnswer)
                return HTTPAnswer(status: response.status.code, headers: response.headers, body: body)
            }
        } catch {
            return (.failure(FailureMapping.error(error)), nil)
        }
        let value = answer.isJSON ? read(answer.body) : nil
        let proof = value == nil ? Answers.proof(answer, about: call.subject) : .resource
        switch (AnswerTable.verdict(answer.status, proof, call.step), value) {
        case (.taken, .some(let value)): return (.success(value), nil)
        case (.failed(let code, let certainty), _):
            return (.failure(GatewayError(code, certainty)), answer.retryAfter)
        // Not reachable: what is taken was read.
        case (.taken, .none): return (.failure(GatewayError(.badAnswer, .unknown)), nil)
        }
    }
}
