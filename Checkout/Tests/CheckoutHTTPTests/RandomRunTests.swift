import Checkout
import CheckoutHTTP
import CheckoutSandbox
import CheckoutTesting
import Foundation
import Testing

/// Random payments against the sandbox while everything goes wrong: before a charge, during, after; tasks killed in the
/// middle; preparers that give up, as when a swiped card is pulled back; customers who agree, refuse or walk away.
///
/// What must hold for every one of them, by the ledger:
/// - never two charges for one payment;
/// - never a success that the ledger lacks;
/// - never a failure or a cancellation although the ledger has a charge: what is doubtful ends as a possible success.
@Suite(.serialized) struct RandomRunTests {
    /// How many payments; CHECKOUT_RUNS says another number. 10,000 were run once, see README.md.
    static let runs = ProcessInfo.processInfo.environment["CHECKOUT_RUNS"].flatMap { Int($0) } ?? 300
    static let seed =
        ProcessInfo.processInfo.environment["CHECKOUT_SEED"].flatMap { UInt64($0) } ?? 20_261_121
    static let atOnce = 24
    static let policy = PaymentPolicy(
        firstPoll: .milliseconds(3), longestPause: .milliseconds(15), pollTimeout: .milliseconds(1500),
        redirectTimeout: .milliseconds(600))
    static let delay = Duration.milliseconds(1200)

    /// How one payment ended, and what was promised about it on the way.
    struct Run: Sendable {
        var transaction: String?
        var end = "not begun"
        var charge: String?
        var attempts = 0
    }

    @Test(.timeLimit(.minutes(60))) func theLedgerAgrees() async throws {
        let faults = ["--faults", "200", "--seed", "\(Self.seed)", "--lateness", "1.2"]
        try await withSandbox(faults) { sandbox, address in
            let gateway = try gateway(address, timeout: .milliseconds(600), tries: 2)
            let runs = try await inParallel(Array(0..<Self.runs), atOnce: Self.atOnce) {
                await Self.one($0, gateway)
            }
            // What was late is in the books by then.
            try await Task.sleep(for: Self.delay * 2)
            try Self.compare(runs, try await sandbox.ledger())
        }
    }

    /// One payment in a task of its own, of which one in six is killed somewhere on its way.
    private static func one(_ number: Int, _ gateway: HTTPGateway) async -> Run {
        var random = SeededGenerator(state: seed &+ UInt64(number) &* 0x9E37_79B9)
        let deadline = Int.random(in: 0...1000, using: &random)
        let isKilled = Int.random(in: 0..<6, using: &random) == 0
        let start = random
        let task = Task { await pay(start, gateway) }
        if isKilled {
            try? await Task.sleep(for: .milliseconds(deadline))
            task.cancel()
        }
        return await task.value
    }

    private static func pay(_ start: SeededGenerator, _ gateway: HTTPGateway) async -> Run {
        var random = start
        var run = Run()
        guard let request = try? shoes(Int.random(in: 1...100_000, using: &random)) else { return run }
        var opened: Transaction?
        // What goes wrong before a payment begins is not what is looked for here.
        for _ in 1...4 where opened == nil {
            opened = try? await gateway.openTransaction(request, key: IdempotencyKey())
        }
        guard let transaction = opened else { return run }
        run.transaction = transaction.id.value
        let payment = Payment(transaction, gateway: gateway, policy: policy)
        while run.attempts < 4, case .idle = payment.state {
            run.attempts += 1
            guard let preparer = try? preparer(&random) else { break }
            guard let end = try? await payment.pay(preparedBy: preparer) else { break }
            run.end = end.name
            if case .success(let charge) = end { run.charge = charge.id }
        }
        return run
    }

    private static func preparer(_ random: inout SeededGenerator) throws -> HeadlessPreparer {
        // The card was pulled back, the reader is gone.
        let attempts = Int.random(in: 0..<25, using: &random) == 0 ? 0 : 1
        let choice = Int.random(in: 0...TestCard.all.count, using: &random)
        let preparer =
            choice == TestCard.all.count
            ? HeadlessPreparer(wallet: "SandPay", attempts: attempts)
            : HeadlessPreparer(card: try card(TestCard.all[choice].number), attempts: attempts)
        let answer = ["yes", "yes", "no", ""].randomElement(using: &random) ?? ""
        preparer.onRedirect = { page in
            if !answer.isEmpty { Task.detached { try await visit(page + "?answer=" + answer) } }
        }
        return preparer
    }

    private static func compare(_ runs: [Run], _ ledger: [SandboxProcess.Charge]) throws {
        let charges = Dictionary(grouping: ledger, by: \.transaction)
        var ends: [String: Int] = [:]
        for run in runs {
            let booked = run.transaction.flatMap { charges[$0] } ?? []
            ends["\(run.end), \(booked.count) charged", default: 0] += 1
            #expect(booked.count <= 1, "two charges for \(run.transaction ?? "")")
            switch run.end {
            case "success": #expect(booked.map(\.id) == [run.charge], "a success that the ledger lacks")
            case "possible_success": break
            default: #expect(booked.isEmpty, "\(run.end) although the ledger has a charge")
            }
        }
        #expect(runs.count == Self.runs)
        for (end, count) in ends.sorted(by: { $0.key < $1.key }) { print("  \(count) × \(end)") }
    }
}
