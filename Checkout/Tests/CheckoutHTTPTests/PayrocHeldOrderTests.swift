import Checkout
import CheckoutTesting
import Testing

@testable import CheckoutHTTP

/// Orders that are authorised, and not captured yet.
@Suite struct PayrocHeldOrderTests {
    /// What it is is said, before a card is asked for: authorised, to be captured; then it is paid.
    @Test func anOrderThatIsAuthorisedIsToldSo() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let gateway = try PayrocSales.gateway(fake)
        let held = try StripeSales.charge(
            try await PayrocSales.pay(PayrocSales.desk(gateway), capture: .later, order: "17"))
        let error = await #expect(throws: PaymentError.self) {
            try await PayrocSales.pay(PayrocSales.desk(gateway), capture: .later, order: "17")
        }
        #expect(error == .alreadyPaid(held) && !held.isCaptured)
        #expect(error?.message.contains("authorised before: charge \(held.id)") == true)
        let captured = await PayrocSales.desk(gateway).change(.capture(ChargeID(held.id)))
        guard case .done = captured.outcome else { throw TestFailure("\(captured.outcome)") }
        let paid = await #expect(throws: PaymentError.self) {
            try await PayrocSales.pay(PayrocSales.desk(gateway), capture: .later, order: "17")
        }
        guard case .alreadyPaid(let charge) = paid else { throw TestFailure("\(String(describing: paid))") }
        #expect(charge.isCaptured && fake.captures == 1 && fake.holds == 0)
    }

    /// It was authorised after this till had looked.
    @Test func anOrderThatWasAuthorisedMeanwhile() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let gateway = try PayrocSales.gateway(fake)
        let late = try await PayrocSales.desk(gateway).begin(
            "Shoes", amount: try StripeSales.euros(440), order: "17", capture: .later)
        let held = try StripeSales.charge(
            try await PayrocSales.pay(PayrocSales.desk(gateway), capture: .later, order: "17"))
        let end = try await late.pay(preparedBy: HeadlessPreparer(card: try card("4111111111111111")))
        guard case .failure(.gateway(let error)) = end else { throw TestFailure("\(end)") }
        #expect(error.message.contains("authorised already") && error.message.contains(held.id))
        #expect(fake.holds == 1 && fake.captures == 0)
    }
}
