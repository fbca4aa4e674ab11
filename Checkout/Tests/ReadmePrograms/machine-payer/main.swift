import Checkout
import CheckoutHTTP
import Glibc

/// Returns once it can be read: what was only on its way is told to nobody when the program is killed.
func tell(_ words: String...) {
    print(words.joined(separator: " "))
    fflush(nil)
}

/// What a shop shows; here in lines.
final class Screen: PaymentMachineDelegate {
    unowned let machine: PaymentMachine
    init(_ machine: PaymentMachine) { self.machine = machine }

    func didFailBegin(error: PaymentError) {
        tell("not begun:", error.message)
        // Somebody has read it now: the next payment may begin.
        if case .earlierPayments(let payments) = error { machine.acknowledge(payments) }
    }
    func paymentDidSucceed(chargeID: String, description: String, displayAmount: String, amountInCents: Int) {
        tell("paid: \(displayAmount) for \(description), \(chargeID)")
        machine.acknowledge()
    }
    func paymentDidFail(message: String) { print("not paid:", message) }
    func paymentMayHaveSucceeded(message: String) {
        tell("perhaps paid:", message, machine.record?.attempt.words ?? "")
        machine.acknowledge()
    }
}

// machine-payer SERVICE JOURNAL NUMBER ORDER
let words = CommandLine.arguments
let machine = PaymentMachine(
    publicKey: "pkey_0d4502a9bf8430ae", gateway: try HTTPGateway(HTTPGatewayConfiguration(address: words[1])),
    options: PaymentMachineOptions(currency: .eur, journal: try FileJournal(folder: words[2])))
let screen = Screen(machine)
machine.delegate = screen
// Asks first what became of the payments of programs that were killed.
try await machine.begin(item: "Shoes", amountInCents: 440, order: words[4])
machine.edit(.cardNumber) { $0.type(words[3]) }  // or machine.take(swipe), a SwipeData of SwipeClient
machine.edit(.expiry) { $0.type("1230") }
machine.edit(.cvv) { $0.type("123") }
_ = try? await machine.submit()
