import CheckoutTesting
import Foundation
import Synchronization
import Testing

/// Tills behind a proxy that spoils requests in every way, killed by SIGKILL at random moments; each sale goes on at any
/// till until it has an end. They share one journal, or each sale has its own.
///
/// By the ledger, for every sale: never two charges, no success without one, no failure with one, and what is called "perhaps"
/// is named.
@Suite(.serialized) struct SharedJournalTests {
    /// How many sales; CHECKOUT_SALES says another number. See README.md.
    static let sales = ProcessInfo.processInfo.environment["CHECKOUT_SALES"].flatMap { Int($0) } ?? 8
    static let seed =
        ProcessInfo.processInfo.environment["CHECKOUT_SEED"].flatMap { UInt64($0) } ?? 20_261_122
    static let cashiers = 4
    static let mostTills = 12
    static let cards = [
        "4111111111111111", "6011111111111117", "3530111333300000", "3566002020360505", "4012888888881881",
    ]

    struct Line: Decodable, Sendable {
        var outcome: String
        var charge: String?
        var error: String?
        var transaction: String?
        var time: String?
        var idempotencyKey: String?
        var earlierOutcome: String?
        var earlierCharge: String?
        var earlierTransaction: String?
        var earlierDescription: String?
    }

    struct Sale: Sendable {
        let item: String
        var ends: [String] = []
        var last: Line?
        var kills = 0
    }

    @Test(.timeLimit(.minutes(180)), arguments: [true, false]) func noSaleIsChargedTwice(isShared: Bool)
        async throws
    {
        try await withSandbox(["--slow", "0.2"]) { sandbox, address in
            let random = Mutex(SeededGenerator(state: Self.seed))
            let proxy = try FaultProxy(to: address, delay: .milliseconds(1300)) { request in
                random.withLock { random in
                    if request.isEmpty {
                        return Int.random(in: 0..<50, using: &random) == 0 ? .resetAtOnce : nil
                    }
                    guard !request.contains("/ledger"), Int.random(in: 0..<6, using: &random) == 0 else {
                        return nil
                    }
                    return WireFault.all.randomElement(using: &random)
                }
            }
            let shared = try Folder()
            let next = Counter()
            let sales = try await withThrowingTaskGroup(of: [Sale].self) { group in
                for _ in 0..<Self.cashiers {
                    group.addTask {
                        var sales: [Sale] = []
                        while true {
                            let number = next.next()
                            guard number < Self.sales else { return sales }
                            sales.append(
                                try await Self.sell(number, proxy.address, isShared ? shared : try Folder()))
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            // What is late arrives.
            try await Task.sleep(for: .milliseconds(1500))
            Self.compare(sales, try await sandbox.ledger(), proxy.counts, isShared)
        }
    }

    /// The numbers of the sales.
    private final class Counter: Sendable {
        private let latest = Atomic(-1)
        func next() -> Int { latest.add(1, ordering: .relaxed).newValue }
    }

    /// One sale: tills, of which some are killed, until one of them says how it ended.
    private static func sell(_ number: Int, _ address: String, _ journal: Folder) async throws -> Sale {
        var random = SeededGenerator(state: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        var sale = Sale(item: "Shoes \(number)")
        for _ in 0..<mostTills {
            let card = cards.randomElement(using: &random) ?? ""
            let wait =
                Int.random(in: 0..<3, using: &random) > 0 ? Int.random(in: 20...900, using: &random) : nil
            let till = try RunningProcess(
                Programs.path("till"),
                [sale.item, "4.40", "--no-reader", "--json", "--patience", "3", "--timeout", "1"],
                input: "\(card)\n1230\n123\n", environment: TillRun.environment(address, journal))
            if let wait {
                try await Task.sleep(for: .milliseconds(wait))
                if till.isRunning { sale.kills += 1 }
                try await till.killAtOnce()
            }
            guard let text = await line(till) else { continue }
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let line = try decoder.decode(Line.self, from: Data(text.utf8))
            sale.ends.append(line.outcome)
            sale.last = line
            if line.outcome == "success" || line.outcome == "possible_success" { return sale }
        }
        return sale
    }

    /// What a till printed, read by a thread that may wait.
    private static func line(_ till: RunningProcess) async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: till.firstLine()) }
        }
    }

    private static func compare(
        _ sales: [Sale], _ ledger: [SandboxProcess.Charge], _ faults: [WireFault: Int], _ isShared: Bool
    ) {
        let charges = Dictionary(grouping: ledger, by: \.description)
        var ends: [String: Int] = [:]
        for sale in sales {
            let booked = charges[sale.item] ?? []
            let last = sale.last
            ends["\(last?.outcome ?? "no end"), \(booked.count) charged", default: 0] += 1
            #expect(booked.count <= 1, "two charges: \(sale)")
            switch last?.outcome {
            case "success":
                #expect(booked.map(\.id) == [last?.charge], "a success without its charge: \(sale)")
            case "possible_success":
                let transaction = last?.earlierTransaction ?? last?.transaction
                #expect(transaction != nil, "a doubt that is not named: \(sale)")
                if let charge = booked.first {
                    #expect(charge.transaction == transaction, "another one is named: \(sale)")
                }
            default:
                // Killed at the end, or refused by the network each time: the note is still there for the next till.
                if last?.outcome == "failure" {
                    #expect(sale.kills > 0 || booked.isEmpty, "a charged failure: \(sale)")
                }
            }
        }
        #expect(sales.count == Self.sales)
        let kills = sales.reduce(0) { $0 + $1.kills }
        print(
            "  \(isShared ? "one journal" : "a journal each"): \(kills) kills, \(faults.values.reduce(0, +)) faults of \(faults.count) kinds"
        )
        for (end, count) in ends.sorted(by: { $0.key < $1.key }) { print("  \(count) × \(end)") }
    }
}
