import CardData
import Synchronization
import Testing

@testable import Checkout

/// The payment machine: what its delegate and its streams are told, and when.
@Suite struct MachineTests {

    // MARK: Beginning

    @Test func nothingHappensBeforeBegin() async throws {
        let gateway = ScriptedGateway()
        let machine = Machines.machine(gateway)
        let screen = Screen()
        machine.delegate = screen
        #expect(machine.edit(.cardNumber) { $0.type("4") } == .rejected)
        #expect(!machine.take(Swipes.swipe()))
        machine.clear()
        machine.cancel()
        await #expect(throws: PaymentMachineError.notReady) { try await machine.submit() }
        #expect(gateway.requests.isEmpty && screen.calls.isEmpty)
    }

    @Test func beginningTellsWhatToShow() async throws {
        let (_, screen) = try await Machines.begun(ScriptedGateway())
        #expect(screen.options?.hasCreditCardForm == true)
        #expect(screen.options?.hasSwipe == true)
        #expect(screen.options?.wallets.map(\.kind) == [.wallet(name: "SandPay")])
        #expect(screen.calls == ["didFinishBegin", "focus cardNumber"])
    }

    @Test func beginningFailsForGood() async throws {
        let gateway = ScriptedGateway(.init(open: [.failsBefore(GatewayError(.unreachable, .notSent))]))
        let (machine, screen) = try await Machines.begun(gateway)
        #expect(screen.calls == ["didFailBegin unreachable"])
        await #expect(throws: PaymentMachineError.alreadyBegun) {
            try await machine.begin(item: "Shoes", amountInCents: 440)
        }
        await #expect(throws: PaymentMachineError.notReady) { try await machine.submit() }
        #expect(gateway.requests == ["open"])
    }

    @Test func beginningTwiceIsAnErrorThatSaysSo() async throws {
        let gateway = ScriptedGateway()
        let (machine, screen) = try await Machines.begun(gateway)
        await #expect(throws: PaymentMachineError.alreadyBegun) {
            try await machine.begin(item: "Shoes", amountInCents: 440)
        }
        #expect(PaymentMachineError.alreadyBegun.description.contains("begin was called before"))
        #expect(gateway.requests == ["open"])
        #expect(screen.calls.count == 2)
    }

    @Test func bothKindsOfKeysPay() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let machine = PaymentMachine(secretKey: "skey_1", gateway: gateway, options: Machines.options)
        try await machine.begin(item: "Shoes", amountInCents: 440)
        Machines.fill(machine)
        #expect(try await machine.submit() == .success(ScriptedGateway.charge))
        #expect("\(APIKey.secretKey("skey_1"))" == "secretKey")
    }

    @Test(arguments: [0, -1, Int.max])
    func amountsThatAreNoneFail(cents: Int) async throws {
        let gateway = ScriptedGateway()
        let machine = Machines.machine(gateway)
        let screen = Screen()
        machine.delegate = screen
        try await machine.begin(item: "Shoes", amountInCents: cents)
        #expect(screen.calls == ["didFailBegin unfit"])
        #expect(gateway.requests.isEmpty)
    }

    /// The service opened something else than what the customer was told.
    @Test func anotherAmountIsNotBegun() async throws {
        let (_, screen) = try await Machines.begun(ScriptedGateway(.init(opensFor: try euros(44_000))))
        #expect(screen.calls == ["didFailBegin bad_answer"])
    }

    // MARK: The form

    @Test func typingTurnsFieldsGreenAndMovesOn() async throws {
        let (machine, screen) = try await Machines.begun(ScriptedGateway())
        screen.calls = []
        for digit in "378282246310005" { machine.edit(.cardNumber) { $0.type(String(digit)) } }
        #expect(screen.texts[.cardNumber] == "3782 822463 10005")
        #expect(screen.calls.contains("brand amex"))
        #expect(screen.calls.suffix(3) == ["update cardNumber", "green cardNumber", "focus expiry"])
        machine.edit(.expiry) { $0.type("1230") }
        #expect(screen.calls.suffix(3) == ["update expiry", "green expiry", "focus cvv"])
        machine.edit(.cvv) { $0.type("1234") }
        #expect(screen.calls.suffix(2) == ["update cvv", "green cvv"])
    }

    /// Visa's 16 digits move the focus as Mastercard's do, once; who goes back finds room for 19.
    @Test func aWholeVisaNumberMovesTheFocus() async throws {
        let (machine, screen) = try await Machines.begun(ScriptedGateway())
        screen.calls = []
        for digit in "411111111111111" { machine.edit(.cardNumber) { $0.type(String(digit)) } }
        #expect(!screen.calls.contains { $0.hasPrefix("focus") })
        machine.edit(.cardNumber) { $0.type("1") }
        #expect(screen.calls.last == "focus expiry")
        screen.calls = []
        machine.edit(.cardNumber) { $0.type("1") }
        #expect(screen.texts[.cardNumber] == "4111 1111 1111 1111 1")
        machine.edit(.cardNumber) { $0.deleteBackward() }
        #expect(!screen.calls.contains { $0.hasPrefix("focus") }, "not by deleting")
    }

    /// What is wrong is heard before the button's handler goes on, and nothing is paid.
    @Test func checkingTellsInTheCallersTurn() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let (machine, screen) = try await Machines.begun(gateway)
        #expect(Self.press(machine) == false)
        #expect(screen.calls.suffix(2) == ["error cvv is missing", "focus cardNumber"])
        Machines.fill(machine)
        screen.calls = []
        #expect(Self.press(machine))
        #expect(screen.calls.isEmpty && gateway.requests == ["open"])
        #expect(try await machine.submit() == .success(ScriptedGateway.charge))
        #expect(!Self.press(machine), "it is over")
    }

    /// A button's handler, which cannot wait.
    private static func press(_ machine: PaymentMachine) -> Bool { machine.check() }

    /// A delegate may take the events themselves.
    @Test func delegatesMayTakeEvents() async throws {
        final class Taker: PaymentMachineDelegate {
            var events: [PaymentEvent] = []
            func take(_ event: PaymentEvent) { events.append(event) }
        }
        let machine = Machines.machine(ScriptedGateway(Machines.approving))
        let taker = Taker()
        machine.delegate = taker
        try await machine.begin(item: "Shoes", amountInCents: 440)
        machine.edit(.cardNumber) { $0.type("4") }
        #expect(taker.events.contains(.fieldShouldFocus(.cardNumber)))
        #expect(taker.events.last == .brandChanged(.visa))
    }

    /// Before the first submit there is green or nothing, never an error.
    @Test func nothingTurnsRedBeforeTheFirstSubmit() async throws {
        let (machine, screen) = try await Machines.begun(ScriptedGateway())
        machine.edit(.cardNumber) { $0.type("4111111111111112") }
        machine.edit(.expiry) { $0.type("0120") }
        machine.edit(.cvv) { $0.type("1") }
        #expect(
            !screen.calls.contains { $0.hasPrefix("green") || $0.hasPrefix("plain") || $0.hasPrefix("error") }
        )
        machine.edit(.cvv) { $0.type("23") }
        machine.edit(.cvv) { $0.deleteBackward() }
        #expect(screen.calls.suffix(2) == ["update cvv", "plain cvv"], "the green is taken away")
    }

    @Test func rejectedInputChangesNothing() async throws {
        let (machine, screen) = try await Machines.begun(ScriptedGateway())
        screen.calls = []
        #expect(machine.edit(.cardNumber) { $0.type("x") } == .rejected)
        #expect(screen.calls.isEmpty)
    }

    @Test func submittingTellsWhatIsWrongBeforeAnythingWaits() async throws {
        let gateway = ScriptedGateway()
        let (machine, screen) = try await Machines.begun(gateway)
        machine.edit(.cardNumber) { $0.type("4111") }
        screen.calls = []
        #expect(try await machine.submit() == nil)
        #expect(
            screen.calls == [
                "error cardNumber is not complete", "error expiry is missing", "error cvv is missing",
                "focus cardNumber",
            ])
        #expect(gateway.requests == ["open"], "no request was made")
    }

    // MARK: Paying

    @Test func aPaymentSucceeds() async throws {
        let (machine, screen) = try await Machines.begun(ScriptedGateway(Machines.approving))
        Machines.fill(machine)
        screen.calls = []
        try await machine.submit()
        #expect(
            screen.calls == [
                "progress preparing", "progress creating", "progress authorising", "progress polling",
                "success ch_1 Shoes 4.40 440",
            ])
        await #expect(throws: PaymentMachineError.notReady) { try await machine.submit() }
        #expect(machine.edit(.cvv) { $0.type("1") } == .rejected)
    }

    @Test func aDeclinedPaymentMayBeTriedAgain() async throws {
        let gateway = ScriptedGateway(.init(authorised: .failed(.declined)))
        let (machine, screen) = try await Machines.begun(gateway)
        Machines.fill(machine)
        try await machine.submit()
        #expect(screen.calls.last == "fail The card was declined.")
        gateway.books.withLock { $0.script = Machines.approving }
        machine.clear()
        #expect(screen.texts[.cardNumber]?.isEmpty == true)
        Machines.fill(machine, "5555555555554444")
        #expect(try await machine.submit() == .success(ScriptedGateway.charge))
        #expect(gateway.charges == 1)
    }

    @Test func aDoubtfulPaymentIsOver() async throws {
        let gateway = ScriptedGateway(.init(authorised: .processing))
        let (machine, screen) = try await Machines.begun(gateway, Payments.impatient)
        Machines.fill(machine)
        try await machine.submit()
        #expect(screen.calls.last?.hasPrefix("maybe") == true)
        #expect(screen.calls.last?.contains("Do not charge again") == true)
        await #expect(throws: PaymentMachineError.notReady) { try await machine.submit() }
    }

    /// A delegate that knows only success and failure hears of doubt as a failure with the warning.
    @Test func doubtReachesSimpleDelegates() async throws {
        final class Simple: PaymentMachineDelegate {
            var message = ""
            func paymentDidFail(message: String) { self.message = message }
        }
        let machine = Machines.machine(ScriptedGateway(.init(authorised: .processing)), Payments.impatient)
        let simple = Simple()
        machine.delegate = simple
        try await machine.begin(item: "Shoes", amountInCents: 440)
        Machines.fill(machine)
        try await machine.submit()
        #expect(simple.message.contains("may have gone through. Do not charge again"))
    }

    @Test func walletsAreSentToTheirPage() async throws {
        let redirect = PaymentSource.Status.redirect(address: "https://bank.example")
        let gateway = ScriptedGateway(.init(authorised: redirect, polled: [Payments.consumed]))
        let (machine, screen) = try await Machines.begun(gateway)
        let wallet = try #require(screen.options?.wallets.first)
        #expect(try await machine.pay(wallet: wallet) == .success(ScriptedGateway.charge))
        #expect(screen.calls.contains("approve https://bank.example"))
    }

    @Test func anotherPreparerMayDecorateOrRefuse() async throws {
        let gateway = ScriptedGateway(Machines.approving)
        let (machine, screen) = try await Machines.begun(gateway)
        Machines.fill(machine)
        let preparer = DecoratingPreparer { $0.metadata["till"] = "7" }
        try await machine.submit(decoratedBy: preparer)
        #expect(gateway.params.first?.metadata == ["till": "7"])
        #expect(gateway.params.first?.card?.maskedNumber == "411111******1111")

        let (second, secondScreen) = try await Machines.begun(ScriptedGateway())
        Machines.fill(second)
        let refusing = HeadlessPreparer(wallet: "none", attempts: 0)
        #expect(try await second.submit(decoratedBy: refusing) == .cancelled(latestError: nil))
        #expect(secondScreen.calls.last == "cancelled")
        _ = screen
    }

    @Test func theStreamSaysWhatTheDelegateIsTold() async throws {
        let machine = Machines.machine(ScriptedGateway(Machines.approving))
        let screen = Screen()
        machine.delegate = screen
        let stream = machine.events()
        try await machine.begin(item: "Shoes", amountInCents: 440)
        Machines.fill(machine)
        try await machine.submit()
        // The stream's events as calls to another delegate: the same calls, in the same order.
        let replayed = Screen()
        for await event in stream {
            replayed.take(event)
            if case .paymentDidSucceed = event { break }
        }
        #expect(replayed.calls == screen.calls)
        #expect(replayed.calls.last == "success ch_1 Shoes 4.40 440")
        #expect(replayed.calls.count > 12)
    }

    @Test func nothingOfACardIsPrinted() async throws {
        let (machine, screen) = try await Machines.begun(ScriptedGateway())
        Machines.fill(machine)
        let card = try clearCard()
        let printed =
            "\(screen.events) \(String(reflecting: machine.field(.cardNumber))) \(card) \(String(reflecting: card))"
        #expect(!printed.contains("4111111111111111"))
        #expect(!printed.contains("4111 1111 1111 1111"))
        var dumped = ""
        dump(machine.field(.cardNumber), to: &dumped)
        dump(card, to: &dumped)
        #expect(!dumped.contains("1111 1111"))
        #expect(!dumped.contains("41111111111"))
    }
}

