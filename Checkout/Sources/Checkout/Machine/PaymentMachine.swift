internal import StateMachine
public import SwipeClient

/// The meaning of a payment's screens, without the screens: one machine for each payment.
///
/// ```swift
/// let options = PaymentMachineOptions(currency: .eur, journal: try FileJournal(folder: "/var/lib/shop/payments"))
/// let machine = PaymentMachine(publicKey: "pkey_0d4502a9bf8430ae", gateway: gateway, options: options)
/// machine.delegate = self
/// try await machine.begin(item: "Shoes", amountInCents: 440, order: "17")
/// machine.edit(.cardNumber) { $0.type("4") }
/// try await machine.submit()
/// ```
///
/// What it has to say goes to ``delegate`` and to every stream of ``events()``. It is not `Sendable`: it lives where its
/// user interface lives, on the main actor for most, and calls its delegate there.
public final class PaymentMachine {
    /// Is told everything. Weak: a screen usually owns its machine.
    public weak var delegate: (any PaymentMachineDelegate)?

    /// Where the payment passes: what killed programs left behind is settled there.
    public let desk: PaymentDesk
    private let options: PaymentMachineOptions
    private var phase = MachinePhase.machine()
    private var form: CardForm
    private var chips: ChipCheck
    private var payment: Payment?
    /// What is being sold, once it was said.
    private var sale: SaleKey?
    private var streams: [AsyncStream<PaymentEvent>.Continuation] = []

    /// Events that wait for a consumer of ``events()``; a consumer that is farther behind loses the oldest.
    static let streamCapacity = 1_024

    /// A machine for one payment, with a key for programs that customers hold in their hands.
    public convenience init(
        publicKey: String, gateway: any PaymentGateway, options: PaymentMachineOptions
    ) {
        self.init(.publicKey(publicKey), gateway: gateway, options: options)
    }

    /// A machine for one payment, with a key for servers and tills. It can do the same.
    public convenience init(
        secretKey: String, gateway: any PaymentGateway, options: PaymentMachineOptions
    ) {
        self.init(.secretKey(secretKey), gateway: gateway, options: options)
    }

    /// A machine for one payment, with a key of either kind.
    public convenience init(_ key: APIKey, gateway: any PaymentGateway, options: PaymentMachineOptions) {
        self.init(
            PaymentDesk(key, gateway: gateway, journal: options.journal, policy: options.policy),
            options: options)
    }

    /// A machine for one payment at a desk, whose journal and policy count, and not those of the options.
    public init(_ desk: PaymentDesk, options: PaymentMachineOptions) {
        self.desk = desk
        self.options = options
        chips = ChipCheck(options.chipCards)
        form = CardForm(today: options.today, swipeNeedsCode: options.swipeNeedsCode)
    }

    deinit { for stream in streams { stream.finish() } }

