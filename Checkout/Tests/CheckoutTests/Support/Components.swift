import CardData
import Synchronization

@testable import Checkout

/// A component with what it needs, for a test.
enum Components {
    static let config = CoreConfig(clientID: "pkey_1", currency: .eur, locale: MoneyLocale("de_DE"))

    static func client(
        _ gateway: ScriptedGateway, _ policy: PaymentPolicy = Payments.patient,
        _ journal: TestJournal? = nil
    ) -> CardClient {
        CardClient(config: config, gateway: gateway, policy: policy, journal: journal ?? TestJournal())
    }

    /// A form with its results.
    final class Form {
        var approved: [CaptureResponse] = []
        var errors: [CaptureError] = []
        var orders = 0
        var order: CardFieldComponent.Order? = .request(
            OrderRequest(description: "Shoes", amountInCents: 440))
        let number = CardNumberField(today: november2026)
        let expiry = CardExpiryField(today: november2026)
        let code = CardCVVField(today: november2026)

        func component(
            _ gateway: ScriptedGateway, _ policy: PaymentPolicy = Payments.patient,
            _ journal: TestJournal? = nil
        ) -> CardFieldComponent {
            CardFieldComponent(
                client: Components.client(gateway, policy, journal), today: november2026,
                createOrder: { [self] in
                    orders += 1
                    return order
                }, onApprove: { [self] in approved.append($0) }, onError: { [self] in errors.append($0) })
        }

        func fill(_ number: String = "4111111111111111") {
            _ = self.number.editor.type(number)
            _ = expiry.editor.type("12/30")
            _ = code.editor.type("123")
        }
    }
}
