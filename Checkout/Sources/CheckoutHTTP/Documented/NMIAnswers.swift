internal import Checkout
internal import NIOCore

/// What NMI answers: pairs to a request that moves money, XML to a question.
enum NMIAnswers {
    /// `response=1&responsetext=SUCCESS&authcode=123456&transactionid=1…&orderid=co_…&response_code=100`
    private struct Answer {
        let response: String
        let code: Int
        let transaction: String
        let order: String
        let authorisation: String?

        /// Nil for anything that has not all of it.
        init?(_ body: ByteBuffer) {
            guard let pairs = FormBody.pairs(body), let response = pairs["response"],
                ["1", "2", "3"].contains(response), let code = pairs["response_code"].flatMap({ Int($0) })
            else { return nil }
            self.response = response
            self.code = code
            transaction = pairs["transactionid"] ?? ""
            order = pairs["orderid"] ?? ""
            authorisation = pairs["authcode"].flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    /// An attempt that was approved, or declined: only where the answer names it. What is neither is asked about.
    static func source(
        _ body: ByteBuffer, _ id: SourceID, _ name: NMIName, _ description: String
    ) -> PaymentSource? {
        guard let answer = Answer(body), answer.order == id.value else { return nil }
        switch answer.response {
        case "1" where !answer.transaction.isEmpty:
            return PaymentSource(
                id: id,
                status: .consumed(
                    Charge(
                        id: answer.transaction, amount: name.amount, description: description,
                        approvalCode: answer.authorisation, tip: name.tip, isCaptured: name.capture == .atOnce
                    )))
        case "2": return PaymentSource(id: id, status: .failed(decline(answer.code)))
        default: return nil
        }
    }

    /// A change that was done, or that the gateway itself rejected. What is neither, nobody knows.
    static func change(_ body: ByteBuffer, _ permit: ChangePermit) -> BookedChange? {
        guard let answer = Answer(body) else { return nil }
        let status: BookedChange.Status
        switch (answer.response, answer.code) {
        case ("1", _) where !answer.transaction.isEmpty: status = .done
        case ("2", let code): status = .failed(decline(code))
        // Appendix 3: rejected by the gateway, which is before any processor.
        case ("3", 300): status = .failed(.conflict)
        default: return nil
        }
        return BookedChange(
            id: answer.transaction, kind: permit.change.kind, amount: permit.amount, tip: permit.change.tip,
            key: permit.key, status: status)
    }

    /// Appendix 3, `response_code`.
    static func decline(_ code: Int) -> GatewayError.Code {
        switch code {
        case 202, 203: .insufficientFunds
        case 223, 224: .expiredCard
        case 225: .wrongCode
        case 220, 221, 222: .invalidNumber
        default: .declined
        }
    }

    static let proof: HTTPSender.Prover = { answer, subject in
        if let said = Answer(answer.body) {
            // 430, duplicate: there is another one, which may be ours. 300: a key or a field, in the service's own form.
            return said.code == 300 && said.order == subject ? .refusal(.badRequest) : .stray(nil)
        }
        guard let document = XMLTree(answer.body), document.name == "nm_response" else { return .foreign }
        return .stray(document.first("error_response") == nil ? nil : .badKey)
    }

    /// The transactions of a question's answer; none is an answer, too.
    static func transactions(_ body: ByteBuffer) -> [NMITransaction]? {
        guard let document = XMLTree(body), document.name == "nm_response",
            document.first("error_response") == nil
        else { return nil }
        let parts = document.children.filter { $0.name == "transaction" }
        let transactions = parts.compactMap(NMITransaction.init)
        return transactions.count == parts.count ? transactions : nil
    }
}

/// A transaction of the Query API.
struct NMITransaction: Sendable {
    private struct Action: Sendable {
        let type: String
        let amount: Money
        let isSuccess: Bool
        let code: Int
    }

    let id: String
    private let condition: String
    let order: String
    let field: String?
    private let authorisation: String?
    private let masked: String?
    private let description: String
    private let actions: [Action]

    init?(_ element: XMLTree) {
        guard let id = element.text("transaction_id"), let condition = element.text("condition"),
            let currency = Currency(element.text("currency") ?? "USD")
        else { return nil }
        self.id = id
        self.condition = condition
        order = element.text("order_id") ?? ""
        field = element.text("merchant_defined_field")
        authorisation = element.text("authorization_code").flatMap { $0.isEmpty ? nil : $0 }
        masked = element.text("cc_number")
        description = element.text("order_description") ?? ""
        let parts = element.children.filter { $0.name == "action" }
        actions = parts.compactMap { part in
            guard let type = part.text("action_type"),
                let amount = part.text("amount").flatMap({ Money($0, currency: currency) })
            else { return nil }
            return Action(
                type: type, amount: amount, isSuccess: part.text("success") == "1",
                code: part.text("response_code").flatMap { Int($0) } ?? 0)
        }
        // An action that cannot be read is not none.
        guard actions.count == parts.count else { return nil }
    }

    private func done(_ type: String) -> [Action] { actions.filter { $0.type == type && $0.isSuccess } }

    /// How it stands as an attempt to pay.
    func status(_ description: String, _ name: NMIName) -> PaymentSource.Status {
        switch condition {
        case "pending", "pendingsettlement", "complete":
            charge(description, name).map { .consumed($0) } ?? .processing
        case "failed":
            .failed(NMIAnswers.decline(actions.last { $0.type == "sale" || $0.type == "auth" }?.code ?? 0))
        // Voided: it will never be settled.
        case "canceled": .cancelled
        default: .processing
        }
    }

    /// The money that it holds or moved; nil where that is none.
    func charge(_ description: String, _ name: NMIName) -> Charge? {
        guard ["pending", "pendingsettlement", "complete"].contains(condition),
            let action = (done("sale") + done("auth")).first
        else { return nil }
        return Charge(
            id: id, amount: action.amount, description: description, maskedNumber: masked,
            approvalCode: authorisation, tip: name.tip, isCaptured: condition != "pending")
    }

    /// ASSUMPTION: captures, voids and refunds are actions of the transaction that they change.
    func record(_ charge: ChargeID) -> ChargeRecord? {
        guard id == charge.value, let first = (done("sale") + done("auth")).first else { return nil }
        let nothing =
            first.amount.minorUnits == 0
            ? first.amount : Money(minorUnits: 0, currency: first.amount.currency)
        guard let nothing else { return nil }
        let status: ChargeRecord.Status =
            condition == "canceled" ? .voided : condition == "pending" ? .authorised : .captured
        let changes = actions.filter(\.isSuccess).compactMap { action in
            ChargeChange.Kind(rawValue: action.type).map {
                BookedChange(id: id, kind: $0, amount: action.amount, key: nil, status: .done)
            }
        }
        let sum = done("refund").reduce(0) { $0 + $1.amount.minorUnits }
        let captured = status == .captured ? done("capture").last?.amount ?? first.amount : nothing
        return ChargeRecord(
            charge: Charge(
                id: id, amount: first.amount, description: description, maskedNumber: masked,
                approvalCode: authorisation, isCaptured: status == .captured),
            transaction: TransactionID(field ?? order), status: status,
            capturable: status == .authorised ? first.amount : nothing, captured: captured,
            refunded: Money(minorUnits: min(sum, captured.minorUnits), currency: first.amount.currency)
                ?? nothing,
            changes: changes)
    }
}