    /// What happens from now on; the stream ends with the machine.
    public func events() -> AsyncStream<PaymentEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PaymentEvent.self, bufferingPolicy: .bufferingNewest(Self.streamCapacity))
        streams.append(continuation)
        return stream
    }

    private func tell(_ events: [PaymentEvent]) {
        for event in events {
            delegate?.take(event)
            // Nobody listens to some of them any more.
            streams.removeAll { if case .terminated = $0.yield(event) { true } else { false } }
        }
    }

    // MARK: Beginning

    /// Settles what killed programs left behind, and opens the transaction. Ends in `didFinishBegin` or in `didFailBegin`,
    /// after which a new machine is needed.
    ///
    /// `didFailBegin` with ``PaymentError/earlierPayments(_:)`` says that money moved before, or may have. Tell somebody, call
    /// ``acknowledge(_:)``, then make a new machine.
    ///
    /// - Parameters:
    ///   - item: what is sold, in words that the customer sees.
    ///   - amountInCents: for how much, in the smallest unit of the options' currency.
    ///   - order: the merchant's own name for the sale. An order is never paid twice; without one, the same thing for the same
    ///     amount counts as the same sale where a killed program left it behind.
    ///   - tip: how much of the amount the customer gives on top.
    ///   - capture: when the money moves.
    /// - Throws: ``PaymentMachineError/alreadyBegun`` for a second call, which does nothing.
    public func begin(
        item: String, amountInCents: Int, order: String? = nil, tip: Money? = nil,
        capture: CaptureTime = .atOnce
    ) async throws(PaymentMachineError) {
        guard phase.change(to: .beginning) else { throw .alreadyBegun }
        guard let amount = Money(minorUnits: amountInCents, currency: options.currency), amountInCents > 0
        else {
            return failBegin(.unfit("the amount is not between 1 and \(Money.most)"))
        }
        sale = SaleKey(service: desk.gateway.service, order: order, description: item, amount: amount)
        do throws(PaymentError) {
            let payment = try await desk.begin(
                item, amount: amount, order: order, tip: tip, capture: capture, decided: options.decided)
            self.payment = payment
            phase.change(to: .ready)
            let formOptions = FormOptions(payment.transaction.methods)
            tell([.didFinishBegin(formOptions)])
            // Whoever has begun to type while the service was asked is somewhere else by now.
            if formOptions.hasCreditCardForm, form.isUntouched { tell([.fieldShouldFocus(.cardNumber)]) }
        } catch {
            failBegin(error)
        }
    }

    private func failBegin(_ error: PaymentError) {
        phase.change(to: .failedToBegin)
        tell([.didFailBegin(error)])
    }

    // MARK: The form

    /// The field as it is; nil for ``CardComponent/swipe``.
    public func field(_ component: CardComponent) -> CardFieldEditor? { form[component] }

    /// Edits a field. Not while an attempt is under way or the payment is over: then everything is rejected.
    @discardableResult
    public func edit(
        _ component: CardComponent, _ body: (inout CardFieldEditor) -> CardFieldEditor.Outcome
    ) -> CardFieldEditor.Outcome {
        guard phase.state == .ready else { return .rejected }
        let (outcome, events) = form.edit(component, body)
        tell(events)
        return outcome
    }

    /// Fills the fields with the card that a text is, as where somebody pastes a number with its date and code.
    ///
    /// - Parameter component: the field with the focus: into the date's a date with its code may be pasted alone.
    /// - Returns: false, and nothing is done, where the text is no card with its date: then it is the field's.
    @discardableResult
    public func fill(_ text: String, from component: CardComponent = .cardNumber) -> Bool {
        guard phase.state == .ready, let events = form.fill(text, from: component) else { return false }
        tell(events)
        return true
    }

    /// Takes a swipe: it fills number and expiry date, or brings ciphertext in their place.
    ///
    /// - Returns: whether the card can pay.
    @discardableResult
    public func take(_ swipe: SwipeData) -> Bool {
        guard phase.state == .ready else { return false }
        do throws(SwipeRefusal) {
            let card = try SwipedCard(swipe, today: options.today)
            try chips.check(card)
            tell(form.take(card))
            return true
        } catch {
            tell(form.clearSwipe() + [.swipeRefused(error)])
            return false
        }
    }

    /// Forgets a swiped card, as where somebody deletes what is shown of it.
    public func clearSwipe() {
        guard phase.state == .ready else { return }
        tell(form.clearSwipe())
    }

    /// Empties the form, for another card.
    public func clear() {
        guard phase.state == .ready else { return }
        tell(form.clear())
    }

    // MARK: Paying

    /// Checks the form in the caller's own turn: what is wrong has been told when this returns. A button calls it, and
    /// starts a task with ``submit(decoratedBy:)`` where it is true.
    public func check() -> Bool {
        guard phase.state == .ready else { return false }
        let (card, events) = form.submit()
        tell(events)
        return card != nil
    }

    /// Checks the form and pays with the card.
    ///
    /// What is wrong with the form is told before anything waits, and then no request is made.
    /// - Parameter preparer: may add to the parameters, which have method and card already, or say that the payment is
    ///   no longer wanted.
    /// - Returns: how the attempt ended; nil when the form was not good.
    /// - Throws: ``PaymentMachineError/notReady`` when there is nothing to pay (yet, now, or any more).
    @discardableResult
    public func submit(
        decoratedBy preparer: (any SourceParamsPreparer)? = nil
    ) async throws(PaymentMachineError) -> PaymentState? {
        guard phase.state == .ready, let payment else { throw .notReady }
        let (card, events) = form.submit()
        tell(events)
        guard let card else { return nil }
        if options.decided == nil || card.wasSwiped { payment.isWantedNow() }
        let wanted: PaymentMethod.Kind = card.wasSwiped ? .swipe : .creditCard
        let method = payment.transaction.methods.first { $0.kind == wanted }
        return try await pay(with: method, card: card, preparer)
    }

    /// Pays with one of the wallets of the form options.
    @discardableResult
    public func pay(
        wallet: PaymentMethod, decoratedBy preparer: (any SourceParamsPreparer)? = nil
    ) async throws(PaymentMachineError) -> PaymentState? {
        if options.decided == nil { payment?.isWantedNow() }
        return try await pay(with: wallet, card: nil, preparer)
    }

    /// Asks the attempt that is under way to stop. See ``Payment/cancel()``.
    public func cancel() { payment?.cancel() }

    /// For a program that waits no longer and ends now: what is certain at this moment. See ``Payment/abandon()``.
    public func abandon() -> PaymentState { payment?.abandon() ?? .cancelled(latestError: nil) }

    /// What is written down of the payment. See ``Payment/record``.
    public var record: EarlierPayment? { payment?.record }

    /// Somebody was told how the payment ended: its note may go.
    public func acknowledge() { if let record { desk.acknowledge(record, selling: record.attempt.sale) } }

    /// Somebody was told how payments ended that killed programs left behind. See ``PaymentDesk/acknowledge(_:selling:)``.
    public func acknowledge(_ payments: [EarlierPayment]) {
        guard let sale else { return }
        for payment in payments { desk.acknowledge(payment, selling: sale) }
    }

    private func pay(
        with method: PaymentMethod?, card: CardDetails?, _ preparer: (any SourceParamsPreparer)?
    ) async throws(PaymentMachineError) -> PaymentState? {
        guard let payment, phase.change(to: .paying) else { throw .notReady }
        let machinePreparer = FormPreparer(method: method, card: card, next: preparer) { [weak self] in
            self?.tell([$0])
        }
        do throws(PaymentIsNotIdle) {
            let end = try await payment.pay(preparedBy: machinePreparer)
            switch end {
            // Money has moved for it: nobody is to take another card, or cash.
            case .failure(.alreadyPaid): phase.change(to: .over)
            case .failure: phase.change(to: .ready)
            case .success, .possibleSuccess, .cancelled, .idle, .inProgress: phase.change(to: .over)
            }
            tell(Self.events(of: end))
            return end
        } catch {
            // Not reachable while nobody else has the payment.
            phase.change(to: .ready)
            throw .notReady
        }
    }

    private static func events(of end: PaymentState) -> [PaymentEvent] {
        switch end {
        case .success(let charge):
            [
                .paymentDidSucceed(
                    chargeID: charge.id, description: charge.description,
                    displayAmount: charge.amount.displayAmount, amountInCents: charge.amount.minorUnits)
            ]
        case .possibleSuccess(let error): [.paymentMayHaveSucceeded(error)]
        case .failure(.alreadyPaid(let charge)): [.paymentMayHaveSucceeded(.alreadyPaid(charge))]
        case .failure(let error): [.paymentDidFail(error)]
        case .cancelled: [.paymentWasCancelled]
        case .idle, .inProgress: []
        }
    }
}
