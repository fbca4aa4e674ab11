import CardData
import Checkout
import CheckoutTesting
import Foundation
import SwipeClient
import Synchronization
import Testing

@testable import CheckoutHTTP

/// The gateway to Payroc's card payments, against a fake that was made from the same public documentation.
@Suite struct PayrocTests {
    // MARK: Sales

    @Test func aCardIsCharged() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let charge = try StripeSales.charge(
            try await PayrocSales.pay(PayrocSales.desk(try PayrocSales.gateway(fake)), tip: 40))
        #expect(charge.amount.minorUnits == 440 && charge.isCaptured && charge.tip?.minorUnits == 40)
        #expect(charge.maskedNumber == "411111…1111" && charge.brand == .visa && charge.approvalCode == "OK3")
        #expect(fake.charges == 1 && fake.tokens == 1, "one token for all")
        let log = fake.service.log
        #expect(
            log.filter { $0.body.contains("411111111") }.map(\.path) == ["/v1/payments"],
            "in one request only")
        #expect(!log.contains { $0.path != "/authorize" && $0.headers["x-api-key"] != nil })
        let keys = log.filter { $0.method == "POST" && $0.path != "/authorize" }
            .map { $0.headers["idempotency-key"] }
        #expect(keys.count == 2 && !keys.contains(nil) && Set(keys).count == 2)
    }

    @Test func anEncryptedSwipeIsCharged() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let encryption = SwipeEncryption(
            scheme: "dukpt-tdes",
            keySerialNumber: [0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0x00, 0x01],
            tracks: [.init(track: 1, ciphertext: [0x01]), .init(track: 2, ciphertext: [0xAB, 0x0C])])
        let swiped = try SwipedCard(SwipeData(tracks: [], encryption: encryption))
        let payment = try await PayrocSales.desk(try PayrocSales.gateway(fake)).begin(
            "Shoes", amount: try StripeSales.euros(440))
        let end = try await payment.pay(
            preparedBy: HeadlessPreparer(card: CardDetails(swiped)))
        _ = try StripeSales.charge(end)
        let body = try #require(fake.service.log.first { $0.path == "/v1/payments" }?.body)
        for part in [
            #""entryMethod":"swiped""#, #""dataKsn":"FFFF9876543210E00001""#, #""encryptedData":"AB0C""#,
            #""model":"idtechSredkey","serialNumber":"SN1""#,
        ] { #expect(body.contains(part), "\(part) in \(body)") }
    }

    /// A decline is told as it comes; another card for the same order is another payment.
    @Test(arguments: [nil, "17"]) func aDeclineIsTold(order: String?) async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let payment = try await PayrocSales.desk(try PayrocSales.gateway(fake)).begin(
            "Shoes", amount: try StripeSales.euros(440), order: order)
        let no = try await payment.pay(preparedBy: HeadlessPreparer(card: try card("4012888888881881")))
        #expect(no == .failure(.gateway(GatewayError(.declined, .refused))))
        _ = try StripeSales.charge(
            try await payment.pay(preparedBy: HeadlessPreparer(card: try card("4111111111111111"))))
        #expect(fake.charges == 1)
    }

    @Test func aTokenThatIsRevokedIsReplaced() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let gateway = try PayrocSales.gateway(fake)
        _ = try StripeSales.charge(try await PayrocSales.pay(PayrocSales.desk(gateway)))
        fake.revokeTokens()
        _ = try StripeSales.charge(try await PayrocSales.pay(PayrocSales.desk(gateway)))
        #expect(fake.charges == 2 && fake.tokens == 3)
        // A key that is none is told.
        let wrong = PaymentDesk(
            .secretKey("sk_1"), gateway: try PayrocSales.gateway(fake), journal: MemoryJournal(),
            policy: .ofTests)
        let end = try await PayrocSales.pay(wrong)
        guard case .failure(.gateway(let error)) = end else { throw TestFailure("\(end)") }
        #expect(error.code == .badKey && fake.charges == 2)
    }

    // MARK: Orders

    /// Also a week later, when its key is forgotten, and for tills that share nothing.
    @Test func anOrderIsPaidOnce() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let charge = try StripeSales.charge(
            try await PayrocSales.pay(PayrocSales.desk(try PayrocSales.gateway(fake)), order: "table 4/17"))
        fake.forgetKeys()
        await #expect(throws: PaymentError.alreadyPaid(charge)) {
            try await PayrocSales.pay(PayrocSales.desk(try PayrocSales.gateway(fake)), order: "table 4/17")
        }
        await #expect(throws: PaymentError.unfit("the order was begun for another thing or amount")) {
            try await PayrocSales.desk(try PayrocSales.gateway(fake)).begin(
                "Shoes", amount: try StripeSales.euros(441), order: "table 4/17")
        }
        #expect(fake.captures == 1)
    }

    /// Tills whose list of payments is behind: the key is what holds.
    @Test func anOrderIsPaidOnceWhereTheListIsBehind() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        fake.fallBehind(true)
        _ = try StripeSales.charge(
            try await PayrocSales.pay(PayrocSales.desk(try PayrocSales.gateway(fake)), order: "17"))
        let second = try await PayrocSales.pay(PayrocSales.desk(try PayrocSales.gateway(fake)), order: "17")
        guard case .failure(.gateway(let error)) = second else { throw TestFailure("\(second)") }
        #expect(error.code == .conflict && fake.captures == 1 && fake.holds == 0)
    }

    /// Twelve tills that share nothing, at the same order at the same moment.
    @Test func manyTillsAtOneOrder() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let ends = try await inParallel(Array(1...12)) { _ in
            (try? await PayrocSales.pay(PayrocSales.desk(try PayrocSales.gateway(fake)), order: "17")).map {
                end in
                if case .success = end { true } else { false }
            } ?? false
        }
        #expect(ends.count { $0 } == 1 && fake.captures == 1 && fake.holds == 0)
    }

    /// What another till holds is not taken from it, also where that was killed: a person says so.
    @Test func anotherTillsHoldIsInTheWay() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let gateway = try PayrocSales.gateway(fake)
        let sale = TransactionRequest(
            description: "Shoes", amount: try StripeSales.euros(440), apiKey: .secretKey("payroc_1"),
            order: "17")
        let transaction = try await gateway.open(sale)
        var params = SourceParams(amount: transaction.amount, description: transaction.description)
        params.card = try card("4111111111111111")
        let source = try await gateway.createSource(params, in: transaction, key: IdempotencyKey())
        fake.forgetKeys()
        let end = try await PayrocSales.pay(PayrocSales.desk(gateway), order: "17")
        guard case .failure(.gateway(let error)) = end else { throw TestFailure("\(end)") }
        #expect(error.message.contains(source.id.value) && fake.captures == 0 && fake.holds == 1)
        let void = await PayrocSales.desk(gateway).change(.void(ChargeID(source.id.value)))
        guard case .done = void.outcome else { throw TestFailure("\(void.outcome)") }
        _ = try StripeSales.charge(try await PayrocSales.pay(PayrocSales.desk(gateway), order: "17"))
        #expect(fake.captures == 1)
    }

    /// A source that the desk lets nobody authorise holds nothing any more.
    @Test func whatIsNotAuthorisedIsLetGo() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let (gateway, journal) = (try PayrocSales.gateway(fake), MemoryJournal())
        let payment = try await PayrocSales.desk(gateway, journal).begin(
            "Shoes", amount: try StripeSales.euros(440))
        // Another program is at the same sale, and does not end.
        try journal.open(
            OpenAttempt(
                service: gateway.service, transaction: TransactionID("sale/x/440/EUR/0/automatic/Shoes"),
                source: SourceID("PAY9"), key: IdempotencyKey(), amount: payment.transaction.amount,
                description: "Shoes"))
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try card("4111111111111111")))
        guard case .failure = end else { throw TestFailure("\(end)") }
        #expect(fake.captures == 0 && fake.holds == 0)
        #expect(fake.service.log.contains { $0.path == "/v1/payments" }, "a source was made")
    }

    /// Where a part was approved nothing is paid and nothing stays held; another card pays the same order.
    @Test(arguments: [nil, "17"]) func aPartThatIsApprovedIsReversed(order: String?) async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let desk = PayrocSales.desk(try PayrocSales.gateway(fake))
        let end = try await PayrocSales.pay(desk, "5555555555554444", order: order)
        #expect(end == .failure(.gateway(GatewayError(.declined, .refused))))
        #expect(fake.holds == 0 && fake.captures == 0)
        _ = try StripeSales.charge(try await PayrocSales.pay(desk, order: order))
        #expect(fake.charges == 1)
    }

    /// A hold that has fallen off is in no order's way.
    @Test func whatHasExpiredIsOver() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let gateway = try PayrocSales.gateway(fake)
        let transaction = try await gateway.open(
            TransactionRequest(
                description: "Shoes", amount: try StripeSales.euros(440), apiKey: .secretKey("payroc_1"),
                order: "17"))
        var params = SourceParams(amount: transaction.amount, description: transaction.description)
        params.card = try card("4111111111111111")
        _ = try await gateway.createSource(params, in: transaction, key: IdempotencyKey())
        fake.expire()
        _ = try StripeSales.charge(try await PayrocSales.pay(PayrocSales.desk(gateway), order: "17"))
        #expect(fake.captures == 1)
    }

    /// Before a card is asked for.
    @Test(arguments: [(24, true), (25, false)]) func anOrderMayBeTooLong(count: Int, isTaken: Bool)
        async throws
    {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let order = String(repeating: "x", count: count)
        let payment = try? await PayrocSales.desk(try PayrocSales.gateway(fake)).begin(
            "Shoes", amount: try StripeSales.euros(440), order: order)
        #expect((payment != nil) == isTaken && fake.service.log.isEmpty == !isTaken)
    }

    /// No amount of an answer is a trap.
    @Test(arguments: [(Int.min, nil), (-440, 440), (440, 440), (Int.max, nil)])
    func amountsOfRefundsAreRead(amount: Int, read: Int?) throws {
        var body = JSONBody()
        body.field("refundId", "RF1")
        body.object("order") { order in
            order.field("amount", amount)
            order.field("currency", "EUR")
        }
        body.object("transactionResult") { result in
            result.field("status", "ready")
            result.field("responseCode", "A")
        }
        #expect(PayrocAnswers.refund(body.finished(), "RF1")?.amount.minorUnits == read)
    }

    /// Older than the service keeps keys: nobody asks once more, also where the note is the very same refund's.
    @Test func anOldRefundIsNotRepeated() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let (gateway, journal) = (try PayrocSales.gateway(fake), MemoryJournal())
        let desk = PayrocSales.desk(gateway, journal)
        let charge = try StripeSales.charge(try await PayrocSales.pay(desk))
        fake.closeBatch()
        let note = OpenAttempt(
            service: gateway.service, transaction: TransactionID("sale"), source: SourceID(charge.id),
            key: IdempotencyKey(), amount: try StripeSales.euros(200), description: "Shoes",
            time: Int(Date().timeIntervalSince1970) - 7 * 86_400, change: .refund)
        try journal.open(note)
        journal.release(note, isTold: false)
        let end = await desk.change(.refund(ChargeID(charge.id), amount: try StripeSales.euros(200)))
        guard case .perhaps = end.outcome else { throw TestFailure("\(end.outcome)") }
        #expect(fake.refunds().isEmpty)
    }

    // MARK: Faults

    static let phases = ["POST /v1/payments", "/capture", "/reverse"]

    /// What goes wrong on the way to each request, and back: never two charges, no success without one, no failure with one.
    @Test(arguments: FaultyServices.faults) func faultsAtASale(fault: WireFault) async throws {
        for phase in Self.phases {
            for order in [nil, "17"] {
                let fake = try FakePayroc()
                let isUsed = Atomic(false)
                let proxy = try FaultProxy(to: fake.service.address, delay: .milliseconds(900)) { request in
                    // Without its answer a capture is asked about; then it is reversed.
                    if phase == "/reverse", request.hasSuffix("/capture") { return .lostRequest }
                    let isPhase = request.isEmpty ? fault == .resetAtOnce : request.hasSuffix(phase)
                    return isPhase && !isUsed.exchange(true, ordering: .sequentiallyConsistent) ? fault : nil
                }
                let gateway = try PayrocSales.gateway(fake, proxy.address, timeout: .milliseconds(600))
                let end = try? await PayrocSales.pay(PayrocSales.desk(gateway), order: order)
                let what = "\(fault) at \(phase), order \(order ?? "-"): \(String(describing: end))"
                switch end {
                case .success: #expect(fake.charges == 1, "\(what)")
                case .possibleSuccess: break
                case .failure, .cancelled, .idle, .inProgress, nil: #expect(fake.charges == 0, "\(what)")
                }
                #expect(fake.captures <= 1, "\(what)")
                proxy.stop()
                // What was late is there by now.
                if end == nil || fake.charges == 0 { try await Task.sleep(for: .milliseconds(400)) }
                if case .failure = end { #expect(fake.charges == 0, "late: \(what)") }
                fake.service.stop()
            }
        }
    }

    /// A till that was killed with its note written: the next one finds out, or puts up the fence.
    @Test(arguments: [true, false]) func theNextTillKnows(arrived: Bool) async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let proxy = try FaultProxy(to: fake.service.address, delay: .milliseconds(900)) { request in
            if request.hasSuffix("/capture") { return arrived ? .lostAnswer : .lostRequest }
            return fake.service.log.contains { $0.path.hasSuffix("/capture") }
                || !arrived && request.hasPrefix("GET /v1/payments/P")
                ? .lostRequest : nil
        }
        let journal = MemoryJournal()
        let lossy = try PayrocSales.gateway(fake, proxy.address, timeout: .milliseconds(600))
        let ways = Switched(try PayrocSales.gateway(fake), as: lossy.service)
        let payment = try await PayrocSales.desk(lossy, journal).begin(
            "Shoes", amount: try StripeSales.euros(440))
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try card("4111111111111111")))
        guard case .possibleSuccess = end else { throw TestFailure("\(end)") }
        proxy.stop()
        // As where its program was killed.
        journal.release(try #require(payment.record?.attempt), isTold: false)
        let next = PayrocSales.desk(ways, journal)
        let found = try await next.earlierPayments()
        #expect(found.count == (arrived ? 1 : 0) && fake.charges == (arrived ? 1 : 0) && fake.holds == 0)
        if !arrived { _ = try StripeSales.charge(try await PayrocSales.pay(next)) }
        #expect(fake.charges == 1)
    }

    // MARK: Changes

    @Test func aPartIsCaptured() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let desk = PayrocSales.desk(try PayrocSales.gateway(fake))
        let charge = try StripeSales.charge(try await PayrocSales.pay(desk, capture: .later))
        #expect(!charge.isCaptured && fake.captures == 0)
        let end = await desk.change(
            .capture(ChargeID(charge.id), amount: try StripeSales.euros(400), tip: try StripeSales.euros(20)))
        guard case .done(let booked) = end.outcome else { throw TestFailure("\(end.outcome)") }
        #expect(booked.amount.minorUnits == 400 && booked.tip?.minorUnits == 20 && fake.captures == 1)
    }

    /// In an open batch it is voided, afterwards refunded in parts, never more than was captured.
    @Test func refundsWaitForTheBatch() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let desk = PayrocSales.desk(try PayrocSales.gateway(fake))
        let charge = ChargeID(try StripeSales.charge(try await PayrocSales.pay(desk)).id)
        let early = await desk.change(.refund(charge, amount: try StripeSales.euros(200)))
        guard case .failed(.unfit) = early.outcome else { throw TestFailure("\(early.outcome)") }
        fake.closeBatch()
        let void = await desk.change(.void(charge))
        guard case .failed(.unfit) = void.outcome else { throw TestFailure("\(void.outcome)") }
        for (cents, isDone) in [(200, true), (300, false), (240, true)] {
            let end = await desk.change(.refund(charge, amount: try StripeSales.euros(cents)))
            if case .done = end.outcome { #expect(isDone) } else { #expect(!isDone, "\(end.outcome)") }
            if let note = end.note { desk.acknowledge(note, selling: note.attempt.sale) }
        }
        #expect(fake.refunds() == [200, 240])
    }

    @Test(arguments: FaultyServices.faults) func faultsAtARefund(fault: WireFault) async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let charge = try StripeSales.charge(
            try await PayrocSales.pay(PayrocSales.desk(try PayrocSales.gateway(fake))))
        fake.closeBatch()
        let isUsed = Atomic(false)
        let proxy = try FaultProxy(to: fake.service.address, delay: .milliseconds(900)) { request in
            let isPhase = request.isEmpty ? fault == .resetAtOnce : request.hasSuffix("/refund")
            return isPhase && !isUsed.exchange(true, ordering: .sequentiallyConsistent) ? fault : nil
        }
        defer { proxy.stop() }
        let end = await PayrocSales.desk(
            try PayrocSales.gateway(fake, proxy.address, timeout: .milliseconds(600))
        )
        .change(.refund(ChargeID(charge.id), amount: try StripeSales.euros(200)))
        guard case .done(let booked) = end.outcome else { Issue.record("\(end.outcome)"); return }
        #expect(booked.amount.minorUnits == 200 && fake.refunds() == [200])
    }

    // MARK: Names

    @Test(arguments: ["17", "a/b c", "Käse 100%", "order-of-checkout", "%2F"]) func aSaleIsItsName(
        order: String
    ) throws {
        let request = TransactionRequest(
            description: "Shoes / 2 pairs", amount: try StripeSales.euros(440),
            apiKey: .secretKey("payroc_1"),
            order: order, tip: try StripeSales.euros(40), capture: .later)
        let sale = PayrocSale(request, key: IdempotencyKey())
        #expect(PayrocSale(sale.id) == sale && sale.orderID == order)
    }

    @Test func keysAreVersion4() {
        let keys = (1...2000).map { PayrocKey.uuid("order-of-checkout-\($0)") }
        #expect(Set(keys).count == 2000 && PayrocKey.uuid("17") == PayrocKey.uuid("17"))
        #expect(keys.allSatisfy { UUID(uuidString: $0) != nil && $0.split(separator: "-")[2].hasPrefix("4") })
    }
}
