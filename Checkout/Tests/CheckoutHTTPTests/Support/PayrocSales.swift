import Checkout
import CheckoutTesting
import SwipeClient

@testable import CheckoutHTTP

/// Sales at the fake of Payroc's service.
enum PayrocSales {
    static func gateway(_ fake: FakePayroc, _ address: String? = nil, timeout: Duration = .seconds(10)) throws
        -> PayrocGateway
    {
        try PayrocGateway(
            HTTPGatewayConfiguration(
                address: address ?? fake.service.address, answerTimeout: timeout, tries: 2,
                firstPause: .milliseconds(2)),
            PayrocOptions(
                terminal: "1234001", identityAddress: fake.service.address, deviceModel: "idtechSredkey",
                deviceSerial: "SN1"))
    }

    static func desk(
        _ gateway: any PaymentGateway, _ journal: any PaymentJournal = MemoryJournal()
    ) -> PaymentDesk {
        PaymentDesk(
            .secretKey("payroc_1"), gateway: gateway, journal: journal, policy: .ofTests)
    }

    static func pay(
        _ desk: PaymentDesk, _ number: String = "4111111111111111", capture: CaptureTime = .atOnce,
        order: String? = nil, tip: Int? = nil
    ) async throws -> PaymentState {
        let payment = try await desk.begin(
            "Shoes", amount: try StripeSales.euros(440), order: order,
            tip: try tip.map { try StripeSales.euros($0) },
            capture: capture)
        return try await payment.pay(preparedBy: HeadlessPreparer(card: try card(number)))
    }
}
