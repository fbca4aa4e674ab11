import Checkout
import CheckoutHTTP
import Glibc

/// Returns once it can be read: what was only on its way is told to nobody when the program is killed.
func tell(_ words: String...) {
    print(words.joined(separator: " "))
    fflush(nil)
}

// component-payer SERVICE JOURNAL NUMBER [ORDER]
let words = CommandLine.arguments
let client = CardClient(
    config: CoreConfig(clientID: "pkey_0d4502a9bf8430ae", currency: .eur, locale: MoneyLocale("en_GB")),
    gateway: try HTTPGateway(HTTPGatewayConfiguration(address: words[1])),
    journal: try FileJournal(folder: words[2]))
// Who was killed may have charged: somebody is told, and then the next payment may begin.
let earlier = try await client.earlierPayments()
for payment in earlier {
    tell("not begun:", PaymentError.earlierPayments([payment]).message)
    await client.acknowledge(payment.attempt.transaction)
}
var paid: TransactionID?
let form = CardFieldComponent(
    client: client,
    createOrder: {
        let order = words.count > 4 ? words[4] : nil
        return .request(OrderRequest(description: "Shoes", amountInCents: 440, reference: order))
    },
    onApprove: { response in
        tell("paid: \(response.displayAmount) for \(response.charge.description), \(response.charge.id)")
        paid = response.orderID
    },
    onError: { error in tell("not paid:", "\(error)") })
let (number, expiry, code) = (CardNumberField(), CardExpiryField(), CardCVVField())
_ = number.editor.type(words[3])
_ = expiry.editor.type("1230")
_ = code.editor.type("123")
form.add(number, expiry, code)
if earlier.isEmpty { await form.submit() }
if let paid { await client.acknowledge(paid) }
