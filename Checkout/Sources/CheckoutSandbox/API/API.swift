import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of `openapi.yaml`.
struct API: Sendable {
    let store: Store
    let slowSeconds: Double
    /// A file without which slow cards go on processing; nil for none.
    let slowUntil: String?
    /// Whether a transaction is charged as often as somebody asks.
    let takesManyCharges: Bool
    /// `http` or `https`.
    let scheme: String

    func router(faults: FaultPlan) -> Router<SandboxContext> {
        let router = Router(context: SandboxContext.self)
        router.add(middleware: FaultMiddleware(plan: faults))
        router.post("/v1/transactions") { request, context in
            await answering(request, context) { try await openTransaction(request, context) }
        }
        router.get("/v1/transactions/:id") { request, context in
            await answering(request, context) { try await transaction(request, context) }
        }
        router.post("/v1/transactions/:id/sources") { request, context in
            await answering(request, context) { try await createSource(request, context) }
        }
        router.post("/v1/sources/:id/authorise") { request, context in
            await answering(request, context) { try await authorise(request, context) }
        }
        router.get("/v1/sources/:id") { request, context in
            await answering(request, context) { try await source(request, context) }
        }
        router.post("/v1/sources/:id/cancel") { request, context in
            await answering(request, context) { try await cancel(request, context) }
        }
        router.get("/v1/charges/:id") { request, context in
            await answering(request, context) { try await charge(request, context) }
        }
        router.post("/v1/charges/:id/changes") { request, context in
            await answering(request, context) { try await change(request, context) }
        }
        router.get("/v1/ledger") { request, context in
            await answering(request, context) { try Answer(200, try await store.ledger()) }
        }
        router.get("/approve/:id") { request, context in
            await approvalPage(request, context)
        }
        return router
    }

    private func answering(
        _ request: Request, _ context: SandboxContext, _ work: () async throws -> Answer
    ) async -> Response {
        let subject = key(of: request) ?? context.parameters.get("id") ?? ""
        do {
            return Self.response(try await work())
        } catch let error as APIError {
            return Self.response(Answer(error, about: subject))
        } catch {
            return Self.response(
                Answer(APIError(500, "server_failed", "the sandbox failed"), about: subject))
        }
    }

