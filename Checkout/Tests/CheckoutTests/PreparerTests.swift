import Checkout
import Testing

/// Exactly one answer to each request, also from preparers that answer in callbacks.
@Suite struct PreparerTests {
    @Test func anAnswerGivenLaterIsTaken() async throws {
        let preparer = CallbackPreparer()
        let gateway = ScriptedGateway(.init(authorised: Payments.consumed))
        let payment = try Payments.payment(gateway)
        preparer.whenAsked = { preparer in
            var params = preparer.raw
            params?.method = ScriptedGateway.methods.first
            params?.card = try? clearCard()
            preparer.pending.take()?.give(params)
        }
        #expect(try await payment.pay(preparedBy: preparer) == .success(ScriptedGateway.charge))
        #expect(
            preparer.told == ["created", "authorised", "ended"], "the preparer is the payment's delegate")
    }

    /// A poll says what it means; the last one that came too late is a state of its own. The payment is at hand in each call,
    /// with what the caller put there, and is let go of afterwards.
    @Test func pollsSayWhatTheyMean() async throws {
        for (source, policy, states) in [
            (Payments.consumed, Payments.patient, [PollingState.success]),
            (.failed(.declined), Payments.patient, [.failure]),
            (.processing, Payments.impatient, [.waiting, .timedOut]),
        ] as [(PaymentSource.Status, PaymentPolicy, [PollingState])] {
            let preparer = CallbackPreparer()
            preparer.whenAsked = { preparer in
                var params = preparer.raw
                params?.method = ScriptedGateway.methods.first
                params?.card = try? clearCard()
                preparer.pending.take()?.give(params)
            }
            let gateway = ScriptedGateway(.init(authorised: .processing, polled: [source]))
            let payment = try Payments.payment(gateway, policy)
            payment.userInfo["note"] = "counter 3"
            try await payment.pay(preparedBy: preparer)
            #expect(preparer.polled.last == states.last && Set(preparer.polled) == Set(states))
            #expect(preparer.polled.count { $0 == .timedOut } <= 1)
            #expect(preparer.notes.count == preparer.polled.count && preparer.notes.first == "counter 3")
            #expect(preparer.payment == nil)
        }
    }

    /// A screen that went away without answering: the payment is cancelled, and nothing hangs.
    @Test func aDroppedAnswerMeansNoLongerWanted() async throws {
        let preparer = CallbackPreparer()
        preparer.whenAsked = { $0.pending = nil }
        let end = try await Payments.payment(ScriptedGateway()).pay(preparedBy: preparer)
        #expect(end == .cancelled(latestError: nil))
    }

    @Test func nothingMayBeChangedThatWasAgreed() async throws {
        let gateway = ScriptedGateway()
        let preparer = CallbackPreparer()
        preparer.whenAsked = { preparer in
            var params = (try? euros(1)).map { SourceParams(amount: $0, description: "Shoes") }
            params?.method = ScriptedGateway.methods.first
            params?.card = try? clearCard()
            preparer.pending.take()?.give(params)
        }
        let end = try await Payments.payment(gateway).pay(preparedBy: preparer)
        #expect(end == .failure(.unfit("amount and description are those of the transaction")))
        #expect(gateway.requests.isEmpty)
    }

    @Test func aHeadlessPreparerTakesTheMethodThatFits() async throws {
        let raw = SourceParams(amount: try euros(440), description: "Shoes")
        let card = await HeadlessPreparer(card: try clearCard()).prepare(
            raw, methods: ScriptedGateway.methods)
        #expect(card?.method?.kind == .creditCard)
        let wallet = await HeadlessPreparer(wallet: "SandPay").prepare(raw, methods: ScriptedGateway.methods)
        #expect(wallet?.method?.id == "wallet")
        let preparer = HeadlessPreparer(wallet: "SandPay")
        _ = await preparer.prepare(raw, methods: ScriptedGateway.methods)
        #expect(await preparer.prepare(raw, methods: ScriptedGateway.methods) == nil)
    }
}

/// A preparer as a screen has it: keeps the answer until a button is pressed.
final class CallbackPreparer: SourceParamsPreparer {
    var latestError: PaymentError?
    var pending: ParamsAnswer?
    var raw: SourceParams?
    var whenAsked: ((CallbackPreparer) -> Void)?
    var told: [String] = []
    var polled: [PollingState] = []
    var notes: [String] = []
    var payment: Payment?

    func prepare(_ raw: SourceParams, methods: [PaymentMethod]) async -> SourceParams? {
        self.raw = raw
        #expect(payment != nil)
        return await withParamsAnswer { answer in
            pending = consume answer
            whenAsked?(self)
        }
    }

    func payment(_ payment: Payment, didCreate source: Result<PaymentSource, GatewayError>) {
        told.append("created")
    }

    func payment(_ payment: Payment, didFinishAuthorisation source: Result<PaymentSource, GatewayError>) {
        told.append("authorised")
    }

    func payment(
        _ payment: Payment, didPoll source: Result<PaymentSource, GatewayError>, state: PollingState
    ) {
        told.append("polled")
        polled.append(state)
        if let note = payment.userInfo["note"] as? String { notes.append(note) }
    }

    func payment(_ payment: Payment, didEnd state: PaymentState) { told.append("ended") }
}
