internal import AsyncHTTPClient
internal import CardData
internal import Checkout
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Sends requests to one service: in time, again where that is safe, and with a word on what is certain.
final class HTTPSender: Sendable {
    /// What an answer about something with that name proves to be.
    typealias Prover = @Sendable (HTTPAnswer, _ subject: String) -> AnswerTable.Proof
    /// An answer as what was asked for.
    typealias Reader<Value> = @Sendable (HTTPAnswer) -> Value?

    let address: ServiceAddress
    private let configuration: HTTPGatewayConfiguration
    private let client: HTTPClient

    init(_ configuration: HTTPGatewayConfiguration) throws(GatewayError) {
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

    /// Sends a request, more than once where that is safe and may help.
    ///
    /// - Parameters:
    ///   - proof: what an answer proves to be that is not what was asked for.
    ///   - read: the answer as what was asked for; nil where it is not that.
    func send<Value: Sendable>(
        _ call: HTTPCall, _ proof: @escaping Prover, _ read: @escaping Reader<Value>
    ) async throws(GatewayError) -> Value {
        // RFC 9110 §5.5: what else is in a field's value may end it.
        guard call.authorisation.withRevealedBytes({ $0.allSatisfy { (0x21...0x7E).contains($0) } }) else {
            throw GatewayError(.badKey, .notSent)
        }
        var pause = configuration.firstPause
        var mayHaveArrived = false
        var left = AnswerTable.mayRepeat(call.step, hasKey: call.key != nil) ? max(configuration.tries, 1) : 1
        while true {
            left -= 1
            let (result, retryAfter) = await tryOnce(call, proof, read)
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
        _ call: HTTPCall, _ proof: Prover, _ read: Reader<Value>
    ) async -> (Result<Value, GatewayError>, Duration?) {
        let answer: HTTPAnswer
        let start = ContinuousClock.now
        do {
            let (client, limit, base) = (client, configuration.answerTimeout, address.url)
            answer = try await withinTime(limit) {
                let response = try await client.execute(call.request(to: base), timeout: TimeAmount(limit))
                let body = try await response.body.collect(upTo: HTTPGatewayConfiguration.longestAnswer)
                return HTTPAnswer(status: response.status.code, headers: response.headers, body: body)
            }
        } catch {
            let isLate = ContinuousClock.now - start > configuration.connectTimeout * 2
            return (.failure(FailureMapping.error(error, isLate: isLate)), nil)
        }
        let value = read(answer)
        let found = value == nil ? proof(answer, call.subject) : .resource
        switch (AnswerTable.verdict(answer.status, found, call.step), value) {
        case (.taken, .some(let value)): return (.success(value), nil)
        case (.failed(let code, let certainty), _):
            return (.failure(GatewayError(code, certainty)), answer.retryAfter)
        // Not reachable: what is taken was read.
        case (.taken, .none): return (.failure(GatewayError(.badAnswer, .unknown)), nil)
        }
    }
}
