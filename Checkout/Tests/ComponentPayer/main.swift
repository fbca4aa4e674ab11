import Checkout
import CheckoutHTTP
import Foundation

// A program that pays by the component API and keeps a journal, as small as one can be: a form of three fields, filled
// with a test card. Tests kill it.
//
//     component-payer SERVICE JOURNAL NUMBER [acknowledge]

let words = CommandLine.arguments
guard words.count >= 4, let journal = FileJournal(folder: words[2], service: words[1]) else { exit(64) }
let gateway = try HTTPGateway(HTTPGatewayConfiguration(address: words[1]))
let client = CardClient(
    config: CoreConfig(clientID: "pkey_0d4502a9bf8430ae", currency: .eur, locale: MoneyLocale("en_GB")),
    gateway: gateway, journal: journal)
let form = CardFieldComponent(
    client: client,
    createOrder: { .request(OrderRequest(description: "Shoes", amountInCents: 440)) },
    onApprove: { print("paid \($0.charge.id)") },
    onError: { error in
        guard case .earlierPayments(let payments) = error else { return print("failed") }
        for payment in payments {
            if case .success(let charge) = payment.end {
                print("earlier \(charge.id)")
            } else {
                print("earlier")
            }
        }
    })
let (number, expiry, code) = (CardNumberField(), CardExpiryField(), CardCVVField())
_ = number.editor.type(words[3])
_ = expiry.editor.type("1230")
_ = code.editor.type("123")
form.add(number, expiry, code)
if words.count > 4 {
    for payment in try await client.earlierPayments() {
        await client.acknowledge(payment.attempt.transaction)
    }
}
await form.submit()
