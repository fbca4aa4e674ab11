import Checkout
import CheckoutHTTP
import CheckoutTesting
import Foundation
import Synchronization
import Testing

/// Captures, refunds and voids against the sandbox's ledger, with everything that can go wrong on the way.
@Suite(.serialized) struct ChangeFaultTests {
    static let faults = FaultyServices.faults
    static let policy = PaymentPolicy(
        firstPoll: .milliseconds(5), longestPause: .milliseconds(40), pollTimeout: .milliseconds(1800),
        redirectTimeout: .milliseconds(400), othersTimeout: .seconds(2))

    /// A desk whose journal is in a folder: another one with the same folder is the next program.
    static func desk(_ address: String, _ folder: Folder, tries: Int = 2) throws -> PaymentDesk {
        PaymentDesk(
            .publicKey("pkey_1"), gateway: try gateway(address, timeout: .milliseconds(600), tries: tries),
            journal: try FileJournal(folder: folder.path("notes")), policy: policy)
    }

    /// A charge to be changed.
    static func charge(
        _ address: String, _ cents: Int = 440, capture: CaptureTime = .atOnce, tip: Int? = nil,
        number: String = "4111111111111111", currency: Currency = .eur
    ) async throws -> ChargeID {
        let gateway = try gateway(address)
        let request = TransactionRequest(
            description: "Shoes", amount: try money(cents, currency), apiKey: .publicKey("pkey_1"),
            tip: try tip.map { try money($0, currency) }, capture: capture)
        let payment = Payment(try await gateway.open(request), gateway: gateway, policy: quick)
        guard
            case .success(let charge) = try await payment.pay(
                preparedBy: HeadlessPreparer(card: try card(number)))
        else { throw TestFailure("not charged") }
        #expect(charge.isCaptured == (capture == .atOnce) && charge.tip?.minorUnits == tip)
        return ChargeID(charge.id)
    }

    static func money(_ units: Int, _ currency: Currency = .eur) throws -> Money {
        try #require(Money(minorUnits: units, currency: currency))
    }

    // MARK: The service

    /// A tip that no till asks for is refused, and the service goes on.
    @Test(arguments: [Int.min, -1, Int.max]) func aTipIsNoTrap(tip: Int) async throws {
        try await withSandbox { sandbox, address in
            let id = try await Self.charge(address, capture: .later)
            _ = try? await send(
                #"{"kind":"capture","amount":440,"currency":"EUR","tip":\#(tip)}"#,
                to: "\(address)/v1/charges/\(id)/changes", key: "\(IdempotencyKey())")
            #expect(sandbox.isRunning)
            #expect(try await sandbox.changes().allSatisfy { $0.status == "failed" })
        }
    }

    @Test func aChargeIsRefundedInParts() async throws {
        try await withSandbox { sandbox, address in
            let (id, folder) = (try await Self.charge(address), try Folder())
            for (cents, isDone) in [(150, true), (300, false), (290, true)] {
                let desk = try Self.desk(address, folder)
                let end = await desk.change(.refund(id, amount: try Self.money(cents)))
                if case .done(let booked) = end.outcome {
                    #expect(isDone && booked.amount.minorUnits == cents)
                } else {
                    #expect(!isDone)
                }
                if let note = end.note { desk.acknowledge(note, selling: note.attempt.sale) }
            }
            #expect(try await sandbox.changes().map(\.amount) == [150, 290])
        }
    }

    /// The service holds the sum, too: refunds that its clients do not check.
    @Test func theServiceHoldsTheSum() async throws {
        try await withSandbox { sandbox, address in
            let id = try await Self.charge(address)
            let permit = { (cents: Int, key: IdempotencyKey) in
                ChangePermit(.refund(id), amount: try Self.money(cents), of: TransactionID("txn_1"), key: key)
            }
            let gateway = try gateway(address)
            let statuses = try await [441, 440, 1].asyncMap { cents in
                try await gateway.change(try permit(cents, IdempotencyKey()), with: .publicKey("pkey_1"))
                    .status
            }
            #expect(statuses == [.failed(.amountTooLarge), .done, .failed(.amountTooLarge)])
            #expect(try await sandbox.changes().filter { $0.status == "done" }.map(\.amount) == [440])
        }
    }

