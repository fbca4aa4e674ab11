package import Checkout

/// How a till's capture, refund or void ended: in words, as JSON, as an exit status.
package struct ChangeResult: Sendable {
    package let outcome: TillResult.Outcome
    /// How it ended; nil where it was stopped before it began.
    package let end: ChangeEnd?
    private let change: ChargeChange
    private let locale: MoneyLocale

    /// How it ended.
    package init(_ end: ChangeEnd, locale: MoneyLocale) {
        self.end = end
        change = end.change
        self.locale = locale
        outcome =
            switch end.outcome {
            case .done: .paid
            case .perhaps: .perhapsPaid
            case .failed(.heldElsewhere), .failed(.journalUnreadable), .failed(.notWrittenDown): .notBegun
            case .failed: .notPaid
            }
    }

    /// Somebody stopped it before it was written down.
    package init(cancelled change: ChargeChange, locale: MoneyLocale) {
        outcome = .cancelled
        end = nil
        self.change = change
        self.locale = locale
    }

    /// What was done.
    package var booked: BookedChange? {
        if case .done(let booked) = end?.outcome { booked } else { nil }
    }

    private var error: PaymentError? {
        switch end?.outcome {
        case .failed(let error), .perhaps(let error): error
        case .done, nil: nil
        }
    }

    private var verb: (done: String, present: String) {
        switch change.kind {
        case .capture: ("captured", "Capture")
        case .refund: ("refunded", "Refund")
        case .void: ("voided", "Void")
        }
    }

    /// What an earlier program did, or may have done.
    private var earlier: EarlierPayment? {
        if case .earlierPayments(let payments) = error { payments.first } else { nil }
    }

    private func advice(_ screen: ScreenText) -> String {
        switch outcome {
        case .paid, .cancelled: return ""
        case .notPaid, .notBegun: return Self.advice(error)
        case .perhapsPaid:
            guard let note = end?.note, note.isUnanswered, !note.isTooOldToRepeat,
                let command = command(for: note.attempt, screen)
            else { return "Look it up at the payment service before it is \(verb.done) again." }
            return "Ask once more for the same, it is done only once: \(command)"
        }
    }

    /// How the same is asked for: the till adds the tip to the amount, so it is not in it here.
    ///
    /// - Returns: nil where the name of the note's change cannot be shown as it is: without it, another change would be asked for.
    private func command(for note: OpenAttempt, _ screen: ScreenText) -> String? {
        let kind = note.change ?? change.kind
        var words = ["till", kind.rawValue]
        switch note.key?.changeName(of: change.charge) {
        case .name(let name):
            // A line is broken at its blanks: of two in a row one is left.
            let isShown = screen.plain(name) == name && ScreenText.wrap(name, to: .max) == [name]
            guard isShown else { return nil }
            // First: who takes one line of two has it.
            words += ["--change", "'\(name.replacing("'", with: "'\\''"))'"]
        case .unreadable: return nil
        case .unnamed, nil: break
        }
        words.append(change.charge.value)
        if kind != .void {
            let units = note.amount.minorUnits - (note.tip?.minorUnits ?? 0)
            let price = Money(minorUnits: units, currency: note.amount.currency) ?? note.amount
            words.append(price.displayAmount)
            if let tip = note.tip { words += ["--tip", tip.displayAmount] }
            words += ["--currency", note.amount.currency.code]
        }
        return words.joined(separator: " ")
    }

    /// What to do where nothing was done: no card is asked for here, and no cash taken.
    private static func advice(_ error: PaymentError?) -> String {
        if case .unfit = error { return "" }
        switch error?.advice {
        case .tryAgain: return CashierAdvice.tryAgain.words
        case .checkNetwork: return CashierAdvice.checkNetwork.words
        case .callSupport, .askForAnotherCard, .checkTheCard: return "Call support."
        case .doNotChargeAgain, nil: return ""
        }
    }

    private var message: String {
        if case .unfit(let why) = error { return why + "." }
        if error == .anotherAmount { return Self.other }
        return error == .notTold ? Self.untold : error?.message ?? ""
    }

    /// One line for people, on a screen that shows UTF-8 or does not.
    package func words(_ screen: ScreenText) -> String {
        let sum = { (amount: Money) in screen.hasUnicode ? locale.text(amount) : locale.plainText(amount) }
        return screen.plain(words(sum, advice(screen)))
    }

    private func words(_ sum: (Money) -> String, _ advice: String) -> String {
        let done = verb.done.prefix(1).uppercased() + verb.done.dropFirst()
        let names =
            end?.note.map {
                " \(sum($0.attempt.amount)) of \($0.attempt.description) has \($0.attempt.names)."
            } ?? ""
        switch outcome {
        case .paid:
            guard let booked else { return "" }
            let tip = booked.tip.map { ", \(sum($0)) of it a tip" } ?? ""
            return
                "\(done): \(sum(booked.amount))\(tip), of charge \(change.charge). \(verb.present) \(booked.id)."
        case .perhapsPaid:
            if let earlier, case .success(let charge) = earlier.end {
                return
                    "\(done) before: an earlier till has done it, \(charge.id). Nothing was \(verb.done) now. "
                    + "\(advice)\(names)"
            }
            return
                "Perhaps \(verb.done): \(earlier.map(Self.reason) ?? message) \(advice)\(names)"
        case .notPaid, .notBegun: return "Not \(verb.done): \(message) \(advice)"
        case .cancelled: return "Cancelled: nothing was \(verb.done)."
        }
    }

    private static let other = "the payment service has another amount, or tip, in its books."
    private static let untold = "the payment service has one in its books, and does not tell its tip or name."

    private static func reason(_ payment: EarlierPayment) -> String {
        switch payment.end {
        case .possibleSuccess(.pollTimedOut): return "the payment service has not confirmed it."
        case .possibleSuccess(.anotherAmount): return other
        case .possibleSuccess(.notTold): return untold
        case .idle, .inProgress, .success, .possibleSuccess, .failure, .cancelled: break
        }
        if payment.isTooOldToRepeat {
            return "an earlier till was stopped in the middle of it, longer ago than the service keeps keys."
        }
        return "an earlier till was stopped in the middle of it."
    }

    /// One line for programs.
    package var json: String {
        var json = JSONLine()
        json.field("outcome", outcome.rawValue)
        json.field("change", change.kind.rawValue)
        json.field("charge", change.charge.value)
        let amount = booked?.amount ?? end?.note?.attempt.amount ?? change.amount
        if let amount {
            json.field("amount", amount.minorUnits)
            json.field("currency", amount.currency.code)
            json.field("display_amount", amount.displayAmount)
        }
        if let tip = booked?.tip ?? change.tip { json.field("tip", tip.minorUnits) }
        json.field("id", booked?.id ?? earlierID)
        json.field("error", earlier == nil ? error?.code : "earlier_change")
        let told = { words({ $0.description }, advice(ScreenText(hasUnicode: true))) }
        json.field("message", earlier.map { _ in told() } ?? error.map { _ in message })
        if outcome == .perhapsPaid { json.field("advice", CashierAdvice.doNotChargeAgain.rawValue) }
        if outcome == .notPaid || outcome == .notBegun { json.field("advice", error?.advice.rawValue) }
        if let record = end?.record {
            json.field("captured", record.captured.minorUnits)
            json.field("refunded", record.refunded.minorUnits)
        }
        json.field("", end?.note?.attempt)
        return json.text
    }

    private var earlierID: String? {
        if case .success(let charge) = earlier?.end { charge.id } else { nil }
    }
}
