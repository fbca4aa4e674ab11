import Foundation
import Synchronization

/// PaymentIntents as docs.stripe.com/api describes them (2026): a fake that was made from public documentation, and never
/// compared with the real service. Answers are those of the version that is asked for: before 2025-03-31 a part that is captured
/// makes a refund of the rest.
package final class FakeStripe: Sendable {
    struct Intent {
        var id: String
        var amount: Int
        var currency: String
        var description: String?
        var capture: String
        var status = "requires_payment_method"
        var method: String?
        var failure: (code: String, decline: String?, method: String)?
        var captured = 0
        var metadata: [String: String]
        /// What the customer has to do (3-D Secure), as `next_action` has it.
        var action: String?
        /// Whether more may be captured than is authorised: 15 % there.
        var takesMore = false
        var created = 0
        /// Whether the search has heard of it: it is behind, by a minute as a rule.
        var isFound = false

        var most: Int { takesMore ? amount * 115 / 100 : amount }
    }

    struct Refund {
        var id: String
        var amount: Int
        var key: String
    }

    struct Books {
        var intents: [String: Intent] = [:]
        var cards: [String: String] = [:]
        var refunds: [String: [Refund]] = [:]
        /// What was answered to a key, and to which parameters.
        var kept: [String: (parameters: String, answer: LocalService.Answer)] = [:]
        var count = 0
        /// How often money moved.
        var charges = 0
        /// Why refunds are refused, where they are.
        var refusal: String?
        /// Of the request that is being answered.
        var isOldVersion = false
    }

    private let books: SendableBox<Books>
    package let service: LocalService

    package init() throws {
        let books = SendableBox(Books())
        self.books = books
        service = try LocalService { request in books.change { Self.answer(request, &$0) } }
    }

    package var charges: Int { books.change { $0.charges } }
    package func refunds() -> [Int] { books.change { $0.refunds.values.flatMap { $0 }.map(\.amount) } }
    /// A day goes by: keys are pruned, and the search is up to date.
    package func forgetKeys() {
        books.change { books in
            books.kept = [:]
            for id in books.intents.keys { books.intents[id]?.isFound = true }
        }
    }
    /// Refunds are refused from now on, by this code; nil for no more.
    package func refuseRefunds(_ code: String?) { books.change { $0.refusal = code } }
    /// The customer agrees, or not, on the page of the card's bank.
    package func answer(_ isAgreed: Bool) {
        books.change { books in
            for (id, intent) in books.intents where intent.status == "requires_action" {
                var intent = intent
                intent.action = nil
                if isAgreed {
                    Self.charge(&intent, &books)
                } else {
                    intent.failure = ("payment_intent_authentication_failure", nil, intent.method ?? "")
                    (intent.method, intent.status) = (nil, "requires_payment_method")
                }
                books.intents[id] = intent
            }
        }
    }

    private static func charge(_ intent: inout Intent, _ books: inout Books) {
        intent.status = intent.capture == "manual" ? "requires_capture" : "succeeded"
        if intent.status == "succeeded" { intent.captured = intent.amount }
        books.charges += 1
    }

    package func intents() -> [String] { books.change { $0.intents.values.map(\.status) } }

    private static func answer(_ request: LocalService.Request, _ books: inout Books) -> LocalService.Answer {
        guard request.headers["authorization"]?.hasPrefix("Bearer sk_test_") == true else {
            return error(401, "invalid_request_error", nil)
        }
        books.isOldVersion = request.headers["stripe-version"].map { $0 < "2025-03-31" } ?? true
        guard request.method == "POST", let key = request.headers["idempotency-key"] else {
            return work(request, &books)
        }
        let parameters = request.path + request.body
        if let kept = books.kept[key] {
            guard kept.parameters == parameters else { return error(400, "idempotency_error", nil) }
            var answer = kept.answer
            answer.headers["Idempotent-Replayed"] = "true"
            return answer
        }
        var answer = work(request, &books)
        // As the real one does (github.com/stripe/stripe-mock/pull/77).
        answer.headers["Idempotency-Key"] = key
        books.kept[key] = (parameters, answer)
        return answer
    }

    private static func work(_ request: LocalService.Request, _ books: inout Books) -> LocalService.Answer {
        let form = request.form
        let parts = request.path.split(separator: "/").map(String.init)
        books.count += 1
        switch (request.method, parts.dropFirst().first ?? "", parts.dropFirst(3).first) {
        case ("POST", "payment_intents", nil) where parts.count == 2:
            var new = Intent(
                id: "pi_\(books.count)", amount: Int(form["amount"] ?? "") ?? 0,
                currency: form["currency"] ?? "",
                description: form["description"], capture: form["capture_method"] ?? "automatic",
                metadata: metadata(form))
            new.created = books.count
            new.takesMore = form["payment_method_options[card][request_overcapture]"] == "if_available"
            books.intents[new.id] = new
            return json(object(new))
        case ("POST", "payment_methods", nil):
            let id = "pm_\(books.count)"
            guard form["card[number]"]?.count ?? 0 >= 12 else {
                return error(402, "card_error", "incorrect_number")
            }
            books.cards[id] = form["card[number]"]
            let metadata = object(metadata(form))
            return json(#"{"object":"payment_method","id":"\#(id)","type":"card","metadata":\#(metadata)}"#)
        case ("GET", "payment_intents", nil) where parts[2] == "search":
            let query = request.query["query"] ?? ""
            let found = books.intents.values.filter { intent in
                intent.isFound
                    && intent.metadata.contains { query == "metadata[\"\($0.key)\"]:\"\($0.value)\"" }
            }
            let data = found.sorted { $0.created > $1.created }.map(object).joined(separator: ",")
            return json(#"{"object":"search_result","data":[\#(data)],"has_more":false}"#)
        case ("GET", "payment_intents", nil):
            return books.intents[parts[2]].map { json(object($0)) } ?? missing
        case ("POST", "payment_intents", let verb?): return change(parts[2], verb, form, &books)
        case ("GET", "charges", nil): return charge(parts[2], books)
        case ("GET", "refunds", nil): return list(request.query["charge"] ?? "", books)
        case ("POST", "refunds", nil): return refund(form, &books)
        default: return missing
        }
    }

    private static func change(
        _ id: String, _ verb: String, _ form: [String: String], _ books: inout Books
    ) -> LocalService.Answer {
        guard var intent = books.intents[id] else { return missing }
        let unexpected = error(400, "invalid_request_error", "payment_intent_unexpected_state")
        switch verb {
        case "confirm":
            guard intent.status == "requires_payment_method", let method = form["payment_method"] else {
                return unexpected
            }
            if books.cards[method] == "4012888888881881" {
                intent.failure = ("card_declined", "insufficient_funds", method)
                books.intents[id] = intent
                return error(402, "card_error", "card_declined", "insufficient_funds")
            }
            if books.cards[method] == "5105105105105100" {
                if form["error_on_requires_action"] == "true" {
                    intent.failure = ("authentication_required", nil, method)
                    books.intents[id] = intent
                    return error(402, "card_error", "authentication_required")
                }
                intent.action =
                    form["return_url"].map {
                        #"{"type":"redirect_to_url","redirect_to_url":{"url":"https://bank.example.com/3ds","return_url":"\#($0)"}}"#
                    } ?? #"{"type":"use_stripe_sdk","use_stripe_sdk":{}}"#
                (intent.method, intent.status) = (method, "requires_action")
                break
            }
            intent.method = method
            charge(&intent, &books)
        case "capture":
            let amount = form["amount_to_capture"].flatMap { Int($0) } ?? intent.amount
            guard intent.status == "requires_capture", amount <= intent.most else { return unexpected }
            intent.status = "succeeded"
            intent.captured = amount
            intent.metadata.merge(metadata(form)) { _, new in new }
        case "cancel":
            guard intent.status != "succeeded", intent.status != "canceled" else { return unexpected }
            intent.status = "canceled"
        default: return missing
        }
        books.intents[id] = intent
        return json(object(intent))
    }

    private static func refund(_ form: [String: String], _ books: inout Books) -> LocalService.Answer {
        if let code = books.refusal { return error(400, "invalid_request_error", code) }
        guard let charge = form["charge"], let intent = books.intents["pi_" + charge.dropFirst(3)] else {
            return missing
        }
        let sum = (books.refunds[charge] ?? []).reduce(0) { $0 + $1.amount }
        let amount = form["amount"].flatMap { Int($0) } ?? intent.captured - sum
        guard amount > 0, sum + amount <= intent.captured else {
            return error(400, "invalid_request_error", "charge_already_refunded")
        }
        let new = Refund(id: "re_\(books.count)", amount: amount, key: form["metadata[checkout_key]"] ?? "")
        books.refunds[charge, default: []].append(new)
        return json(object(new, charge, intent.currency))
    }

    private static func charge(_ id: String, _ books: Books) -> LocalService.Answer {
        guard let intent = books.intents["pi_" + id.dropFirst(3)], intent.method != nil else {
            return missing
        }
        let isCaptured = intent.captured > 0
        let refunded = (books.refunds[id] ?? []).reduce(0) { $0 + $1.amount }
        let released =
            isCaptured
            ? max(intent.amount - intent.captured, 0) : intent.status == "canceled" ? intent.amount : 0
        let more =
            "{\"status\":\"\(intent.takesMore ? "available" : "unavailable")\",\"maximum_amount_capturable\":\(intent.most)}"
        return json(
            """
            {"object":"charge","id":"\(id)","amount":\(intent.amount),"amount_captured":\(intent.captured),\
            "amount_refunded":\(refunded + (books.isOldVersion ? released : 0)),"captured":\(isCaptured),"currency":"\(intent.currency)",\
            "description":"\(intent.description ?? "")","payment_intent":\(object(intent)),\
            "payment_method_details":{"type":"card","card":{"brand":"visa","last4":"1111","overcapture":\(more)}}}
            """)
    }

    private static func list(_ charge: String, _ books: Books) -> LocalService.Answer {
        let currency = books.intents["pi_" + charge.dropFirst(3)]?.currency ?? ""
        var data = (books.refunds[charge] ?? []).reversed().map { object($0, charge, currency) }
        if books.isOldVersion, let intent = books.intents["pi_" + charge.dropFirst(3)],
            (1..<intent.amount).contains(intent.captured)
        {
            let rest = Refund(id: "re_0", amount: intent.amount - intent.captured, key: "")
            data.append(object(rest, charge, currency))
        }
        return json(#"{"object":"list","data":[\#(data.joined(separator: ","))],"has_more":false}"#)
    }

    private static func metadata(_ form: [String: String]) -> [String: String] {
        let pairs = form.filter { $0.key.hasPrefix("metadata[") }
        return Dictionary(
            uniqueKeysWithValues: pairs.map { (String($0.key.dropFirst(9).dropLast()), $0.value) })
    }

    private static func object(_ refund: Refund, _ charge: String, _ currency: String) -> String {
        """
        {"object":"refund","id":"\(refund.id)","amount":\(refund.amount),"charge":"\(charge)","currency":"\(currency)",\
        "status":"succeeded","metadata":{"checkout_key":"\(refund.key)"}}
        """
    }

    private static func object(_ intent: Intent) -> String {
        let method = intent.method.map { "\"\($0)\"" } ?? "null"
        let charge =
            intent.method == nil || intent.action != nil ? "null" : "\"ch_\(intent.id.dropFirst(3))\""
        let failure =
            intent.failure.map {
                """
                {"type":"card_error","code":"\($0.code)","decline_code":\($0.decline.map { "\"\($0)\"" } ?? "null"),\
                "payment_method":{"object":"payment_method","id":"\($0.method)"}}
                """
            } ?? "null"
        return """
            {"object":"payment_intent","id":"\(intent.id)","created":\(intent.created),"capture_method":"\(intent.capture)",\
            "amount":\(intent.amount),"amount_received":\(intent.captured),\
            "amount_capturable":\(intent.status == "requires_capture" ? intent.amount : 0),\
            "currency":"\(intent.currency)","description":"\(intent.description ?? "")","status":"\(intent.status)",\
            "payment_method":\(method),"latest_charge":\(charge),"last_payment_error":\(failure),"next_action":\(intent.action ?? "null"),\
            "metadata":\(object(intent.metadata))}
            """
    }

    private static func object(_ metadata: [String: String]) -> String {
        "{" + metadata.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
    }

    private static func json(_ text: String) -> LocalService.Answer {
        LocalService.Answer(200, "application/json", text)
    }

    private static func error(
        _ status: Int, _ type: String, _ code: String?, _ decline: String? = nil
    ) -> LocalService.Answer {
        let more =
            (code.map { ",\"code\":\"\($0)\"" } ?? "") + (decline.map { ",\"decline_code\":\"\($0)\"" } ?? "")
        return LocalService.Answer(
            status, "application/json", "{\"error\":{\"type\":\"\(type)\"\(more),\"message\":\"no\"}}")
    }

    private static var missing: LocalService.Answer {
        error(404, "invalid_request_error", "resource_missing")
    }
}

/// A value that tests and a service's threads share.
final class SendableBox<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value
    init(_ value: Value) { self.value = value }
    func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
