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

    package let outcome: Outcome
    package let description: String
    package let amount: Money
    package let locale: MoneyLocale
    package var charge: Charge?
    package var error: PaymentError?

    package init(
        _ outcome: Outcome, description: String, amount: Money, locale: MoneyLocale, charge: Charge? = nil,
        error: PaymentError? = nil
    ) {
        self.outcome = outcome
        self.description = description
        self.amount = amount
        self.locale = locale
        self.charge = charge
        self.error = error
    }

    /// How a payment's state ends a till.
    package init(_ state: PaymentState, description: String, amount: Money, locale: MoneyLocale) {
        self.init(Self.outcome(of: state), description: description, amount: amount, locale: locale)
        switch state {
        case .success(let charge): self.charge = charge
        case .possibleSuccess(let error), .failure(let error): self.error = error
        case .cancelled(let error), .idle(let error): self.error = error
        case .inProgress: break
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

    private var advice: CashierAdvice? {
        outcome == .perhapsPaid ? .doNotChargeAgain : outcome == .cancelled ? nil : error?.advice
    }

    /// One line for people.
    package var words: String {
        let sum = locale.text(amount)
        switch outcome {
        case .paid: return "Paid: \(sum) for \(description). Charge \(charge?.id ?? "unknown")."
        case .notPaid: return "Not paid: \(error?.message ?? "") \(advice?.words ?? "")"
        case .perhapsPaid:
            return "Perhaps paid: \(error?.message ?? "") It may have gone through. \(advice?.words ?? "")"
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
        json.field("charge", charge?.id)
        json.field("card", charge?.maskedNumber)
        json.field("brand", charge?.brand?.rawValue)
        json.field("error", error?.code)
        json.field("message", error?.message)
        json.field("advice", advice?.rawValue)
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
