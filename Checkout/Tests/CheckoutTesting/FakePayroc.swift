import Foundation

/// Card payments as docs.payroc.com describes them (2026): a fake that was made from public documentation, and never compared with
/// the real service. Its identity service is at the same address.
package final class FakePayroc: Sendable {
    struct Payment {
        var id: String
        var orderID: String
        var description: String
        var amount: Int
        var currency: String
        var fields: [[String: String]]
        var card: String
        var type = "preAuthorization"
        var status = "ready"
        var captured = 0
        /// How much of it the bank approved; nil for all.
        var part: Int?
        var refunds: [String] = []
    }

    struct Refund {
        var id: String
        var payment: String
        var amount: Int
        var `operator`: String
        var status: String
    }

    struct Books {
        var payments: [Payment] = []
        var refunds: [Refund] = []
        /// What was answered to a key, and to what.
        var kept: [String: (request: String, answer: LocalService.Answer)] = [:]
        var tokens = 0
        /// How often money moved.
        var captures = 0
        var isOpenBatch = true
        /// Whether the list shows nothing that is new.
        var isBehind = false
        var isRefusingTokens = false
        /// What captures and refunds are called, and what is held.
        var word = "ready"
        var holdWord = "ready"
    }

    private let books: SendableBox<Books>
    package let service: LocalService

    package init() throws {
        let books = SendableBox(Books())
        self.books = books
        service = try LocalService { request in books.change { Self.answer(request, &$0) } }
    }

    /// How many sales the customers paid for: captured, and not reversed.
    package var charges: Int {
        books.change { $0.payments.count { $0.captured > 0 && $0.status != "reversal" } }
    }
    package var captures: Int { books.change { $0.captures } }
    /// How many amounts are held on cards, and nobody took them.
    package var holds: Int {
        books.change { $0.payments.count { $0.captured == 0 && $0.status == "ready" } }
    }
    package var tokens: Int { books.change { $0.tokens } }
    package func refunds() -> [Int] { books.change { $0.refunds.map(\.amount) } }
    package func forgetKeys() { books.change { $0.kept = [:] } }
    package func closeBatch() { books.change { $0.isOpenBatch = false } }
    package func fallBehind(_ isBehind: Bool) { books.change { $0.isBehind = isBehind } }
    /// What is held falls off the cards.
    package func expire() {
        books.change { books in
            for place in books.payments.indices where books.payments[place].captured == 0 {
                books.payments[place].status = "expired"
            }
        }
    }
    /// From now on captures and refunds are called that.
    package func call(_ word: String) { books.change { $0.word = word } }
    /// From now on what is held is called that; with a word other than `ready` it is not reversed.
    package func callHolds(_ word: String) { books.change { $0.holdWord = word } }
    /// What a payment is called from now on.
    package func recall(_ id: String, _ word: String) {
        books.change { books in
            for place in books.payments.indices where books.payments[place].id == id {
                books.payments[place].status = word
            }
        }
    }
    /// Tokens that were given out are good for nothing any more.
    package func revokeTokens() { books.change { $0.tokens += 1 } }

    private static func answer(_ request: LocalService.Request, _ books: inout Books) -> LocalService.Answer {
        if request.method == "POST", request.path == "/authorize" {
            guard request.headers["x-api-key"]?.hasPrefix("payroc_") == true else {
                return error(401, "unauthorized")
            }
            books.tokens += 1
            return json(["access_token": "token-\(books.tokens)", "expires_in": 3600, "token_type": "Bearer"])
        }
        guard request.headers["authorization"] == "Bearer token-\(books.tokens)" else {
            return error(401, "unauthorized")
        }
        guard request.method == "POST" else { return look(request, books) }
        guard let key = request.headers["idempotency-key"], isVersion4(key) else {
            return error(400, "bad-request")
        }
        let asked = request.path + request.body
        if let kept = books.kept[key] {
            return kept.request == asked ? kept.answer : error(409, "idempotency-key-conflict")
        }
        let answer = work(request, &books)
        books.kept[key] = (asked, answer)
        return answer
    }

    static func isVersion4(_ key: String) -> Bool {
        let groups = key.split(separator: "-").map(Array.init)
        return UUID(uuidString: key) != nil && groups[2].first == "4"
            && "89ab".contains(groups[3].first ?? " ")
    }

    private static func look(_ request: LocalService.Request, _ books: Books) -> LocalService.Answer {
        let parts = request.path.split(separator: "/").map(String.init)
        switch (parts.dropFirst().first, parts.dropFirst(2).first) {
        case ("payments", nil):
            let found = books.isBehind ? [] : books.payments.filter { $0.orderID == request.query["orderId"] }
            return json([
                "limit": 100, "count": found.count, "hasMore": false, "data": found.map { object($0, books) },
            ])
        case ("payments", let id?):
            return books.payments.first { $0.id == id }.map { json(object($0, books)) }
                ?? error(404, "not-found")
        case ("refunds", let id?):
            return books.refunds.first { $0.id == id }.map { json(object($0)) } ?? error(404, "not-found")
        default: return error(404, "not-found")
        }
    }

    private static func work(_ request: LocalService.Request, _ books: inout Books) -> LocalService.Answer {
        let body = (try? JSONSerialization.jsonObject(with: Data(request.body.utf8))) as? [String: Any] ?? [:]
        let parts = request.path.split(separator: "/").map(String.init)
        if parts.count == 2 { return make(body, &books) }
        guard parts.count == 4, let place = books.payments.firstIndex(where: { $0.id == parts[2] }) else {
            return error(404, "not-found")
        }
        var payment = books.payments[place]
        switch parts[3] {
        case "capture":
            let amount = body["amount"] as? Int ?? payment.amount
            guard payment.captured == 0, payment.status == "ready", (1...payment.amount).contains(amount)
            else {
                return error(409, "cannot-be-modified")
            }
            (payment.captured, payment.type) = (amount, "preAuthorizationCompletion")
            payment.status = books.word
            books.captures += 1
        case "reverse":
            guard payment.status == "ready", books.isOpenBatch || payment.captured == 0 else {
                return error(409, "cannot-be-modified")
            }
            payment.status = "reversal"
        case "refund":
            let sum = books.refunds.filter { $0.payment == payment.id }.reduce(0) { $0 + $1.amount }
            guard !books.isOpenBatch, let amount = body["amount"] as? Int, body["description"] is String,
                payment.status == "ready", sum + amount <= payment.captured
            else { return error(409, "cannot-be-modified") }
            let new = Refund(
                id: "RF\(books.refunds.count + 1)", payment: payment.id, amount: amount,
                operator: body["operator"] as? String ?? "", status: books.word)
            books.refunds.append(new)
            payment.refunds.append(new.id)
        default: return error(404, "not-found")
        }
        books.payments[place] = payment
        return json(object(payment, books))
    }

    private static func make(_ body: [String: Any], _ books: inout Books) -> LocalService.Answer {
        let order = body["order"] as? [String: Any] ?? [:]
        let method = body["paymentMethod"] as? [String: Any]
        let details = method?["cardDetails"] as? [String: Any]
        let keyed = details?["keyedData"] as? [String: Any]
        let swiped = details?["swipedData"] as? [String: Any]
        let device = swiped?["device"] as? [String: Any]
        let isWhole =
            keyed?["cardNumber"] is String
            || (swiped?["encryptedData"] is String && device?["dataKsn"] is String)
        guard body["processingTerminalId"] as? String == "1234001", body["channel"] as? String == "pos",
            isWhole,
            body["autoCapture"] as? Bool == false, let id = order["orderId"] as? String,
            let amount = order["amount"] as? Int, let currency = order["currency"] as? String
        else { return error(400, "bad-request") }
        var new = Payment(
            id: "PAY\(books.payments.count + 1)", orderID: id,
            description: order["description"] as? String ?? "",
            amount: amount, currency: currency, fields: body["customFields"] as? [[String: String]] ?? [],
            card: keyed?["cardNumber"] as? String ?? "4111111111111111")
        new.status = books.holdWord
        if new.card == "4012888888881881" { new.status = "declined" }
        if new.card == "5555555555554444" { new.part = amount / 2 }
        books.payments.append(new)
        return json(object(new, books), 201)
    }

    private static func object(_ payment: Payment, _ books: Books) -> [String: Any] {
        let isHeld = payment.captured == 0 && payment.status == "ready"
        let isReversible = payment.status == "ready" && (isHeld || books.isOpenBatch)
        let isRefundable = payment.status == "ready" && payment.captured > 0 && !books.isOpenBatch
        return [
            "paymentId": payment.id, "processingTerminalId": "1234001",
            "order": [
                "orderId": payment.orderID, "description": payment.description, "amount": payment.amount,
                "currency": payment.currency,
            ],
            "card": [
                "type": "Visa Credit",
                "cardNumber": "\(payment.card.prefix(6))******\(payment.card.suffix(4))",
            ],
            "refunds": payment.refunds.map { ["refundId": $0] },
            "supportedOperations": (isHeld ? ["capture"] : []) + (isReversible ? ["fullyReverse"] : [])
                + (isRefundable ? ["refund"] : []),
            "transactionResult": [
                "type": payment.type, "status": payment.status,
                "responseCode": payment.status == "declined" ? "D" : payment.part == nil ? "A" : "P",
                "approvalCode": "OK3",
                "authorizedAmount": payment.captured > 0 ? payment.captured : payment.part ?? payment.amount,
            ],
            "customFields": payment.fields,
        ]
    }

    private static func object(_ refund: Refund) -> [String: Any] {
        [
            "refundId": refund.id, "processingTerminalId": "1234001", "operator": refund.operator,
            "order": ["amount": refund.amount, "currency": "EUR", "description": "Refund"],
            "transactionResult": ["type": "refund", "status": refund.status, "responseCode": "A"],
        ]
    }

    private static func json(_ object: [String: Any], _ status: Int = 200) -> LocalService.Answer {
        let data = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
        return LocalService.Answer(status, "application/json", String(decoding: data, as: UTF8.self))
    }

    private static func error(_ status: Int, _ name: String) -> LocalService.Answer {
        var answer = json(
            [
                "type": "https://docs.payroc.com/api/errors#\(name)", "title": "No", "status": status,
                "detail": "No",
            ], status)
        answer.type = "application/problem+json"
        return answer
    }
}
