import CardData
import Checkout
import StateMachine
import Synchronization
import Testing

/// The source payment: states, what leads to which, and that no doubtful end ever counts as a failure.
@Suite struct PaymentTests {

    @Test func aCardIsCharged() async throws {
        let gateway = ScriptedGateway(
            .init(authorised: .processing, polled: [.processing, Payments.consumed]))
        let payment = try Payments.payment(gateway)
        let states = Mutex<[String]>([])
        let seen = Sendables(states)
        payment.onChange { _, new in seen.states.withLock { $0.append(new.name) } }
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(end == .success(ScriptedGateway.charge))
        #expect(payment.state == end)
        #expect(gateway.requests == ["create", "transaction", "authorise", "poll", "poll"])
        #expect(
            seen.states.withLock { $0 } == [
                "in_progress_preparing", "in_progress_creating", "in_progress_authorising",
                "in_progress_polling",
                "success",
            ])
    }

    /// A box for what observers, which are `Sendable`, write.
    final class Sendables: Sendable {
        let states: Mutex<[String]>
        init(_ states: consuming Mutex<[String]>) { self.states = states }
    }

    /// Failures for certain: back to idle with the error, and another attempt is allowed.
    @Test(arguments: [
        ScriptedGateway.Script(create: [.failsBefore(GatewayError(.unreachable, .notSent))]),
        ScriptedGateway.Script(create: [.failsAfter(Payments.lost)]),
        ScriptedGateway.Script(create: [.failsBefore(GatewayError(.invalidNumber, .refused))]),
        ScriptedGateway.Script(authorise: [.failsBefore(GatewayError(.unreachable, .notSent))]),
        ScriptedGateway.Script(authorise: [.failsBefore(GatewayError(.declined, .refused))]),
        ScriptedGateway.Script(authorised: .failed(.declined)),
        ScriptedGateway.Script(authorised: .processing, polled: [.failed(.insufficientFunds)]),
        // The authorisation may be on its way: the source is given up, and the service says that it is.
        ScriptedGateway.Script(authorise: [.failsBefore(Payments.lost)]),
        ScriptedGateway.Script(authorised: .redirect(address: "https://bank.example")),
    ])
    func certainFailures(script: ScriptedGateway.Script) async throws {
        let gateway = ScriptedGateway(script)
        let payment = try Payments.payment(gateway, Payments.impatient)
        let preparer = HeadlessPreparer(card: try clearCard(), attempts: 2)
        let end = try await payment.pay(preparedBy: preparer)
        guard case .failure(let error) = end else {
            Issue.record("ended as \(end.name)")
            return
        }
        #expect(payment.state == .idle(latestError: error))
        #expect(preparer.latestError == error)
        #expect(gateway.charges == 0)

        gateway.books.withLock { $0.script = ScriptedGateway.Script(authorised: Payments.consumed) }
        #expect(try await payment.pay(preparedBy: preparer) == .success(ScriptedGateway.charge))
        #expect(preparer.latestError == nil)
        #expect(gateway.charges == 1)
    }

    /// The money may have moved: never a failure, never another attempt.
    @Test(arguments: [
        // Authorised, never confirmed.
        ScriptedGateway.Script(authorised: .processing),
        // The authorisation's answer is lost, and so is every question.
        ScriptedGateway.Script(
            authorise: [.failsAfter(Payments.lost)],
            poll: Array(repeating: .failsBefore(Payments.lost), count: 1000),
            authorised: Payments.consumed),
        ScriptedGateway.Script(
            authorise: [.failsBefore(Payments.lost)],
            poll: Array(repeating: .failsBefore(Payments.lost), count: 1000)),
        // Nothing was authorised yet, but giving it up is not confirmed.
        ScriptedGateway.Script(
            authorise: [.failsBefore(Payments.lost)], cancel: [.failsAfter(Payments.lost)]),
        ScriptedGateway.Script(
            cancel: [.failsBefore(Payments.lost)], authorised: .redirect(address: "https://bank.example")),
    ])
    func doubtfulEnds(script: ScriptedGateway.Script) async throws {
        let gateway = ScriptedGateway(script)
        let payment = try Payments.payment(gateway, Payments.impatient)
        let preparer = HeadlessPreparer(card: try clearCard(), attempts: 2)
        let end = try await payment.pay(preparedBy: preparer)
        guard case .possibleSuccess = end else {
            Issue.record("ended as \(end.name)")
            return
        }
        #expect(preparer.latestError != nil)
        let requests = gateway.requests.count
        await #expect(throws: PaymentIsNotIdle.self) { try await payment.pay(preparedBy: preparer) }
        #expect(gateway.requests.count == requests, "nothing was asked of the service again")
    }

    /// Doubt that the service clears up.
    @Test(arguments: [
        ScriptedGateway.Script(authorise: [.failsAfter(Payments.lost)], authorised: Payments.consumed),
        ScriptedGateway.Script(
            authorise: [.failsAfter(Payments.lost)], authorised: .processing,
            polled: [.processing, Payments.consumed]),
        ScriptedGateway.Script(
            authorise: [.failsAfter(Payments.lost)],
            poll: [.failsBefore(Payments.lost), .failsBefore(Payments.lost)],
            authorised: Payments.consumed),
        ScriptedGateway.Script(
            authorise: [.failsBefore(GatewayError(.conflict, .refused))], polled: [Payments.consumed]),
    ])
    func doubtIsClearedUp(script: ScriptedGateway.Script) async throws {
        let gateway = ScriptedGateway(script)
        let end = try await Payments.payment(gateway).pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(end == .success(ScriptedGateway.charge))
        #expect(gateway.charges == 1)
    }

    @Test func redirectsAreShownOnceAndFollowed() async throws {
        let redirect = PaymentSource.Status.redirect(address: "https://bank.example/1")
        let gateway = ScriptedGateway(
            .init(authorised: redirect, polled: [redirect, .processing, Payments.consumed]))
        let preparer = HeadlessPreparer(wallet: "SandPay")
        var shown: [String] = []
        preparer.onRedirect = { shown.append($0) }
        let end = try await Payments.payment(gateway).pay(preparedBy: preparer)
        #expect(end == .success(ScriptedGateway.charge))
        #expect(shown == ["https://bank.example/1"])
        #expect(gateway.params.first?.flow == .redirect)
    }

    /// The customer took longer than the service may: its own time begins when the customer has agreed.
    @Test func theServiceHasItsTimeAfterTheCustomer() async throws {
        let redirect = PaymentSource.Status.redirect(address: "https://bank.example")
        let gateway = ScriptedGateway(
            .init(
                authorised: redirect,
                polled: Array(repeating: redirect, count: 40) + Array(repeating: .processing, count: 3)
                    + [Payments.consumed]))
        let policy = PaymentPolicy(
            firstPoll: .milliseconds(10), longestPause: .milliseconds(10), pollTimeout: .milliseconds(300),
            redirectTimeout: .seconds(60))
        let end = try await Payments.payment(gateway, policy).pay(
            preparedBy: HeadlessPreparer(wallet: "SandPay"))
        #expect(end == .success(ScriptedGateway.charge))
    }

    /// The customer agreed while the payment was being given up: it is followed, not called doubtful.
    @MainActor @Test func anAgreementAtTheLastMomentIsFollowed() async throws {
        let gateway = ScriptedGateway(.init(authorised: .redirect(address: "https://bank.example")))
        let payment = try Payments.payment(gateway)
        let preparer = HeadlessPreparer(wallet: "SandPay")
        preparer.onRedirect = { _ in
            payment.cancel()
            gateway.books.withLock { books in
                books.sources[SourceID("src_1")] = .processing
                books.script.polled = [.processing, Payments.consumed]
            }
        }
        #expect(try await payment.pay(preparedBy: preparer) == .success(ScriptedGateway.charge))
        #expect(gateway.requests == ["create", "transaction", "authorise", "cancel", "poll", "poll"])
    }

    /// A success is one of the sum that was agreed, or none.
    @Test func anotherSumIsNoSuccess() async throws {
        let other = Charge(id: "ch_9", amount: try euros(441), description: "Shoes")
        let end = try await Payments.payment(ScriptedGateway(.init(authorised: .consumed(other))))
            .pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        #expect(end == .possibleSuccess(.anotherAmount))
    }

    @Test func notWantedMeansCancelled() async throws {
        let gateway = ScriptedGateway()
        let payment = try Payments.payment(gateway)
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard(), attempts: 0))
        #expect(end == .cancelled(latestError: nil))
        #expect(gateway.requests.isEmpty)
        await #expect(throws: PaymentIsNotIdle.self) {
            try await payment.pay(preparedBy: HeadlessPreparer(card: try clearCard()))
        }
    }

    @Test func aMethodOfOnesOwnIsRefused() async throws {
        let gateway = ScriptedGateway()
        let payment = try Payments.payment(gateway)
        let preparer = DecoratingPreparer { params in
            params.method = PaymentMethod(id: "mine", kind: .creditCard, flow: .inPlace)
            params.card = try? clearCard()
        }
        let end = try await payment.pay(preparedBy: preparer)
        #expect(end == .failure(.unfit("the payment method is not one of those offered")))
        #expect(gateway.requests.isEmpty)
    }

    @Test func metadataReachesTheService() async throws {
        let gateway = ScriptedGateway(.init(authorised: Payments.consumed))
        let preparer = HeadlessPreparer(card: try clearCard(), metadata: ["till": "7"])
        try await Payments.payment(gateway).pay(preparedBy: preparer)
        #expect(gateway.params.first?.metadata == ["till": "7"])
    }

    /// Cancelled by a person while the customer has not agreed yet.
    @MainActor @Test func cancellingDuringARedirect() async throws {
        let gateway = ScriptedGateway(.init(authorised: .redirect(address: "https://bank.example")))
        let payment = try Payments.payment(gateway)
        let preparer = HeadlessPreparer(wallet: "wallet")
        preparer.onRedirect = { _ in payment.cancel() }
        #expect(try await payment.pay(preparedBy: preparer) == .cancelled(latestError: nil))
        #expect(gateway.requests == ["create", "transaction", "authorise", "cancel"])
    }

    /// The program is told to end while the service is at it.
    @Test func aCancelledTaskEndsInDoubt() async throws {
        let gateway = ScriptedGateway(.init(authorised: .processing))
        let transaction = ScriptedGateway.transaction("Shoes", try euros(440))
        let card = try clearCard()
        let task = Task { () -> PaymentState in
            let payment = Payment(transaction, gateway: gateway)
            return try await payment.pay(preparedBy: HeadlessPreparer(card: card))
        }
        while !gateway.requests.contains("authorise") { await Task.yield() }
        task.cancel()
        #expect(try await task.value == .possibleSuccess(.interrupted))
    }

    /// Whoever waits may be cancelled; the request itself goes on to its end, and its answer counts.
    @Test func requestsAreNotBrokenOff() async throws {
        let gateway = ScriptedGateway(.init(authorised: Payments.consumed))
        gateway.books.withLock { $0.script.pause = .milliseconds(300) }
        let transaction = ScriptedGateway.transaction("Shoes", try euros(440))
        let card = try clearCard()
        let task = Task { () -> PaymentState in
            let payment = Payment(transaction, gateway: gateway)
            return try await payment.pay(preparedBy: HeadlessPreparer(card: card))
        }
        while !gateway.requests.contains("authorise") { await Task.yield() }
        task.cancel()
        #expect(try await task.value == .success(ScriptedGateway.charge))
        #expect(gateway.books.withLock { $0.brokenOff } == 0)
    }

    @Test func onlyTheChangesOfTheDiagramAreLegal() {
        var machine = PaymentState.representatives
        #expect(machine.count == 9)
        machine.removeAll { !$0.isFinal }
        #expect(machine.map(\.name) == ["success", "possible_success", "cancelled"])
    }
}

/// A preparer that does what a test says.
final class DecoratingPreparer: SourceParamsPreparer {
    var latestError: PaymentError?
    private let decorate: (inout SourceParams) -> Void

    init(_ decorate: @escaping (inout SourceParams) -> Void) { self.decorate = decorate }

    func prepare(_ raw: SourceParams, methods: [PaymentMethod]) async -> SourceParams? {
        var params = raw
        decorate(&params)
        return params
    }
}
