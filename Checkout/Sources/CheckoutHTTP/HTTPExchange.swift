internal import AsyncHTTPClient
internal import CardData
internal import Checkout
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// One request, which may be tried several times.
struct HTTPCall: Sendable {
    let step: AnswerTable.Step
    let method: String
    let path: String
    /// The key that is shown, or the token.
    let authorisation: SensitiveText
    /// What an answer about this request names: the idempotency key, or else the resource of the path.
    let subject: String
    let key: IdempotencyKey?
    let body: ByteBuffer?
    let form: Form
    /// More fields of its head.
    var headers: [String: String] = [:]
    /// How the key is shown.
    var credential = Credential.bearer

    /// In which field of the head a key goes, and after which word.
    enum Credential { case bearer, apiKey }

    /// How bodies are written, and how the answer is wanted.
    enum Form: String, Sendable {
        case json = "application/json", pairs = "application/x-www-form-urlencoded"
    }

    init(
        _ step: AnswerTable.Step, _ method: String, _ path: String, _ authorisation: SensitiveText,
        about subject: String = "",
        key: IdempotencyKey? = nil, body: ByteBuffer? = nil, form: Form = .json
    ) {
        self.step = step
        self.method = method
        self.path = path
        self.authorisation = authorisation
        self.subject = key?.value ?? subject
        self.key = key
        self.body = body
        self.form = form
    }

    func request(to base: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: base + path)
        request.method = .init(rawValue: method)
        switch credential {
        case .bearer:
            request.headers.add(name: "Authorization", value: "Bearer \(authorisation.reveal())")
        case .apiKey: request.headers.add(name: "x-api-key", value: authorisation.reveal())
        }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.headers.add(name: "Accept", value: form == .json ? form.rawValue : "*/*")
        // What was true a moment ago may not be any more (RFC 9111 §5.2.1.4), and is of nobody's interest later.
        request.headers.add(name: "Cache-Control", value: "no-cache, no-store")
        if let key { request.headers.add(name: "Idempotency-Key", value: key.value) }
        if let body {
            request.headers.add(name: "Content-Type", value: form.rawValue)
            request.body = .bytes(body)
        }
        return request
    }
}

/// An answer as it came, whole.
struct HTTPAnswer: Sendable {
    let status: UInt
    let body: ByteBuffer
    /// Whether it says that it is in the service's form.
    let isJSON: Bool
    /// How long to wait before the next try, where it says so (RFC 9110 §10.2.3).
    let retryAfter: Duration?
    let headers: HTTPHeaders

    init(status: UInt, headers: HTTPHeaders, body: ByteBuffer) {
        self.status = status
        self.body = body
        let type = headers.first(name: "Content-Type")?.split(separator: ";").first ?? ""
        isJSON = type.split(separator: " ").joined().lowercased() == "application/json"
        retryAfter = headers.first(name: "Retry-After").flatMap {
            RetryAfter.pause($0, headers.first(name: "Date"))
        }
        self.headers = headers
    }
}

/// Does something within a time, and returns at its end whatever the work does: who is late is cancelled and not waited for.
func withinTime<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let first = FirstResult<Value>()
    let worker = Task { await first.set(Result.of { try await work() }) }
    let clock = Task {
        try await Task.sleep(for: limit)
        first.set(.failure(GatewayError(.timedOut, .unknown)))
    }
    defer {
        worker.cancel()
        clock.cancel()
    }
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { first.wait($0) }
    } onCancel: {
        first.set(.failure(CancellationError()))
    }
}

extension Result where Failure == any Error, Success: Sendable {
    fileprivate static func of(_ work: () async throws -> Success) async -> Self {
        do { return .success(try await work()) } catch { return .failure(error) }
    }
}

/// The first of several results.
private final class FirstResult<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case set(Result<Value, any Error>)
        case over
    }

    private let state = Mutex(State.open)

    func set(_ result: Result<Value, any Error>) {
        let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .open: state = .set(result)
            case .awaited(let continuation):
                state = .over
                return continuation
            case .set, .over: break
            }
            return nil
        }
        waiting?.resume(with: result)
    }

    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        let result: Result<Value, any Error>? = state.withLock { state in
            switch state {
            case .set(let result):
                state = .over
                return result
            case .open, .awaited, .over: state = .awaited(continuation)
            }
            return nil
        }
        if let result { continuation.resume(with: result) }
    }
}
