import CheckoutTesting
import Foundation
import Synchronization
import Testing

/// Tills behind a proxy that spoils requests in every way, killed by SIGKILL at random moments; each sale goes on at any
/// till until it has an end. They share one journal, or each till has its own; sales have an order's name or none; of those
/// with one, every other one is paid at two tills at once.
///
/// By the ledger, for every sale: never two charges, no success without one, no failure with one, and what is called "perhaps"
/// is named.
@Suite(.serialized) struct SharedJournalTests {
    /// How many sales; CHECKOUT_SALES says another number. See README.md.
    static let sales = ProcessInfo.processInfo.environment["CHECKOUT_SALES"].flatMap { Int($0) } ?? 6
    static let seed =
        ProcessInfo.processInfo.environment["CHECKOUT_SEED"].flatMap { UInt64($0) } ?? 20_261_122
    /// How long each kind may sell at most; CHECKOUT_SECONDS says it.
    static let limit = ProcessInfo.processInfo.environment["CHECKOUT_SECONDS"].flatMap { Int($0) }
    /// How many sell at once; CHECKOUT_CASHIERS says another number.
    static let cashiers = ProcessInfo.processInfo.environment["CHECKOUT_CASHIERS"].flatMap { Int($0) } ?? 4
    static let mostTills = 12
    /// After how many sales a long run says how far it is.
    static let news = 100
    /// What the two tills of a sale are given: by the last digits it is seen which one was charged. One is declined.
    static let cards = [
        ["4111111111111111", "6011111111111117", "4012888888881881"],
        ["3530111333300000", "3566002020360505", "4012888888881881"],
    ]

    /// Who shares what.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case oneJournal = "one journal, no orders"
        case oneJournalWithOrders = "one journal, orders"
        case ownJournalsWithOrders = "a journal for each till, orders"
        case restartedService = "one journal, orders, the service is killed, too"

        /// CHECKOUT_KIND names the only one that runs.
        static let wanted = allCases.filter {
            "\($0)" == ProcessInfo.processInfo.environment["CHECKOUT_KIND"] ?? "\($0)"
        }

