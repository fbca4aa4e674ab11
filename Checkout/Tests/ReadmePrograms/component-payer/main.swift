import Checkout
import CheckoutHTTP
import Glibc

/// Returns once it can be read: what was only on its way is told to nobody when the program is killed.
func tell(_ words: String...) {
    print(words.joined(separator: " "))
    fflush(nil)
}

// component-payer SERVICE JOURNAL NUMBER ORDER
let words = CommandLine.arguments
let client = CardClient(
    config: CoreConfig(clientID: "pkey_0d4502a9bf8430ae", currency: .eur, locale: MoneyLocale("en_GB")),
    gateway: try HTTPGateway(HTTPGatewayConfiguration(address: words[1])),
    journal: try FileJournal(folder: words[2]))
let request = OrderRequest(description: "Shoes", amountInCents: 440, reference: words[4])
var paid: TransactionID?
var earlier: [EarlierPayment] = []
let form = CardFieldComponent(
    client: client,
    createOrder: { .request(request) },
    onApprove: { response in
        tell("paid: \(response.displayAmount) for \(response.charge.description), \(response.charge.id)")
        paid = response.orderID
    },
    onError: { error in
        switch error {
        case .earlierPayments(let payments):
            // Who was killed may have charged.
            tell("not begun:", PaymentError.earlierPayments(payments).message)
            earlier = payments
        case .alreadyPaid(let charge): tell("paid before:", charge.id)
        case .alreadyCaptured(let id), .underWay(let id), .possibleSuccess(let id, _):
            tell("perhaps paid:", id.value)
        default: tell("not paid:", "\(error)")
        }
    })
let (number, expiry, code) = (CardNumberField(), CardExpiryField(), CardCVVField())
_ = number.editor.type(words[3])
_ = expiry.editor.type("1230")
_ = code.editor.type("123")
form.add(number, expiry, code)
// Asks first what became of the payments of programs that were killed.
await form.submit()
// Somebody has read it now: the next payment may begin.
if let paid { await client.acknowledge(paid) }
for payment in earlier { await client.acknowledge(payment, selling: request) }
