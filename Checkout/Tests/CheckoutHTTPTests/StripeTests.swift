import CardData
import Checkout
import CheckoutTesting
import Foundation
import NIOCore
import SwipeClient
import Synchronization
import Testing

@testable import CheckoutHTTP

/// The gateway to PaymentIntents, against a fake that was made from the same public documentation.
@Suite struct StripeTests {
    static let key = "sk_test_1"
    static func gateway(
        _ address: String, _ options: StripeOptions = StripeOptions(), timeout: Duration = .seconds(10)
    ) throws -> StripeGateway {
        try StripeGateway(
            HTTPGatewayConfiguration(
                address: address, answerTimeout: timeout, tries: 2, firstPause: .milliseconds(2)), options)
    }

    static func desk(
        _ gateway: any PaymentGateway, _ journal: any PaymentJournal = MemoryJournal(), key: String = key
    ) -> PaymentDesk {
        PaymentDesk(.secretKey(key), gateway: gateway, journal: journal, policy: .ofTests)
    }

    static func pay(
        _ desk: PaymentDesk, _ number: String = "4111111111111111", capture: CaptureTime = .atOnce,
        order: String? = nil
    ) async throws -> PaymentState {
        let payment = try await desk.begin(
            "Shoes", amount: try StripeSales.euros(440), order: order, capture: capture)
        return try await payment.pay(preparedBy: HeadlessPreparer(card: try card(number)))
    }