    private static func response(_ answer: Answer) -> Response {
        Response(
            status: HTTPResponse.Status(code: answer.status),
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
    }

    // MARK: Transactions

    private func openTransaction(_ request: Request, _ context: SandboxContext) async throws -> Answer {
        try checkKey(request)
        let new: Wire.NewTransaction = try await body(of: request, context)
        guard (1...999_999_999_999).contains(new.amount), new.currency.utf8.count == 3,
            (1...200).contains(new.description.utf8.count)
        else {
            throw APIError.badRequest("an amount, a currency and a description of up to 200 bytes are needed")
        }
        guard (0...new.amount).contains(new.tip ?? 0), ["automatic", "manual", nil].contains(new.capture)
        else {
            throw APIError.badRequest("the tip is a part of the amount; capture is automatic or manual")
        }
        let fingerprint =
            "transaction \(new.amount) \(new.currency) \(new.tip ?? 0) \(new.capture ?? "automatic") "
            + new.description
        // An order's name is a key, and whoever begins the order gets this transaction, however late.
        let key = try idempotencyKey(request)
        return try await store.once(key: key, fingerprint: fingerprint, isKept: true) {
            try Store.openTransaction(new, key: key, $0)
        }.answer
    }

    private func transaction(_ request: Request, _ context: SandboxContext) async throws -> Answer {
        try checkKey(request)
        let id = try context.parameters.require("id")
        return try await store.database.read { try Answer(200, try Store.transaction(id, $0)) }
    }

    /// Any key of the right form is good here, but for those that say that they are not.
    func checkKey(_ request: Request) throws {
        let key = bearer(request)
        guard key.hasPrefix("pkey_") || key.hasPrefix("skey_"), !key.hasSuffix("_refused") else {
            throw APIError(401, "bad_key", "the key is not accepted")
        }
    }

    // MARK: Sources

    private func createSource(_ request: Request, _ context: SandboxContext) async throws -> Answer {
        let id = try context.parameters.require("id")
        let token = bearer(request)
        let new: Wire.NewSource = try await body(of: request, context)
        let base = base(of: request)
        let transaction = try await store.database.read { try Store.transaction(id, $0) }
        guard transaction.token == token else { throw APIError(401, "bad_key", "the token is not accepted") }
        let check = try SourceCheck(new, of: transaction)
        let key = try idempotencyKey(request)
        return try await store.once(key: key, fingerprint: check.fingerprint) { database in
            let source = SourceRow(
                id: newName("src"), transaction: id, outcome: check.outcome, status: "pending",
                first6: check.first6, last4: check.last4, brand: check.brand)
            try Store.insert(source, database)
            var wire = try Store.wire(source, base: base, database)
            wire.key = key
            return try Answer(201, wire)
        }.answer
    }

    private func authorise(_ request: Request, _ context: SandboxContext) async throws -> Answer {
        let (id, token, base) = (try context.parameters.require("id"), bearer(request), base(of: request))
        let key = try idempotencyKey(request)
        let (slowSeconds, takesManyCharges) = (slowSeconds, takesManyCharges)
        let source = try await store.database.read { try Self.source(id, token, $0) }
        let (answer, isRepeated) = try await store.once(key: key, fingerprint: "authorise \(id)") {
            database in
            let new = try Self.source(id, token, database)
            if !takesManyCharges { try Store.giveUpOthers(new, database) }
            let source = try Store.authorise(new, slowSeconds: slowSeconds, database)
            return try Answer(200, try Store.wire(source, base: base, database))
        }
        if isRepeated { return answer }
        switch source.outcome {
        case .failsAfterCharge: throw APIError(500, "server_failed", "the sandbox failed, as this card asks")
        case .cutAfterCharge:
            await context.cut()
            return answer
        case .approved, .declined, .insufficientFunds, .expired, .wrongCode, .redirect, .slow, .endless:
            return answer
        }
    }

    private func source(_ request: Request, _ context: SandboxContext) async throws -> Answer {
        let (id, token, base) = (try context.parameters.require("id"), bearer(request), base(of: request))
        let mayEnd = slowUntil.map { FileManager.default.fileExists(atPath: $0) } ?? true
        return try await store.database.write { database in
            var source = try Self.source(id, token, database)
            if mayEnd { source = try Store.settled(source, database) }
            return try Answer(200, try Store.wire(source, base: base, database))
        }
    }

    private func cancel(_ request: Request, _ context: SandboxContext) async throws -> Answer {
        let (id, token, base) = (try context.parameters.require("id"), bearer(request), base(of: request))
        return try await store.database.write { database in
            let source = try Store.cancel(try Self.source(id, token, database), database)
            return try Answer(200, try Store.wire(source, base: base, database))
        }
    }

    /// A source of the transaction that the token is for.
    private static func source(_ id: String, _ token: String, _ database: Database) throws -> SourceRow {
        let source = try Store.source(id, database)
        guard try Store.transaction(source.transaction, database).token == token else {
            throw APIError(401, "bad_key", "the token is not accepted")
        }
        return source
    }

    // MARK: The customer's page

    private func approvalPage(_ request: Request, _ context: SandboxContext) async -> Response {
        let id = (try? context.parameters.require("id")) ?? ""
        var text = "<p>Pay? <a href='?answer=yes'>yes</a> <a href='?answer=no'>no</a></p>"
        if let answer = request.uri.queryParameters["answer"] {
            let isApproved = answer == "yes"
            do {
                _ = try await store.database.write { database in
                    try Store.answer(try Store.source(id, database), isApproved: isApproved, database)
                }
                text = isApproved ? "<p>Thank you.</p>" : "<p>Not paid.</p>"
            } catch {
                text = "<p>This payment is over.</p>"
            }
        }
        return Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(
                byteBuffer: ByteBuffer(string: "<!doctype html><title>Sandbox</title>\(text)\n")))
    }

    // MARK: What requests carry

    func body<Body: Decodable>(of request: Request, _ context: SandboxContext) async throws -> Body {
        let buffer: ByteBuffer
        do { buffer = try await request.body.collect(upTo: context.maxUploadSize) } catch {
            throw APIError(413, "bad_request", "the body is too long")
        }
        do { return try JSONDecoder().decode(Body.self, from: Data(buffer.readableBytesView)) } catch {
            // Not the decoder's words: they may quote the body.
            throw APIError.badRequest("the body is not what the API describes")
        }
    }

    private func bearer(_ request: Request) -> String {
        let value = request.headers[.authorization] ?? ""
        return value.hasPrefix("Bearer ") ? String(value.dropFirst(7)) : ""
    }

    private func key(of request: Request) -> String? {
        HTTPField.Name("Idempotency-Key").flatMap { request.headers[$0] }
    }

    func idempotencyKey(_ request: Request) throws -> String {
        guard let key = key(of: request), (16...128).contains(key.utf8.count) else {
            throw APIError.badRequest("an Idempotency-Key of 16 to 128 bytes is needed")
        }
        return key
    }

    private func base(of request: Request) -> String {
        "\(scheme)://\(request.head.authority ?? "127.0.0.1")"
    }
}