    /// One key is one change, also where it was refused; with another amount it is an error, and a key lives for its time.
    @Test func oneKeyIsOneChange() async throws {
        try await withSandbox { sandbox, address in
            let (id, gateway) = (try await Self.charge(address), try gateway(address))
            let key = IdempotencyKey()
            let first = try await gateway.change(
                ChangePermit(.refund(id), amount: try Self.money(100), of: TransactionID("txn_1"), key: key),
                with: .publicKey("pkey_1"))
            let again = try await gateway.change(
                ChangePermit(.refund(id), amount: try Self.money(100), of: TransactionID("txn_1"), key: key),
                with: .publicKey("pkey_1"))
            #expect(first == again)
            await #expect(throws: GatewayError(.conflict, .unknown)) {
                try await gateway.change(
                    ChangePermit(
                        .refund(id), amount: try Self.money(101), of: TransactionID("txn_1"), key: key),
                    with: .publicKey("pkey_1"))
            }
            #expect(try await sandbox.changes().count == 1)
        }
        try await withSandbox(["--key-seconds", "0"]) { sandbox, address in
            let (id, gateway) = (try await Self.charge(address), try gateway(address))
            let permit = ChangePermit(
                .refund(id), amount: try Self.money(100), of: TransactionID("txn_1"), key: IdempotencyKey())
            for _ in 1...2 { _ = try await gateway.change(permit, with: .publicKey("pkey_1")) }
            #expect(
                try await sandbox.changes().count == 2,
                "so a service refunds twice that has forgotten the key")
        }
    }

    /// Less than was authorised, a tip in it; the rest is released. A tip may be more, within what the service allows.
    @Test(arguments: [
        (Currency.eur, 4000, 3000, 0, true), (.eur, 4000, 4400, 400, true), (.eur, 4000, 4400, 0, false),
        (.eur, 4000, 5000, 1000, false), (.jpy, 500, 450, 50, true),
        (Currency("KWD") ?? .eur, 12_345, 12_346, 1, true),
    ])
    func capturesAndTips(currency: Currency, held: Int, taken: Int, tip: Int, isDone: Bool) async throws {
        try await withSandbox { sandbox, address in
            let id = try await Self.charge(address, held, capture: .later, currency: currency)
            let folder = try Folder()
            defer { withExtendedLifetime(folder) {} }
            let desk = try Self.desk(address, folder)
            let end = await desk.change(
                .capture(
                    id, amount: try Self.money(taken, currency),
                    tip: tip == 0 ? nil : try Self.money(tip, currency)))
            guard isDone else {
                guard case .failed = end.outcome else { Issue.record("\(end)"); return }
                return
            }
            guard case .done(let booked) = end.outcome else { Issue.record("\(end)"); return }
            #expect(booked.amount == (try Self.money(taken, currency)))
            #expect(end.record?.captured.minorUnits == taken && end.record?.capturable.minorUnits == 0)
            if let note = end.note { desk.acknowledge(note, selling: note.attempt.sale) }
            let more = await desk.change(.refund(id, amount: try Self.money(taken + 1, currency)))
            guard case .failed(.unfit) = more.outcome else { Issue.record("\(more)"); return }
        }
    }

    @Test func aTipMayComeWithTheAuthorisation() async throws {
        try await withSandbox { _, address in
            let id = try await Self.charge(address, 490, tip: 50)
            let record = try await gateway(address).record(of: id, with: .publicKey("pkey_1"))
            #expect(record.charge.tip?.minorUnits == 50 && record.captured.minorUnits == 490)
        }
    }

    // MARK: Faults

    struct Run: Sendable {
        var name: String
        var charge: ChargeID
        var end: String
        var next: String
    }

    /// A fault for the first request of a phase, or for each of them.
    private static func plan(_ fault: WireFault, _ phase: String, always: Bool) -> FaultProxy.Plan {
        let isUsed = Atomic(false)
        return { request in
            let isPhase =
                request.isEmpty
                ? fault == .resetAtOnce
                : phase == "record" ? request.hasPrefix("GET") : request.hasSuffix("/changes")
            guard isPhase, always || !isUsed.exchange(true, ordering: .sequentiallyConsistent) else {
                return nil
            }
            return fault
        }
    }

    /// One change with a fault, and the same change once more at the next till, where nothing is in the way.
    private static func run(
        _ address: String, _ kind: ChargeChange.Kind, _ fault: WireFault, _ phase: String, always: Bool
    ) async throws -> Run {
        let id = try await charge(address, capture: kind == .capture ? .later : .atOnce)
        let change: ChargeChange =
            switch kind {
            case .capture: .capture(id, amount: try money(300))
            case .refund: .refund(id, amount: try money(200))
            case .void: .void(id)
            }
        let folder = try Folder()
        let proxy = try FaultProxy(
            to: address, delay: .milliseconds(900), plan: plan(fault, phase, always: always))
        let (through, journal) = (
            try gateway(proxy.address, timeout: .milliseconds(600), tries: 2),
            try FileJournal(folder: folder.path("notes"))
        )
        let end = await PaymentDesk(.publicKey("pkey_1"), gateway: through, journal: journal, policy: policy)
            .change(change)
        // A till that is killed here has told nobody; the next one talks to the service itself, by the same name.
        proxy.stop()
        if let note = end.note { journal.release(note.attempt, isTold: false) }
        let next = PaymentDesk(
            .publicKey("pkey_1"), gateway: Switched(try gateway(address), as: through.service),
            journal: journal,
            policy: policy)
        let second = await next.change(change)
        return Run(
            name: "\(kind) \(fault) at \(phase)\(always ? " always" : "")", charge: id, end: word(end),
            next: word(second))
    }

    static func word(_ end: ChangeEnd) -> String {
        switch end.outcome {
        case .done: "done"
        case .failed: "failed"
        case .perhaps(.earlierPayments(let payments)):
            if case .success = payments.first?.end { "done before" } else { "perhaps" }
        case .perhaps: "perhaps"
        }
    }

    @Test(.timeLimit(.minutes(6)), arguments: ChargeChange.Kind.allCases)
    func everyFaultInEveryPhase(kind: ChargeChange.Kind) async throws {
        try await withSandbox { sandbox, address in
            var cases: [(WireFault, String, Bool)] = []
            for fault in Self.faults {
                for phase in ["record", "/changes"] { cases.append((fault, phase, false)) }
                cases.append((fault, "/changes", true))
            }
            let runs = try await inParallel(cases) { fault, phase, always in
                try await Self.run(address, kind, fault, phase, always: always)
            }
            // What was late is in the books by then.
            try await Task.sleep(for: .milliseconds(1000))
            let changes = Dictionary(
                grouping: try await sandbox.changes().filter { $0.status != "failed" }, by: \.charge)
            var ends: [String: Int] = [:]
            for run in runs {
                let booked = changes[run.charge.value] ?? []
                ends["\(run.end), then \(run.next), \(booked.count) booked", default: 0] += 1
                Self.check(run, booked.count, kind)
            }
            for (end, count) in ends.sorted(by: { $0.key < $1.key }) { print("  \(kind): \(count) × \(end)") }
        }
    }

    /// Never twice, no success without its change, no failure with one; what is doubtful is settled by the next one.
    private static func check(_ run: Run, _ booked: Int, _ kind: ChargeChange.Kind) {
        // Refunds are the only ones that may be done again: by who was told that the first one failed.
        #expect(booked <= 1, "done \(booked) times: \(run)")
        switch run.end {
        case "done":
            #expect(booked == 1, "a success without its change: \(run)")
            #expect(run.next == "done before", "nobody was told, so it is told: \(run)")
        case "failed": #expect(run.next == "done" && booked == 1, "\(run)")
        default: #expect(["done", "done before"].contains(run.next) && booked == 1, "not settled: \(run)")
        }
    }
}

extension Array {
    func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