    @Test func aCardIsCharged() async throws {
        let fake = try FakeStripe()
        let charge = try StripeSales.charge(
            try await Self.pay(Self.desk(try Self.gateway(fake.service.address))))
        #expect(
            charge.id.hasPrefix("ch_") && charge.amount.minorUnits == 440
                && charge.isCaptured)
        let log = fake.service.log
        #expect(
            log.filter { $0.body.contains("4111") }.map(\.path) == ["/v1/payment_methods"],
            "in one request only")
        #expect(log[0].form["currency"] == "eur" && log[0].form["amount"] == "440")
        let keys = log.filter { $0.method == "POST" }.map { $0.headers["idempotency-key"] }
        #expect(!keys.contains(nil) && Set(keys).count == 3)
        fake.service.stop()
    }

    @Test func aDeclineNamesItsReason() async throws {
        let fake = try FakeStripe()
        let desk = Self.desk(try Self.gateway(fake.service.address))
        let payment = try await desk.begin("Shoes", amount: try StripeSales.euros(440))
        let no = try await payment.pay(preparedBy: HeadlessPreparer(card: try card("4012888888881881")))
        #expect(no == .failure(.gateway(GatewayError(.insufficientFunds, .refused))))
        // Another card for the same PaymentIntent.
        let yes = try await payment.pay(preparedBy: HeadlessPreparer(card: try card("4111111111111111")))
        _ = try StripeSales.charge(yes)
        #expect(fake.charges == 1)
        fake.service.stop()
    }

    @Test func anOrderIsOnePaymentIntent() async throws {
        let fake = try FakeStripe()
        let desk = Self.desk(try Self.gateway(fake.service.address))
        _ = try StripeSales.charge(try await Self.pay(desk, order: "17"))
        await #expect(throws: PaymentError.self) {
            try await Self.pay(Self.desk(try Self.gateway(fake.service.address)), order: "17")
        }
        #expect(fake.charges == 1 && fake.intents().count == 1)
        await #expect(throws: PaymentError.unfit("the order was begun for another thing or amount")) {
            try await Self.desk(try Self.gateway(fake.service.address))
                .begin("Shoes", amount: try StripeSales.euros(441), order: "17")
        }
        fake.service.stop()
    }

    /// A day later the service has forgotten the order's key: what was paid under it is found all the same, whatever was put right
    /// meanwhile, in every program.
    @Test func anOrderOutlivesItsKey() async throws {
        let fake = try FakeStripe()
        let charge = try StripeSales.charge(
            try await Self.pay(Self.desk(try Self.gateway(fake.service.address)), order: "17"))
        for _ in 1...2 {
            fake.forgetKeys()
            let desk = Self.desk(try Self.gateway(fake.service.address))
            await #expect(throws: PaymentError.alreadyPaid(charge)) { try await Self.pay(desk, order: "17") }
            fake.forgetKeys()
            await #expect(throws: PaymentError.unfit("the order was begun for another thing or amount")) {
                try await desk.begin("Shoes", amount: try StripeSales.euros(400), order: "17")
            }
        }
        _ = try StripeSales.charge(
            try await Self.pay(Self.desk(try Self.gateway(fake.service.address)), order: "18"))
        #expect(fake.charges == 2)
        fake.service.stop()
    }

    /// The fence ends the PaymentIntent: another try is another one, of the same order, in this program or the next.
    @Test(arguments: [nil, "17"], [true, false]) func afterTheFenceItIsTriedAgain(
        order: String?, isSameProgram: Bool
    ) async throws {
        let fake = try FakeStripe()
        let proxy = try FaultProxy(to: fake.service.address, delay: .milliseconds(900)) { request in
            request.hasSuffix("/confirm") ? .lostRequest : nil
        }
        let lossy = try Self.gateway(proxy.address, timeout: .milliseconds(300))
        let ways = Switched(lossy, try Self.gateway(fake.service.address))
        let payment = try await Self.desk(ways).begin(
            "Shoes", amount: try StripeSales.euros(440), order: order)
        let preparer = HeadlessPreparer(card: try card("4111111111111111"), attempts: 2)
        guard case .failure = try await payment.pay(preparedBy: preparer) else { throw TestFailure("paid") }
        #expect(fake.intents() == ["canceled"])
        if isSameProgram {
            ways.isSwitched.store(true, ordering: .relaxed)
            _ = try StripeSales.charge(try await payment.pay(preparedBy: preparer))
        } else {
            fake.forgetKeys()
            _ = try StripeSales.charge(
                try await Self.pay(Self.desk(try Self.gateway(fake.service.address)), order: order))
        }
        #expect(fake.charges == 1)
        if order != nil {
            await #expect(throws: PaymentError.self) {
                try await Self.pay(Self.desk(try Self.gateway(fake.service.address)), order: order)
            }
            #expect(fake.charges == 1)
        }
        proxy.stop()
        fake.service.stop()
    }

    /// What the service refuses under the change's own key is over: it is told at once, and in nobody's way.
    @Test func aRefusalUnderItsKeyEndsAChange() async throws {
        let fake = try FakeStripe()
        let desk = Self.desk(try Self.gateway(fake.service.address))
        let id = ChargeID(try StripeSales.charge(try await Self.pay(desk)).id)
        let void = await desk.change(.void(id))
        guard case .failed(.unfit) = void.outcome else { throw TestFailure("\(void.outcome)") }
        fake.refuseRefunds("balance_insufficient")
        let refused = await desk.change(.refund(id, amount: try StripeSales.euros(200)))
        guard case .failed(.gateway(let error)) = refused.outcome else {
            throw TestFailure("\(refused.outcome)")
        }
        #expect(error.certainty == .refused && fake.refunds().isEmpty)
        fake.refuseRefunds(nil)
        // The very same, asked for anew, is not answered out of what was kept.
        for cents in [200, 240] {
            let end = await desk.change(.refund(id, amount: try StripeSales.euros(cents)))
            guard case .done = end.outcome else { throw TestFailure("\(end.outcome)") }
            if let note = end.note { desk.acknowledge(note, selling: note.attempt.sale) }
        }
        #expect(fake.refunds() == [200, 240])
        fake.service.stop()
    }

    /// What goes wrong on the way to the confirmation, and back: never two charges, no success without one, no failure with one.
    @Test(arguments: FaultyServices.faults) func faultsAtTheConfirmation(fault: WireFault) async throws {
        let fake = try FakeStripe()
        let isUsed = Atomic(false)
        let proxy = try FaultProxy(to: fake.service.address, delay: .milliseconds(900)) { request in
            let isPhase = request.isEmpty ? fault == .resetAtOnce : request.hasSuffix("/confirm")
            return isPhase && !isUsed.exchange(true, ordering: .sequentiallyConsistent) ? fault : nil
        }
        let end = try await Self.pay(
            Self.desk(try Self.gateway(proxy.address, timeout: .milliseconds(600))))
        switch end {
        case .success: #expect(fake.charges == 1)
        case .possibleSuccess: break
        case .failure, .cancelled, .idle, .inProgress: #expect(fake.charges == 0, "\(end)")
        }
        #expect(fake.charges <= 1)
        proxy.stop()
        fake.service.stop()
    }

    /// And to a refund: what was lost is asked for again with its key.
    @Test(arguments: FaultyServices.faults) func faultsAtARefund(fault: WireFault) async throws {
        let fake = try FakeStripe()
        let charge = try StripeSales.charge(
            try await Self.pay(Self.desk(try Self.gateway(fake.service.address))))
        let isUsed = Atomic(false)
        let proxy = try FaultProxy(to: fake.service.address, delay: .milliseconds(900)) { request in
            let isPhase = request.isEmpty ? fault == .resetAtOnce : request == "POST /v1/refunds"
            return isPhase && !isUsed.exchange(true, ordering: .sequentiallyConsistent) ? fault : nil
        }
        let end = await Self.desk(try Self.gateway(proxy.address, timeout: .milliseconds(600)))
            .change(.refund(ChargeID(charge.id), amount: try StripeSales.euros(200)))
        guard case .done(let booked) = end.outcome else { Issue.record("\(end.outcome)"); return }
        #expect(booked.amount.minorUnits == 200 && fake.refunds() == [200])
        proxy.stop()
        fake.service.stop()
    }

    @Test func capturesRefundsAndVoids() async throws {
        let fake = try FakeStripe()
        let desk = Self.desk(try Self.gateway(fake.service.address))
        let held = try StripeSales.charge(try await Self.pay(desk, capture: .later))
        #expect(!held.isCaptured)
        let id = ChargeID(held.id)
        let capture = await desk.change(
            .capture(id, amount: try StripeSales.euros(300), tip: try StripeSales.euros(20)))
        guard case .done(let taken) = capture.outcome else { Issue.record("\(capture.outcome)"); return }
        #expect(taken.amount.minorUnits == 300 && taken.tip?.minorUnits == 20)
        if let note = capture.note { desk.acknowledge(note, selling: note.attempt.sale) }
        for (cents, isDone) in [(200, true), (101, false), (100, true)] {
            let end = await desk.change(.refund(id, amount: try StripeSales.euros(cents)))
            if case .done = end.outcome { #expect(isDone) } else { #expect(!isDone, "\(end.outcome)") }
            if let note = end.note { desk.acknowledge(note, selling: note.attempt.sale) }
        }
        #expect(fake.refunds().reduce(0, +) == 300)

        let other = ChargeID(
            try StripeSales.charge(
                try await Self.pay(Self.desk(try Self.gateway(fake.service.address)), capture: .later)
            ).id)
        guard case .done = await desk.change(.void(other)).outcome else { Issue.record("not voided"); return }
        #expect(fake.intents().contains("canceled"))
        fake.service.stop()
    }

    // MARK: 3-D Secure

    /// Without a page to come back to, a card that needs it is refused for certain, and another one pays.
    @Test func withoutAPageNoCardNeedsOne() async throws {
        let fake = try FakeStripe()
        let payment = try await Self.desk(try Self.gateway(fake.service.address)).begin(
            "Shoes", amount: try StripeSales.euros(440))
        let no = try await payment.pay(preparedBy: HeadlessPreparer(card: try card("5105105105105100")))
        #expect(no == .failure(.gateway(GatewayError(.authenticationRequired, .refused))))
        _ = try StripeSales.charge(
            try await payment.pay(preparedBy: HeadlessPreparer(card: try card("4111111111111111"))))
        #expect(fake.charges == 1)
        fake.service.stop()
    }

    /// The customer agrees on the bank's page, or not, or never answers: then it is given up, for certain.
    @Test(arguments: [true, false, nil]) func theCustomerAgreesElsewhere(isAgreed: Bool?) async throws {
        let fake = try FakeStripe()
        let options = StripeOptions(returnAddress: "https://shop.example.com/thanks")
        let payment = try await Self.desk(try Self.gateway(fake.service.address, options)).begin(
            "Shoes", amount: try StripeSales.euros(440))
        let preparer = HeadlessPreparer(card: try card("5105105105105100"))
        preparer.onRedirect = { page in
            #expect(page == "https://bank.example.com/3ds")
            if let isAgreed { fake.answer(isAgreed) }
        }
        let end = try await payment.pay(preparedBy: preparer)
        switch isAgreed {
        case true?: _ = try StripeSales.charge(end)
        case false?: #expect(end == .failure(.gateway(GatewayError(.authenticationRequired, .refused))))
        case nil:
            #expect(end == .failure(.notAuthorised) && fake.intents() == ["canceled"])
            fake.answer(true)
        }
        #expect(fake.charges == (isAgreed == true ? 1 : 0))
        let confirm = try #require(fake.service.log.first { $0.path.hasSuffix("/confirm") })
        #expect(confirm.form["return_url"] == options.returnAddress)
        fake.service.stop()
    }

    /// What only Stripe's own library can do is given up: the PaymentIntent is cancelled, nobody waits for it.
    @Test func whatOnlyALibraryCanDoIsGivenUp() throws {
        let text = """
            {"object":"payment_intent","id":"pi_1","amount":440,"currency":"eur","status":"requires_action",\
            "payment_method":"pm_1","next_action":{"type":"use_stripe_sdk","use_stripe_sdk":{}}}
            """
        let source = StripeAnswers.source(
            ByteBuffer(string: text), SourceID("pm_1"), TransactionID("pi_1"))
        #expect(source?.status == .pending)
    }

    // MARK: More than was authorised

    @Test(arguments: [true, false]) func moreIsCapturedWhereItMayBe(isAsked: Bool) async throws {
        let fake = try FakeStripe()
        let options = StripeOptions(asksForOvercapture: isAsked)
        let desk = Self.desk(try Self.gateway(fake.service.address, options))
        let held = ChargeID(try StripeSales.charge(try await Self.pay(desk, capture: .later)).id)
        let end = await desk.change(
            .capture(held, amount: try StripeSales.euros(480), tip: try StripeSales.euros(40)))
        guard isAsked else {
            #expect(
                end.outcome == .failed(.unfit("of the charge \(try StripeSales.euros(440)) can be captured")))
            return fake.service.stop()
        }
        guard case .done(let booked) = end.outcome else { Issue.record("\(end.outcome)"); return }
        #expect(booked.amount.minorUnits == 480 && booked.tip?.minorUnits == 40)
        if let note = end.note { desk.acknowledge(note, selling: note.attempt.sale) }
        let whole = await desk.change(.refund(held))
        guard case .done(let back) = whole.outcome else { Issue.record("\(whole.outcome)"); return }
        #expect(back.amount.minorUnits == 480)
        fake.service.stop()
    }

    /// What another request has made is not taken, whatever its amount.
    @Test func anotherPaymentsAnswerIsNotTaken() {
        let (ours, theirs) = (IdempotencyKey(), IdempotencyKey())
        let made = "\"metadata\":{\"checkout_opened_with\":\"\(theirs)\"}"
        let intent = ByteBuffer(
            string:
                #"{"object":"payment_intent","id":"pi_1","amount":440,"currency":"eur","status":"x",\#(made)}"#
        )
        #expect(StripeAnswers.intent(intent, nil, madeWith: ours) == nil)
        #expect(StripeAnswers.intent(intent, nil, madeWith: theirs) != nil)
        let method = ByteBuffer(string: #"{"object":"payment_method","id":"pm_1",\#(made)}"#)
        #expect(StripeAnswers.method(method, madeWith: ours) == nil)
        #expect(StripeAnswers.method(method, madeWith: theirs) != nil)
    }

    @Test func encryptedSwipesAndOddCurrenciesAreRefusedBefore() async throws {
        let fake = try FakeStripe()
        let desk = Self.desk(try Self.gateway(fake.service.address))
        let payment = try await desk.begin("Shoes", amount: try StripeSales.euros(440))
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try encryptedCard()))
        guard case .failure(.gateway(let error)) = end else { Issue.record("\(end)"); return }
        #expect(error.certainty == .notSent && error.message.contains("no encrypted swipes"))
        for (code, units, isTaken) in [
            ("ISK", 500, false), ("KWD", 1_255, false), ("KWD", 1_250, true), ("JPY", 500, true),
        ] {
            let amount = try StripeSales.euros(units, try #require(Currency(code)))
            #expect((DocumentedService.stripe.problem(with: amount) == nil) == isTaken, "\(code)")
        }
        fake.service.stop()
    }

    /// A wrong key, a 429, a 409 and a proxy's page: none refuses for certain, none is a charge.
    @Test(arguments: [
        (401, GatewayError.Code.badKey), (409, .tooManyRequests), (429, .tooManyRequests), (400, .conflict),
        (402, .badAnswer),
    ])
    func errorsAreRows(status: Int, code: GatewayError.Code) async throws {
        let service = try LocalService { _ in
            let type = status == 400 ? "idempotency_error" : "invalid_request_error"
            return status == 402
                ? LocalService.Answer(402, "text/html", "<h1>Pay</h1>")
                : LocalService.Answer(
                    status, "application/json", "{\"error\":{\"type\":\"\(type)\"}}",
                    headers: ["Retry-After": "9"])
        }
        let gateway = try Self.gateway(service.address)
        await #expect(throws: GatewayError(code, .unknown)) { try await gateway.open(try shoes()) }
        service.stop()
    }
}

/// A swipe as a MagTek reader encrypts it; or, without a MagnePrint, one of ID TECH's.
func encryptedCard(
    _ magnePrint: SwipeEncryption.MagnePrint? = SwipeEncryption.MagnePrint(
        status: 0x6135_0200, ciphertext: [7])
) throws -> CardDetails {
    let swipe = SwipeData(
        card: CardInfo(kind: .payment, pan: PANInfo(masked: "4111********1111", length: 16, brand: "visa")),
        tracks: [],
        encryption: SwipeEncryption(
            scheme: "dukpt-tdes", keySerialNumber: [0xFF, 0xFF, 0x98, 0x76],
            tracks: [
                SwipeEncryption.Track(track: 1, ciphertext: [0x01, 0xAB]),
                SwipeEncryption.Track(track: 2, ciphertext: [0x0A, 0xFF], clearLength: 37),
            ], magnePrint: magnePrint))
    return CardDetails(try SwipedCard(swipe))
}
