import ArgumentParser
import Checkout

/// What is sold.
struct SaleOptions: ParsableArguments {
    @Argument(help: "What is sold.") var item: String = ""
    @Argument(help: "For how much: 4.40") var amount: String = ""
    @Option(
        help:
            "The sale's own name, up to 50 bytes, as an order's number: it is never paid twice, and never taken for another."
    )
    var order: String?
    @Option(help: "The currency's code (ISO 4217).") var currency = "EUR"
    @Option(help: "How to write amounts, as in LANG; the environment's where it is not given.") var locale:
        String?

    func check() throws {
        guard !item.isEmpty, !amount.isEmpty else {
            throw ValidationError("say what is sold and for how much: till \"Shoes\" 4.40")
        }
        guard item.utf8.count <= 200 else { throw ValidationError("what is sold has up to 200 bytes") }
        // Not with the text itself: it may be a card's number.
        if let problem = SaleKey.problem(of: item, order: order) { throw ValidationError(problem) }
        guard try money().minorUnits > 0 else { throw ValidationError("not an amount: \(amount)") }
    }

    func money() throws -> Money {
        guard let known = Currency(currency) else { throw ValidationError("no such currency: \(currency)") }
        guard let money = Money(amount, currency: known) else {
            throw ValidationError("not an amount of \(known.code): \(amount)")
        }
        return money
    }
}
