internal import CardData
public import Checkout
internal import NIOCore

/// A payment service that speaks the API of `openapi.yaml` over HTTP.
///
/// A request that gets no answer is tried again with the same idempotency key, after a pause that grows; the service
/// then does it once. When no try is answered, the error says whether any of them may have arrived.
public final class HTTPGateway: PaymentGateway {
    let sender: HTTPSender

    /// A gateway. Nothing is sent yet.
    ///
    /// - Throws: `insecure` for plain HTTP to another machine, `untrusted` for a trust file that cannot be read,
    ///   `badRequest` for an address that is none.
    public init(_ configuration: HTTPGatewayConfiguration) throws(GatewayError) {
        sender = try HTTPSender(configuration)
    }

    /// The service that requests go to, by its one name.
    public var service: String { sender.address.name }

    // MARK: The gateway

    /// Opens a transaction: `POST /v1/transactions`.
    public func openTransaction(
        _ request: TransactionRequest, key: IdempotencyKey
    ) async throws(GatewayError) -> Transaction {
        let body = RequestBodies.transaction(request)
        let call = HTTPCall(.open, "POST", "/v1/transactions", request.apiKey.value, key: key, body: body)
        return try await send(call) { Answers.transaction($0, nil, madeWith: key) }
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
        return try await send(call) { Answers.source($0, nil, transaction.id, madeWith: key) }
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

    private func send<Value: Sendable>(
        _ call: HTTPCall, _ read: @escaping @Sendable (ByteBuffer) -> Value?
    ) async throws(GatewayError) -> Value {
        try await sender.send(call, Answers.proof) { $0.isJSON ? read($0.body) : nil }
    }

    /// A name as a part of a path (RFC 3986 §2.3): what a service calls its things must not lead anywhere else. `Answers`
    /// takes no name that is none, or dots alone.
    static func inPath(_ name: String) -> String {
        name.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            if isPlain || "-._~".unicodeScalars.contains(scalar) { return String(scalar) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
