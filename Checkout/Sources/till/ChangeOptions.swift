import ArgumentParser
import Checkout
import CheckoutHTTP
import TillScreen

/// A tip, and when the money moves: of a payment.
struct CaptureOptions: ParsableArguments {
    @Option(help: "What the customer gives on top of the amount: 0.50") var tip: String?
    @Flag(help: "Only hold the amount on the card. It is taken by: till capture CHARGE")
    var authoriseOnly = false

    var time: CaptureTime { authoriseOnly ? .later : .atOnce }

    func tip(_ currency: Currency) throws -> Money? {
        guard let tip else { return nil }
        guard let money = Money(tip, currency: currency) else {
            throw ValidationError("not an amount of \(currency.code): \(tip)")
        }
        return money
    }

    func total(_ price: Money, _ tip: Money?) throws -> Money { try Self.sum(price, tip) }

    static func sum(_ price: Money, _ tip: Money?) throws -> Money {
        let units = price.minorUnits + (tip?.minorUnits ?? 0)
        guard let total = Money(minorUnits: units, currency: price.currency) else {
            throw ValidationError("amount and tip are more than a payment may be")
        }
        return total
    }
}

/// Where the payment service is, and how to talk to it: for captures, refunds and voids.
struct ChangeOptions: ParsableArguments {
    @Option(help: "The payment service's address; $TILL_SERVICE where it is not given.") var service: String?
    @Option(help: "A PEM file with certificates to trust beside the system's.") var trust: String?
    @Option(help: "The currency's code (ISO 4217).") var currency = "EUR"
    @Option(help: "How to write amounts, as in LANG; the environment's where it is not given.") var locale:
        String?
    @Flag(help: "Print the result as one line of JSON.") var json = false
    @Option(help: "How many seconds to wait for the payment service to confirm.") var patience = 60
    @Option(help: "How many seconds the payment service has for one whole answer.") var timeout = 15
    @Option(
        help:
            "The folder for payments under way; $TILL_JOURNAL, or till in $XDG_STATE_HOME or ~/.local/state.")
    var journal: String?

    func check(_ receipt: ReceiptOptions) throws {
        guard Currency(currency) != nil else { throw ValidationError("no such currency: \(currency)") }
        guard [patience, timeout].allSatisfy((1...3600).contains) else {
            throw ValidationError("seconds are between 1 and 3600")
        }
        try receipt.check(json: json)
    }

    func money(_ text: String) throws -> Money {
        guard let currency = Currency(currency), let money = Money(text, currency: currency),
            money.minorUnits > 0
        else { throw ValidationError("not an amount of \(currency.uppercased()): \(text)") }
        return money
    }

    var moneyLocale: MoneyLocale { MoneyLocale(locale ?? Screen.moneyLocale) }

    /// The desk; where the journal cannot be read, why.
    func desk(_ tell: @escaping @Sendable (PaymentDesk.News) -> Void) throws -> Result<
        PaymentDesk, PaymentError
    > {
        guard let service = service ?? Screen.variable("TILL_SERVICE") else {
            throw ValidationError("where is the payment service? Give --service or set TILL_SERVICE")
        }
        guard let key = Screen.variable("TILL_KEY") else {
            throw ValidationError("set TILL_KEY to the merchant's key")
        }
        guard let folder = journal ?? Screen.variable("TILL_JOURNAL") ?? Screen.stateFolder else {
            throw ValidationError("where may payments be written down? Give --journal or set TILL_JOURNAL")
        }
        let gateway: HTTPGateway
        do throws(GatewayError) {
            gateway = try HTTPGateway(
                HTTPGatewayConfiguration(
                    address: service, additionalTrust: trust, answerTimeout: .seconds(timeout)))
        } catch { throw ValidationError(error.message) }
        let policy = PaymentPolicy(pollTimeout: .seconds(patience), othersTimeout: .seconds(patience + 30))
        let apiKey: APIKey = key.hasPrefix("skey_") ? .secretKey(key) : .publicKey(key)
        do throws(PaymentJournalError) {
            let journal = try FileJournal(folder: folder)
            return .success(
                PaymentDesk(apiKey, gateway: gateway, journal: journal, policy: policy, tell: tell))
        } catch { return .failure(.journalUnreadable(folder)) }
    }
}
