import CardData
import Synchronization
import Testing

@testable import Checkout

/// Card fields as components, and the client that pays.
@Suite struct ComponentTests {

    @Test func threeFieldsPay() async {
        let gateway = ScriptedGateway(Machines.approving)
        let form = Components.Form()
        let component = form.component(gateway)
        component.add(form.number, form.code, form.expiry)
        form.fill()
        await component.submit()
        #expect(form.errors.isEmpty)
        #expect(form.approved.first?.charge == ScriptedGateway.charge)
        #expect(form.approved.first?.displayAmount == "4,40\u{A0}€")
        #expect(form.number.status == .passed)
        #expect(component.fields.count == 3)
    }

    @Test func missingComponentsAreNamedBeforeAnyRequest() async {
        let gateway = ScriptedGateway()
        let form = Components.Form()
        let component = form.component(gateway)
        component.add(form.number)
        form.fill()
        await component.submit()
        #expect(form.errors == [.missingFields([.expiry, .cvv])])
        #expect(form.orders == 0)
        #expect(gateway.requests.isEmpty)
    }

    @Test func invalidFieldsAreNamedBeforeAnyRequest() async {
        let gateway = ScriptedGateway()
        let form = Components.Form()
        let component = form.component(gateway)
        component.add(form.number, form.expiry, form.code)
        form.fill("4111111111111112")
        var judged: [ValidationStatus] = []
        form.number.onStatus = { judged.append($0) }
        await component.submit()
        #expect(form.errors == [.invalidFields([.cardNumber: .checkDigit])])
        #expect(judged == [.failed])
        #expect(form.expiry.status == .passed)
        #expect(gateway.requests.isEmpty)
    }

    @Test func twoFieldsForOneThingAreRefused() async {
        let form = Components.Form()
        let component = form.component(ScriptedGateway())
        component.add(form.number, form.expiry, form.code, CardNumberField(today: november2026))
        form.fill()
        await component.submit()
        #expect(form.errors == [.duplicateFields([.cardNumber])])
    }

    /// Anything that conforms can be a field.
    final class OwnField: CardField {
        let component: CardComponent
        var text: FieldText?
        var told: [ValidationStatus] = []

        init(_ component: CardComponent, _ text: String?) {
            self.component = component
            self.text = text.map { FieldText($0) }
        }

        func validationStatusChanged(_ status: ValidationStatus) { told.append(status) }
    }

    @Test func fieldsOfOnesOwnPay() async {
        let form = Components.Form()
        let component = form.component(ScriptedGateway(Machines.approving))
        let number = OwnField(.cardNumber, "4111-1111-1111-1111")
        component.add(number, OwnField(.expiry, "2030-12"), OwnField(.cvv, "１２３"))
        await component.submit()
        #expect(form.approved.count == 1)
        #expect(number.told == [.passed, .passed], "by the rules, by the service")
    }

    /// After the service's answer the field that it is about is told, and no other one.
    @Test(arguments: [
        (GatewayError.Code.wrongCode, CardComponent?.some(.cvv)), (.expiredCard, .expiry),
        (.invalidNumber, .cardNumber), (.declined, nil),
    ])
    func theServicesAnswerNamesTheField(code: GatewayError.Code, wrong: CardComponent?) async {
        let form = Components.Form()
        let component = form.component(ScriptedGateway(.init(authorised: .failed(code))))
        let fields = [
            OwnField(.cardNumber, "4111111111111111"), OwnField(.expiry, "12/30"), OwnField(.cvv, "123"),
        ]
        for field in fields { component.add(field) }
        await component.submit()
        #expect(form.errors.count == 1)
        for field in fields {
            #expect(field.told == (field.component == wrong ? [.passed, .failed] : [.passed]))
        }
    }

    @Test func aRefusedSwipeIsNamed() async {
        let form = Components.Form()
        let component = form.component(ScriptedGateway(.init(authorised: .failed(.expiredCard))))
        let swipe = SwipeField(today: november2026)
        component.add(form.expiry, swipe)
        swipe.take(Swipes.swipe())
        await component.submit()
        #expect(swipe.status == .failed && form.expiry.status != .failed)
    }

