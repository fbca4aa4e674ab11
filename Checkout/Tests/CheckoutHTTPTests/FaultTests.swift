import Checkout
import CheckoutHTTP
import CheckoutTesting
import Foundation
import Synchronization
import Testing

/// Everything that can go wrong on the way, in every phase, against the sandbox's ledger.
@Suite(.serialized) struct FaultTests {
    /// The requests of a payment, as their paths end.
    static let phases = ["/transactions", "/sources", "/authorise", "poll", "/cancel"]
    static let policy = PaymentPolicy(
        firstPoll: .milliseconds(5), longestPause: .milliseconds(20), pollTimeout: .milliseconds(2500),
        redirectTimeout: .milliseconds(400), othersTimeout: .milliseconds(200))

    /// A fault for the first request of a phase, or for each of them.
    private static func plan(_ fault: WireFault, _ phase: String, always: Bool = false) -> FaultProxy.Plan {
        let isUsed = Once()
        return { request in
            let isPhase =
                request.isEmpty
                ? fault == .resetAtOnce
                : phase == "poll" ? request.hasPrefix("GET /v1/sources") : request.hasSuffix(phase)
            guard isPhase, always || isUsed.first() else { return nil }
            return fault
        }
    }

    private final class Once: Sendable {
        private let isOver = Atomic(false)
        func first() -> Bool { !isOver.exchange(true, ordering: .sequentiallyConsistent) }
    }

    struct Run: Sendable {
        var fault: String
        var transaction: String?
        var end = "not begun"
        var charge: String?
    }

    /// One payment, slow enough to be polled, with one fault.
    private static func pay(_ address: String, _ fault: WireFault, _ phase: String, always: Bool) async throws
        -> Run
    {
        let proxy = try FaultProxy(
            to: address, delay: .milliseconds(900), plan: plan(fault, phase, always: always))
        let gateway = try gateway(proxy.address, timeout: .milliseconds(600), tries: 2)
        var run = Run(fault: "\(fault) at \(phase)\(always ? " always" : "")")
        var opened: Transaction?
        for _ in 1...2 where opened == nil { opened = try? await gateway.open(try shoes()) }
        guard let transaction = opened else { return run }
        run.transaction = transaction.id.value
        let number = phase == "/cancel" ? "5105105105105100" : "6011111111111117"
        let end = try await Payment(transaction, gateway: gateway, policy: policy)
            .pay(preparedBy: HeadlessPreparer(card: try card(number)))
        run.end = end.name
        if case .success(let charge) = end { run.charge = charge.id }
        proxy.stop()
        return run
    }

    @Test(.timeLimit(.minutes(5))) func everyFaultInEveryPhase() async throws {
        try await withSandbox { sandbox, address in
            var cases: [(WireFault, String, Bool)] = []
            for fault in FaultyServices.faults {
                for phase in Self.phases { cases.append((fault, phase, false)) }
            }
            // The authorisation and all that follows it: nobody may say that no money moved.
            for fault in FaultyServices.faults { cases.append((fault, "poll", true)) }
            let runs = try await inParallel(cases) { fault, phase, always in
                try await Self.pay(address, fault, phase, always: always)
            }
            // What was late is in the books by then.
            try await Task.sleep(for: .milliseconds(1000))
            let charges = Dictionary(grouping: try await sandbox.ledger(), by: \.transaction)
            for run in runs {
                let booked = run.transaction.flatMap { charges[$0] } ?? []
                #expect(booked.count <= 1, "two charges: \(run)")
                switch run.end {
                case "success":
                    #expect(booked.map(\.id) == [run.charge], "a success without a charge: \(run)")
                case "possible_success": break
                default: #expect(booked.isEmpty, "a charged failure: \(run)")
                }
            }
            #expect(runs.count == cases.count && runs.filter { $0.end == "success" }.count > cases.count / 4)
        }
    }

