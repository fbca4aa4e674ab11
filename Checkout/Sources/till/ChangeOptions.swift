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

/// In which form the payment service is spoken to.
struct APIOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Speak a public service's API: \(DocumentedService.allCases.map(\.rawValue).joined(separator: " or ")); $TILL_API.",
            discussion: DocumentedService.notice))
    var api: String?
    @Option(
        help: ArgumentHelp(
            "With --api stripe: where the customer's browser goes after 3-D Secure; $TILL_RETURN_ADDRESS. "
                + "Without it, cards that need that are refused.", valueName: "address"))
    var returnAddress: String?
    @Flag(
        help:
            "With --api stripe: ask that more may be captured than is authorised, for tips; not for every account."
    )
    var overcapture = false
    @Option(
        help: ArgumentHelp(
            "With --api payroc: the terminal that Payroc gave the merchant; $TILL_PAYROC_TERMINAL.",
            valueName: "number"))
    var payrocTerminal: String?
    @Option(
        help: ArgumentHelp(
            "With --api payroc: where tokens come from; $TILL_PAYROC_IDENTITY, or Payroc's own.",
            valueName: "address"))
    var payrocIdentity: String?
    @Option(
        help: ArgumentHelp(
            "With --api payroc: the reader, in Payroc's words, and its number, for encrypted swipes; "
                + "$TILL_PAYROC_READER, or genericMsr:0.", valueName: "model:serial"))
    var payrocReader: String?

    private var payroc: PayrocOptions {
        var options = PayrocOptions(
            terminal: payrocTerminal ?? Screen.variable("TILL_PAYROC_TERMINAL") ?? "",
            identityAddress: payrocIdentity ?? Screen.variable("TILL_PAYROC_IDENTITY"))
        let reader = payrocReader ?? Screen.variable("TILL_PAYROC_READER") ?? ""
        let parts = reader.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2 { (options.deviceModel, options.deviceSerial) = (parts[0], parts[1]) }
        return options
    }

    /// A gateway; of one that was never tested it is said so.
    func gateway(_ configuration: HTTPGatewayConfiguration) throws -> any PaymentGateway {
        let name = api ?? Screen.variable("TILL_API")
        do throws(GatewayError) {
            guard let name else { return try HTTPGateway(configuration) }
            guard let service = DocumentedService(rawValue: name) else {
                throw GatewayError(.badRequest, .notSent, "no such API: \(name)")
            }
            Console.words("till: \(name): \(DocumentedService.notice)", to: 2)
            return try service.gateway(
                configuration,
                stripe: StripeOptions(
                    returnAddress: returnAddress ?? Screen.variable("TILL_RETURN_ADDRESS"),
                    asksForOvercapture: overcapture), payroc: payroc)
        } catch { throw ValidationError(error.message) }
    }
}

/// Where the payment service is, and how to talk to it: for captures, refunds and voids.
struct ChangeOptions: ParsableArguments {
    @OptionGroup(title: "Payment service") var service: ServiceOptions
    @Option(help: "The currency's code (ISO 4217).") var currency = "EUR"
    @Option(help: "How to write amounts, as in LANG; the environment's where it is not given.") var locale:
        String?
    @Flag(help: "Print the result as one line of JSON.") var json = false
    @Option(
        help: ArgumentHelp(
            "The merchant's own name for the change, as a return has a number: it is done once, whichever till asks and when.",
            valueName: "name"))
    var change: String?

    func check(_ receipt: ReceiptOptions) throws {
        if let problem = ChargeChange.problem(ofName: change) { throw ValidationError(problem) }
        guard Currency(currency) != nil else { throw ValidationError("no such currency: \(currency)") }
        try receipt.check(json: json)
    }

    func money(_ text: String) throws -> Money {
        guard let currency = Currency(currency), let money = Money(text, currency: currency),
            money.minorUnits > 0
        else { throw ValidationError("not an amount of \(currency.uppercased()): \(text)") }
        return money
    }

    var moneyLocale: MoneyLocale { MoneyLocale(locale ?? Screen.moneyLocale) }

    /// The desk, and what was over when this till began: that was the decision. Where the journal cannot be read, why.
    func desk(_ tell: @escaping @Sendable (PaymentDesk.News) -> Void) throws -> Result<
        (PaymentDesk, start: JournalMark?), PaymentError
    > {
        let gateway = try service.gateway(try service.address())
        let (key, folder) = (try service.apiKey(), try service.journalFolder())
        do throws(PaymentJournalError) {
            let journal = try service.journal(in: folder)
            let desk = PaymentDesk(
                key, gateway: gateway, journal: journal, policy: service.policy, tell: tell)
            return .success((desk, ThisProcess.sinceBoot.map { journal.mark(at: $0) }))
        } catch { return .failure(.journalUnreadable(folder)) }
    }
}