    @Test(arguments: [
        ("41111111111111111111", "12/30", "123", CardComponent.cardNumber),
        ("4111111111111111", "12/30", "1234", .cvv), ("4111111111111111", "12/30/1", "123", .expiry),
        ("", "12/30", "123", .cardNumber),
    ])
    func textsAreNotCutToBeRight(number: String, expiry: String, code: String, wrong: CardComponent) async {
        let form = Components.Form()
        let component = form.component(ScriptedGateway(Machines.approving))
        component.add(OwnField(.cardNumber, number), OwnField(.expiry, expiry), OwnField(.cvv, code))
        await component.submit()
        guard case .invalidFields(let problems)? = form.errors.first else {
            Issue.record("\(form.errors)")
            return
        }
        #expect(Array(problems.keys) == [wrong])
    }

    @Test func aSwipeIsAField() async {
        let gateway = ScriptedGateway(Machines.approving)
        let form = Components.Form()
        let component = form.component(gateway)
        let swipe = SwipeField(today: november2026)
        component.add(form.number, form.expiry, form.code, swipe)
        swipe.take(Swipes.encrypted)
        await component.submit()
        #expect(form.errors.isEmpty)
        #expect(form.approved.count == 1)
        #expect(gateway.params.first?.method?.kind == .swipe)
    }

    @Test func theDelegateIsBuiltOnTheClosures() async {
        final class Merchant: CardFieldComponentDelegate {
            var approved = 0
            var errors: [CaptureError] = []
            func createOrder() async -> CardFieldComponent.Order? { .id(TransactionID("txn_7")) }
            func cardFieldComponentDidApprove(_ response: CaptureResponse) { approved += 1 }
            func cardFieldComponentDidFail(_ error: CaptureError) { errors.append(error) }
        }
        let gateway = ScriptedGateway(Machines.approving)
        let merchant = Merchant()
        let component = CardFieldComponent(
            client: Components.client(gateway), today: november2026, delegate: merchant)
        let form = Components.Form()
        component.add(form.number, form.expiry, form.code)
        await component.submit()
        #expect(merchant.errors.count == 1)
        form.fill()
        await component.submit()
        #expect(merchant.approved == 1)
        #expect(gateway.requests.first == "transaction")
    }

    /// Whoever presses the button once more after a success, or a possible one, pays nothing, whatever the merchant's
    /// closure makes of it.
    @Test(
        arguments: [
            (Machines.approving, CaptureError.alreadyCaptured(TransactionID("txn_1"))),
            (
                .init(authorised: .processing),
                .possibleSuccess(orderID: TransactionID("txn_1"), .pollTimedOut)
            ),
        ] as [(ScriptedGateway.Script, CaptureError)])
    func aComponentPaysOnce(script: ScriptedGateway.Script, error: CaptureError) async {
        let gateway = ScriptedGateway(script)
        let form = Components.Form()
        let component = form.component(gateway, Payments.impatient)
        component.add(form.number, form.expiry, form.code)
        form.fill()
        await component.submit()
        let requests = gateway.requests.count
        await component.submit()
        #expect(form.errors.last == error)
        #expect(gateway.requests.count == requests && form.orders == 1)
    }

    @Test func aDeclinedComponentMayBeSubmittedAgain() async {
        let gateway = ScriptedGateway(.init(authorised: .failed(.declined)))
        let form = Components.Form()
        let component = form.component(gateway)
        component.add(form.number, form.expiry, form.code)
        form.fill()
        await component.submit()
        gateway.books.withLock { $0.script = Machines.approving }
        await component.submit()
        #expect(form.errors.count == 1 && form.approved.count == 1)
    }

