internal import CardData
package import Checkout

/// How a till's payment ended: in words, as JSON, as an exit status.
package struct TillResult: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        case paid = "success"
        case notPaid = "failure"
        case perhapsPaid = "possible_success"
        case cancelled
        case notBegun = "not_begun"

        /// 0 only for what was paid; 2 and 64 are usage errors elsewhere.
        package var exitStatus: Int32 {
            switch self {
            case .paid: 0
            case .notPaid: 1
            case .perhapsPaid: 3
            case .cancelled: 4
            case .notBegun: 5
            }
        }
    }

    package private(set) var outcome: Outcome
    package let description: String
    package let amount: Money
    package let locale: MoneyLocale
    package var charge: Charge?
    package var error: PaymentError?
    /// The merchant's own name for the sale.
    package let order: String?
    /// How the card came, or that it was a wallet; nil where none was paid with.
    package var entry: String?
    /// The payment that a killed till left behind, because of which this one did not begin.
    package private(set) var earlier: EarlierPayment?
    /// What was written down of this payment: by this it is found in the service's books.
    package private(set) var record: EarlierPayment?

    package init(
        _ outcome: Outcome, description: String, amount: Money, locale: MoneyLocale, order: String? = nil,
        charge: Charge? = nil, error: PaymentError? = nil
    ) {
        let isSame = { (attempt: OpenAttempt) in
            SaleKey(service: attempt.service, order: order, description: description, amount: amount)
                .isSame(as: attempt.sale)
        }
        earlier = Self.earlier(error, isSame)
        self.outcome =
            earlier.map { isSame($0.attempt) ? .perhapsPaid : .notBegun } ?? Self.outcome(outcome, error)
        self.description = description
        self.amount = amount
        self.locale = locale
        self.order = order
        self.charge = charge
        self.error = error
    }

    /// How a payment's state ends a till.
    package init(
        _ state: PaymentState, description: String, amount: Money, locale: MoneyLocale, order: String? = nil
    ) {
        var (charge, error): (Charge?, PaymentError?) = (nil, nil)
        switch state {
        case .success(let moved): charge = moved
        case .possibleSuccess(let why), .failure(let why): error = why
        case .cancelled(let latest), .idle(let latest): error = latest
        case .inProgress: break
        }
        self.init(
            Self.outcome(of: state), description: description, amount: amount, locale: locale, order: order,
            charge: charge, error: error)
    }

    /// The same with what was written down of the payment.
    package func naming(_ record: EarlierPayment?) -> TillResult {
        var result = self
        let isOver = if case .inProgress = record?.end { false } else { true }
        result.record =
            isOver ? record : record.map { EarlierPayment($0.attempt, .possibleSuccess(.interrupted)) }
        // What is written down may have charged, whatever was heard last.
        guard let written = result.record, written.mayHaveCharged else { return result }
        switch outcome {
        case .paid, .perhapsPaid: break
        case .notPaid, .cancelled, .notBegun:
            result.outcome = .perhapsPaid
            if case .possibleSuccess(let error) = written.end { result.error = error }
        }
        return result
    }

    /// Of several earlier payments the one that a till ends with: one for the same sale, where there is one.
    private static func earlier(_ error: PaymentError?, _ isSame: (OpenAttempt) -> Bool) -> EarlierPayment? {
        guard case .earlierPayments(let payments) = error else { return nil }
        return payments.first { isSame($0.attempt) } ?? payments.first
    }

    /// Where the sale was paid before, or is somebody else's at present.
    private static func outcome(_ outcome: Outcome, _ error: PaymentError?) -> Outcome {
        switch error {
        case .alreadyPaid: return .perhapsPaid
        case .heldElsewhere: return .notBegun
        case .gateway, .unfit, .incompleteCard, .notAuthorised, .pollTimedOut, .interrupted, .notWrittenDown,
            .anotherAmount, .notTold, .earlierPayments, .journalUnreadable, nil:
            return outcome
        }
    }

    private static func outcome(of state: PaymentState) -> Outcome {
        switch state {
        case .success: .paid
        case .possibleSuccess: .perhapsPaid
        case .failure: .notPaid
        case .cancelled, .idle, .inProgress: .cancelled
        }
    }

    /// What was charged for the order before.
    private var paidBefore: Charge? {
        if case .alreadyPaid(let charge) = error { charge } else { nil }
    }

    private var advice: CashierAdvice? {
        switch outcome {
        case .perhapsPaid: .doNotChargeAgain
        case .notBegun where earlier != nil: .tryAgain
        case .paid, .cancelled: nil
        case .notPaid, .notBegun: error?.advice
        }
    }

    /// One line for people, on a screen that shows UTF-8 or does not.
    package func words(_ screen: ScreenText) -> String {
        let sum = { (amount: Money) in screen.hasUnicode ? locale.text(amount) : locale.plainText(amount) }
        return screen.plain(earlier.map { words(after: $0, sum($0.attempt.amount)) } ?? words(sum(amount)))
    }

    private func words(after earlier: EarlierPayment, _ sum: String) -> String {
        let start = outcome == .perhapsPaid ? "Perhaps paid" : "Not begun"
        let end = outcome == .perhapsPaid ? advice?.words ?? "" : "Nothing was charged for \(description)."
        return "\(start): there is an earlier payment, of this till or another one. "
            + "\(earlier.words(sum)) \(end) It has \(earlier.attempt.names)."
    }

    private func words(_ sum: String) -> String {
        switch outcome {
        case .paid:
            let id = charge?.id ?? "unknown"
            guard charge?.isCaptured == false else { return "Paid: \(sum) for \(description). Charge \(id)." }
            return
                "Authorised: \(sum) for \(description). Charge \(id). No money moves before: till capture \(id)"
        case .notPaid: return "Not paid: \(error?.message ?? "") \(advice?.words ?? "")"
        case .perhapsPaid:
            if let paidBefore {
                let what = paidBefore.isCaptured ? "Paid" : "Authorised"
                return "\(what) before: \(error?.message ?? "") \(advice?.words ?? "")"
            }
            let names = record.map { " \(sum) for \(description) has \($0.attempt.names)." } ?? ""
            return
                "Perhaps paid: \(error?.message ?? "") It may have gone through. \(advice?.words ?? "")\(names)"
        case .cancelled: return "Cancelled: \(sum) for \(description). Nothing was charged."
        case .notBegun: return "Not begun: \(error?.message ?? "") \(advice?.words ?? "")"
        }
    }

    /// One line for programs.
    package var json: String {
        var json = JSONLine()
        json.field("outcome", outcome.rawValue)
        json.field("description", description)
        json.field("amount", amount.minorUnits)
        json.field("currency", amount.currency.code)
        json.field("display_amount", amount.displayAmount)
        json.field("charge", charge?.id ?? paidBefore?.id)
        if let charge = charge ?? paidBefore, !charge.isCaptured { json.field("captured", 0) }
        if let tip = charge?.tip { json.field("tip", tip.minorUnits) }
        json.field("card", charge?.maskedNumber)
        json.field("brand", charge?.brand?.rawValue)
        json.field("entry", entry)
        json.field("error", earlier == nil ? error?.code : "earlier_payment")
        json.field("message", earlier.map { $0.words($0.attempt.amount.description) } ?? error?.message)
        json.field("advice", advice?.rawValue)
        json.field("order", order)
        json.field("", record?.attempt)
        if let earlier {
            json.field("earlier_outcome", earlier.end.name)
            json.field("earlier_description", earlier.attempt.description)
            json.field("earlier_amount", earlier.attempt.amount.minorUnits)
            json.field("earlier_currency", earlier.attempt.amount.currency.code)
            json.field("earlier_order", earlier.attempt.order)
            json.field("earlier_", earlier.attempt)
            json.field("earlier_charge", earlier.chargeID)
        }
        return json.text
    }
}

/// One flat JSON object.
struct JSONLine {
    private var members: [String] = []

    var text: String { "{" + members.joined(separator: ",") + "}" }

    mutating func field(_ name: String, _ value: Int) { members.append("\"\(name)\":\(value)") }

    mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        members.append("\"\(name)\":\"\(Self.escaped(value))\"")
    }

    /// What a payment is found by in the service's books; each name with a beginning.
    mutating func field(_ beginning: String, _ attempt: OpenAttempt?) {
        guard let attempt else { return }
        field("\(beginning)transaction", attempt.transaction.value)
        field("\(beginning)source", attempt.source.value)
        field("\(beginning)idempotency_key", attempt.key?.value)
        field("\(beginning)time", attempt.timeText)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