/// Writes down what it is told, in short.
final class Screen: PaymentMachineDelegate {
    var calls: [String] = []
    var texts: [CardComponent: String] = [:]
    var options: FormOptions?
    var events: [Any] = []

    func didFinishBegin(formOptions: FormOptions) {
        options = formOptions
        calls.append("didFinishBegin")
    }
    func didFailBegin(error: PaymentError) { calls.append("didFailBegin \(error.code)") }
    func fieldValidated(name: CardComponent, isValid: Bool) {
        calls.append((isValid ? "green " : "plain ") + name.rawValue)
    }
    func fieldError(name: CardComponent, message: String) {
        calls.append("error \(name.rawValue) \(message)")
    }
    func fieldShouldUpdate(name: CardComponent, value: FieldText, caret: Int) {
        texts[name] = value.reveal()
        events.append(value)
        calls.append("update \(name.rawValue)")
    }
    func fieldShouldFocus(name: CardComponent) { calls.append("focus \(name.rawValue)") }
    func brandChanged(brand: CardBrand?) { calls.append("brand \(brand?.rawValue ?? "none")") }
    func cardSwiped(masked: String?, brand: CardBrand?) { calls.append("swiped \(masked ?? "-")") }
    func swipeRefused(refusal: SwipeRefusal) { calls.append("refused \(refusal.message)") }
    func paymentProgressed(stage: PaymentState.Stage) { calls.append("progress \(stage.rawValue)") }
    func paymentNeedsApproval(address: String) { calls.append("approve \(address)") }
    func paymentDidSucceed(chargeID: String, description: String, displayAmount: String, amountInCents: Int) {
        calls.append("success \(chargeID) \(description) \(displayAmount) \(amountInCents)")
    }
    func paymentDidFail(message: String) { calls.append("fail \(message)") }
    func paymentMayHaveSucceeded(message: String) { calls.append("maybe \(message)") }
    func paymentWasCancelled() { calls.append("cancelled") }
}