        var hasOrders: Bool { self != .oneJournal }
        /// A service that starts again takes its time.
        var sales: Int {
            self == .restartedService ? max(SharedJournalTests.sales / 4, 4) : SharedJournalTests.sales
        }
        var testDescription: String { rawValue }
    }

    struct Line: Decodable, Sendable {
        var outcome: String
        var charge: String?
        var error: String?
        var message: String?
        var transaction: String?
        var earlierTransaction: String?
    }

    /// The tills at one counter, one after the other, that try to sell something.
    struct Counter: Sendable {
        let cards: [String]
        var last: Line?
        /// Tills that were started.
        var tills = 0
        var kills = 0
        /// Whether a till was killed after the last word.
        var endsKilled = false
    }

    struct Sale: Sendable {
        let item: String
        var counters: [Counter]
    }

    @Test(.timeLimit(.minutes(180)), arguments: Kind.wanted) func noSaleIsChargedTwice(kind: Kind)
        async throws
    {
        // Where tills have nothing in common, the service's promise is needed; elsewhere it must not be.
        let keepsPromise = kind == .ownJournalsWithOrders
        let slow = ["--slow", "0.2"]
        if kind == .restartedService {
            return try await withRestartedSandbox(slow, chargesOnce: keepsPromise) { sandbox, address in
                try await Self.run(kind, address, sandbox)
            }
        }
        try await withSandbox(slow, chargesOnce: keepsPromise) { sandbox, address in
            try await Self.run(kind, address) { sandbox }
        }
    }

    private static func run(
        _ kind: Kind, _ address: String, _ sandbox: () async throws -> SandboxProcess
    ) async throws {
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
        let next = Numbers()
        let start = ContinuousClock.now
        let end = Self.limit.map { start + .seconds($0) }
        let sales = try await withThrowingTaskGroup(of: [Sale].self) { group in
            for _ in 0..<Self.cashiers {
                group.addTask {
                    var sales: [Sale] = []
                    while true {
                        let number = next.next()
                        let isLate = end.map { ContinuousClock.now > $0 } ?? false
                        guard number < kind.sales, !isLate else { return sales }
                        sales.append(try await Self.sell(number, kind, proxy.address, shared))
                        next.tell(kind, since: start)
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        // What is late arrives.
        try await Task.sleep(for: .milliseconds(1500))
        let time = (ContinuousClock.now - start).components.seconds
        Self.compare(sales, try await sandbox().ledger(), proxy.counts, kind, time)
    }

    /// The numbers of the sales, and how many of them are over.
    private final class Numbers: Sendable {
        private let latest = Atomic(-1)
        private let over = Atomic(0)
        func next() -> Int { latest.add(1, ordering: .relaxed).newValue }

        /// Says from time to time how far a long run is.
        func tell(_ kind: Kind, since start: ContinuousClock.Instant) {
            let count = over.add(1, ordering: .relaxed).newValue
            guard count.isMultiple(of: news) else { return }
            let time = (ContinuousClock.now - start).components.seconds
            print("  \(kind.rawValue): \(count) of \(kind.sales) sales after \(time) s")
        }
    }

    private static func sell(_ number: Int, _ kind: Kind, _ address: String, _ shared: Folder) async throws
        -> Sale
    {
        let item = "Shoes \(number)"
        let isCrowded = kind.hasOrders && number.isMultiple(of: 2)
        let counters = try await withThrowingTaskGroup(of: Counter.self) { group in
            for place in 0..<(isCrowded ? 2 : 1) {
                group.addTask { try await counter(place, number, item, kind, address, shared) }
            }
            return try await group.reduce(into: [Counter]()) { $0.append($1) }
        }
        return Sale(item: item, counters: counters)
    }

    /// One counter: tills, of which some are killed, until one of them says that it is paid, or perhaps.
    private static func counter(
        _ place: Int, _ number: Int, _ item: String, _ kind: Kind, _ address: String, _ shared: Folder
    ) async throws -> Counter {
        let seed = seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(place) &* 0xBF58_476D_1CE4_E5B9
        var random = SeededGenerator(state: seed)
        var counter = Counter(cards: cards[place])
        for round in 1...mostTills {
            let card = counter.cards.randomElement(using: &random) ?? ""
            let isKilled = round < mostTills && Int.random(in: 0..<3, using: &random) > 0
            let wait = Int.random(in: 20...900, using: &random)
            let journal = kind == .ownJournalsWithOrders ? try Folder() : shared
            let till = try RunningProcess(
                Programs.path("till"),
                [item, "4.40", "--no-reader", "--json", "--patience", "3", "--timeout", "1"]
                    + (kind.hasOrders ? ["--order", item] : []),
                input: "\(card)\n1230\n123\n", environment: TillRun.environment(address, journal))
            counter.tills += 1
            if isKilled {
                try await Task.sleep(for: .milliseconds(wait))
                if till.isRunning { counter.kills += 1 }
                try await till.killAtOnce()
            }
            let text = await line(till)
            counter.endsKilled = text == nil
            guard let text else { continue }
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let line = try decoder.decode(Line.self, from: Data(text.utf8))
            counter.last = line
            if line.outcome == "success" || line.outcome == "possible_success" { break }
        }
        return counter
    }

    /// What a till printed, read by a thread that may wait.
    private static func line(_ till: RunningProcess) async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: till.firstLine()) }
        }
    }

    private static func compare(
        _ sales: [Sale], _ ledger: [SandboxProcess.Charge], _ faults: [WireFault: Int], _ kind: Kind,
        _ time: Int64
    ) {
        let charges = Dictionary(grouping: ledger, by: \.description)
        var ends: [String: Int] = [:]
        var twice = 0
        for sale in sales {
            let booked = charges[sale.item] ?? []
            if booked.count > 1 { twice += 1 }
            #expect(booked.count <= 1, "two charges: \(sale)")
            for counter in sale.counters {
                let end = judge(counter, booked, kind, sale)
                ends[end, default: 0] += 1
            }
        }
        #expect(sales.count == kind.sales || (limit != nil && !sales.isEmpty))
        let counters = sales.flatMap(\.counters)
        print(
            "  \(kind.rawValue): \(sales.count) sales at \(counters.count) counters,",
            "\(counters.reduce(0) { $0 + $1.tills }) tills, \(counters.reduce(0) { $0 + $1.kills }) kills,",
            "\(faults.values.reduce(0, +)) faults of \(faults.count) kinds, \(time) s, \(twice) charged twice"
        )
        for (end, count) in ends.sorted(by: { $0.key < $1.key }) { print("  \(count) × \(end)") }
    }

    /// Holds what the last till of a counter said against the ledger.
    private static func judge(
        _ counter: Counter, _ booked: [SandboxProcess.Charge], _ kind: Kind, _ sale: Sale
    ) -> String {
        let last = counter.last
        let isOwn = booked.contains { charge in
            counter.cards.contains { $0.hasSuffix(charge.last4 ?? "-") }
        }
        #expect(!counter.endsKilled, "a till that was not killed said nothing: \(sale)")
        switch last?.outcome {
        case "success":
            #expect(booked.map(\.id) == [last?.charge], "a success without its charge: \(sale)")
        case "possible_success":
            let transaction = last?.earlierTransaction ?? last?.transaction
            if last?.error == "already_paid" {
                #expect(booked.contains { last?.message?.contains($0.id) == true }, "not named: \(sale)")
            } else {
                #expect(transaction != nil, "a doubt that is not named: \(sale)")
                if let charge = booked.first {
                    #expect(charge.transaction == transaction, "another one is named: \(sale)")
                }
            }
        // The note is there for the next till.
        case "not_begun": break
        default:
            // A till that has nothing in common with one that was killed speaks of its own attempt alone.
            if kind != .ownJournalsWithOrders || counter.kills == 0 {
                #expect(!isOwn, "charged, and said otherwise: \(sale)")
            } else if isOwn {
                return "\(last?.outcome ?? "no end") of a till that could not know of a killed one's charge"
            }
        }
        let paid = booked.isEmpty ? "not charged" : isOwn ? "charged" : "charged at the other counter"
        return "\(last?.outcome ?? "no end") \(last?.error ?? ""), \(paid)"
    }
}
