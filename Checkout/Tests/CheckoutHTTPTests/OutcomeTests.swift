import Checkout
import CheckoutHTTP
import CheckoutTesting
import Foundation
import Testing

/// Each test number's outcome, through the payment, the HTTP gateway and a real server, against the ledger.
@Suite struct OutcomeTests {
    enum End { case success, possibleSuccess, failure(GatewayError.Code) }

    @Test(arguments: [
        ("4111111111111111", End.success, 1), ("5555555555554444", .success, 1),
        ("378282246310005", .success, 1),
        ("4012888888881881", .failure(.declined), 0), ("38520000023237", .failure(.insufficientFunds), 0),
        ("371449635398431", .failure(.expiredCard), 0), ("30569309025904", .failure(.wrongCode), 0),
        ("6011111111111117", .success, 1), ("6011000990139424", .possibleSuccess, 1),
        ("3530111333300000", .success, 1), ("3566002020360505", .success, 1),
        ("4222222222222", .failure(.invalidNumber), 0),
    ])
    func numbersDecide(number: String, expected: End, charges: Int) async throws {
        try await withSandbox { sandbox, address in
            let gateway = try gateway(address)
            let transaction = try await gateway.openTransaction(try shoes(), key: IdempotencyKey())
            #expect(transaction.methods.map(\.id) == ["card", "swipe", "sandpay"])
            let isEndless = if case .possibleSuccess = expected { true } else { false }
            let payment = Payment(transaction, gateway: gateway, policy: isEndless ? impatient : quick)
            let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try card(number)))
            switch (expected, end) {
            case (.success, .success(let charge)):
                #expect(charge.amount.minorUnits == 440)
                #expect(try await sandbox.ledger().map(\.id) == [charge.id])
            case (.possibleSuccess, .possibleSuccess(let error)): #expect(error == .pollTimedOut)
            case (.failure(let code), .failure(.gateway(let error))): #expect(error.code == code)
            default: Issue.record("\(number.suffix(4)) ended as \(end.name)")
            }
            #expect(try await sandbox.ledger().count == charges)
        }
    }

    /// The customer agrees, refuses, or does nothing.
    @Test(arguments: [("yes", "success", 1), ("no", "failure", 0), ("", "failure", 0)])
    func redirects(answer: String, end: String, charges: Int) async throws {
        try await withSandbox { sandbox, address in
            let gateway = try gateway(address)
            let transaction = try await gateway.openTransaction(try shoes(), key: IdempotencyKey())
            let preparer = HeadlessPreparer(card: try card("5105105105105100"))
            preparer.onRedirect = { page in
                if !answer.isEmpty { Task.detached { try await visit(page + "?answer=" + answer) } }
            }
            let payment = Payment(transaction, gateway: gateway, policy: answer.isEmpty ? impatient : quick)
            #expect(try await payment.pay(preparedBy: preparer).name == end)
            #expect(try await sandbox.ledger().count == charges)
        }
    }

    @Test func aDeclinedPaymentMayBePaidWithAnotherCard() async throws {
        try await withSandbox { sandbox, address in
            let client = CardClient(
                config: CoreConfig(clientID: "pkey_1", currency: .eur, locale: MoneyLocale("en_GB")),
                gateway: try gateway(address), policy: quick, journal: MemoryJournal())
            let id = try await client.createOrder(OrderRequest(description: "Shoes", amountInCents: 440))
            await #expect(throws: CaptureError.self) {
                try await client.capture(orderID: id, card: try card("4012888888881881"))
            }
            let response = try await client.capture(orderID: id, card: try card("4111111111111111"))
            #expect(response.displayAmount == "€4.40")
            #expect(response.charge.maskedNumber == "411111…1111")
            #expect(try await sandbox.ledger().map(\.transaction) == [id.value])
            // Another program is asked to pay the same order.
            let other = CardClient(
                config: CoreConfig(clientID: "pkey_1", currency: .eur, locale: MoneyLocale("en_GB")),
                gateway: try gateway(address), policy: quick, journal: MemoryJournal())
            await #expect(throws: CaptureError.alreadyCaptured(id)) {
                try await other.capture(orderID: id, card: try card("5555555555554444"))
            }
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    @Test func aMachinePaysOverHTTP() async throws {
        try await withSandbox { sandbox, address in
            let today = try #require(CalendarMonth(year: 2026, month: 11))
            let machine = PaymentMachine(
                secretKey: "skey_1", gateway: try gateway(address),
                options: PaymentMachineOptions(
                    currency: .eur, today: today, policy: quick, journal: MemoryJournal()))
            try await machine.begin(item: "Shoes", amountInCents: 440)
            machine.edit(.cardNumber) { $0.type("4111111111111111") }
            machine.edit(.expiry) { $0.type("1230") }
            machine.edit(.cvv) { $0.type("123") }
            #expect(try await machine.submit()?.name == "success")
            #expect(try await sandbox.ledger().map(\.amount) == [440])
        }
    }
}