    /// A proxy's page with any status says nothing of the money: it was charged, and that is found out.
    @Test(arguments: WireFault.statuses) func aForeignAnswerIsNoRefusal(status: Int) async throws {
        try await withSandbox { sandbox, address in
            let run = try await Self.pay(address, .foreignAfter(status), "/authorise", always: true)
            #expect(run.end == "success" && run.charge != nil)
            let none = try await Self.pay(address, .foreignBefore(status), "/authorise", always: true)
            #expect(none.end == "failure", "asked, and given up")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// The first try may have arrived; what a proxy says to the second one does not change that.
    @Test func anEarlierDoubtIsNotErased() async throws {
        try await withSandbox { _, address in
            let tries = Atomic(0)
            let proxy = try FaultProxy(to: address, delay: .seconds(1)) { request in
                guard !request.isEmpty else { return nil }
                return tries.add(1, ordering: .relaxed).newValue == 1 ? .lostAnswer : .foreignBefore(402)
            }
            let gateway = try gateway(proxy.address, tries: 3)
            await #expect(throws: GatewayError(.badAnswer, .unknown)) { try await gateway.open(try shoes()) }
        }
    }

    /// A proxy mixes the answers of two payments up, each time at another request: neither pays the other's, neither is
    /// charged twice, and each knows its own charge.
    @Test(arguments: Self.phases) func anotherPaymentsAnswerIsNotTaken(phase: String) async throws {
        try await withSandbox { sandbox, address in
            let isMixedUp = Atomic(false)
            let proxy = try FaultProxy(
                to: address, delay: .milliseconds(900),
                plan: { [plan = Self.plan(.anothersAnswer, phase)] request in
                    isMixedUp.load(ordering: .relaxed) ? plan(request) : nil
                })
            let gateway = try gateway(proxy.address, timeout: .seconds(5), tries: 2)
            let policy = Self.policy
            var charges: Set<String> = []
            for number in ["4761730000000011", "6011111111111117", "5105105105105100"] {
                let transaction = try await gateway.open(try shoes())
                let end = try await Payment(transaction, gateway: gateway, policy: policy)
                    .pay(preparedBy: HeadlessPreparer(card: try card(number)))
                if case .success(let charge) = end {
                    #expect(charges.insert(charge.id).inserted, "another payment's charge: \(end)")
                    #expect(try await sandbox.ledger().contains { $0.transaction == transaction.id.value })
                }
                isMixedUp.store(true, ordering: .relaxed)
            }
            let ledger = try await sandbox.ledger()
            #expect(Set(ledger.map(\.transaction)).count == ledger.count, "two charges: \(ledger)")
            #expect(charges == Set(ledger.map(\.id)))
            proxy.stop()
        }
    }

    /// Each answer comes twice on a connection that is kept: the second one is no answer to the next request.
    @Test(arguments: [0, 2, 20]) func aSecondAnswerIsNotTaken(milliseconds: Int) async throws {
        try await withSandbox { sandbox, address in
            let proxy = try DoublingProxy(to: address, delay: .milliseconds(milliseconds))
            let gateway = try gateway(proxy.address, timeout: .seconds(2), tries: 4)
            var ends: [String] = []
            for number in ["4111111111111111", "4012888888881881", "6011111111111117", "5105105105105100"] {
                let transaction = try await gateway.open(try shoes())
                let end = try await Payment(transaction, gateway: gateway, policy: Self.policy)
                    .pay(preparedBy: HeadlessPreparer(card: try card(number)))
                let booked = try await sandbox.ledger().filter { $0.transaction == transaction.id.value }
                ends.append("\(end.name) \(booked.count)")
                if case .success(let charge) = end { #expect(booked.map(\.id) == [charge.id]) }
            }
            print("  second answers after \(milliseconds) ms: \(ends)")
            #expect(!ends.contains { $0.hasSuffix("2") || $0 == "success 0" || $0 == "failure 1" }, "\(ends)")
            proxy.stop()
        }
    }

    /// Whatever stalls, the time for an answer is the time for all of it.
    @Test(arguments: [WireFault.stalledRequest, .stalledHead, .stalledBody, .tricklingBody])
    func whatStallsEnds(fault: WireFault) async throws {
        try await withSandbox { _, address in
            let delay = Duration.seconds(20)
            let proxy = try FaultProxy(to: address, delay: delay) { $0.isEmpty ? nil : fault }
            let gateway = try gateway(proxy.address, timeout: .milliseconds(300), tries: 1)
            let start = ContinuousClock.now
            await #expect(throws: GatewayError(.timedOut, .unknown)) { try await gateway.open(try shoes()) }
            #expect(ContinuousClock.now - start < delay)
        }
    }
}