    @Test func noOrderMeansNoPayment() async {
        let gateway = ScriptedGateway()
        let form = Components.Form()
        let component = form.component(gateway)
        component.add(form.number, form.expiry, form.code)
        form.fill()
        form.order = nil
        await component.submit()
        #expect(form.errors == [.cancelled])
        #expect(gateway.requests.isEmpty)
    }

    // MARK: The client

    @Test func ordersAreCapturedOnce() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let client = Components.client(gateway)
        let id = try await client.createOrder(
            OrderRequest(description: "Shoes", amountInCents: 440))
        let response = try await client.capture(orderID: id, card: try clearCard())
        #expect(response.orderID == id)
        let card = try clearCard()
        await #expect(throws: CaptureError.alreadyCaptured(id)) {
            try await client.capture(orderID: id, card: card)
        }
        #expect(gateway.charges == 1)
    }

    @Test func ordersInDoubtAreNotCapturedAgain() async throws {
        let client = Components.client(ScriptedGateway(.init(authorised: .processing)), Payments.impatient)
        let id = try await client.createOrder(
            OrderRequest(description: "Shoes", amountInCents: 440))
        for _ in 1...2 {
            let card = try clearCard()
            await #expect(throws: CaptureError.possibleSuccess(orderID: id, .pollTimedOut)) {
                try await client.capture(orderID: id, card: card)
            }
        }
    }

    /// However many orders come behind it, one in doubt is not forgotten.
    @Test func manyOrdersLater() async throws {
        let gateway = ScriptedGateway(.init(authorised: .processing, hasManyOrders: true))
        let client = Components.client(gateway, Payments.impatient)
        let id = try await client.createOrder(
            OrderRequest(description: "Shoes", amountInCents: 440))
        let card = try clearCard()
        await #expect(throws: CaptureError.self) {
            try await client.capture(orderID: id, card: card)
        }
        for _ in 0..<CardClient.mostOrders + 10 {
            _ = try await client.createOrder(OrderRequest(description: "Hat", amountInCents: 1))
        }
        let requests = gateway.requests.count
        await #expect(throws: CaptureError.possibleSuccess(orderID: id, .pollTimedOut)) {
            try await client.capture(orderID: id, card: card)
        }
        #expect(gateway.requests.count == requests)
    }

    /// An order that another program has paid: the service says so.
    @Test func ordersPaidElsewhereAreNotCaptured() async throws {
        var script = Machines.approving
        script.isPaidElsewhere = true
        let gateway = ScriptedGateway(script)
        let client = Components.client(gateway)
        let (id, card) = (TransactionID("txn_9"), try clearCard())
        for _ in 1...2 {
            await #expect(throws: CaptureError.alreadyCaptured(id)) {
                try await client.capture(orderID: id, card: card)
            }
        }
        #expect(gateway.requests == ["transaction"])
    }

    @Test func declinedOrdersMayBeCapturedAgain() async throws {
        let gateway = ScriptedGateway(.init(authorised: .failed(.declined)))
        let client = Components.client(gateway)
        let id = try await client.createOrder(
            OrderRequest(description: "Shoes", amountInCents: 440))
        let card = try clearCard()
        await #expect(throws: CaptureError.failed(.gateway(GatewayError(.declined, .refused)))) {
            try await client.capture(orderID: id, card: card)
        }
        gateway.books.withLock { $0.script = Machines.approving }
        _ = try await client.capture(orderID: id, card: card)
        #expect(gateway.charges == 1)
    }

    @Test func completionHandlersGetTheResult() async throws {
        let client = Components.client(ScriptedGateway(Machines.approving))
        let card = try clearCard()
        let order = OrderRequest(description: "Shoes", amountInCents: 440)
        let result = await withCheckedContinuation { done in
            client.capture(order: order, card: card) { done.resume(returning: $0) }
        }
        let id = try result.get().orderID
        let second = await withCheckedContinuation { done in
            client.capture(orderID: id, card: card) { done.resume(returning: $0) }
        }
        #expect(throws: CaptureError.alreadyCaptured(id)) { try second.get() }
    }
}
