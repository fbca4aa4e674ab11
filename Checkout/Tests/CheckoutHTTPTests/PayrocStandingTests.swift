import Checkout
import CheckoutTesting
import NIOCore
import Testing

@testable import CheckoutHTTP

/// What Payroc's words for a payment and a refund are taken for.
@Suite struct PayrocStandingTests {
    typealias Word = PayrocAnswers.Word

    static func payment(
        _ type: String, _ word: String, _ operations: [String] = [], code: String = "A"
    ) throws -> PayrocAnswers.Payment {
        var body = JSONBody()
        body.field("paymentId", "PAY1")
        body.object("order") { $0.field("orderId", "17") }
        body.object("transactionResult") { result in
            result.field("type", type)
            result.field("status", word)
            result.field("responseCode", code)
        }
        var wire = try #require(PayrocAnswers.payment(body.finished()))
        wire.supportedOperations = operations
        return wire
    }

    /// A row for each word, and one for those that are none: held, with `capture` among its operations; not held any more.
    @Test(arguments: Word.allCases.map(\.rawValue) + ["settled", ""]) func rows(word: String) throws {
        for type in ["preAuthorization", "preAuthorizationCompletion", "sale", "refund", "loan"] {
            for (operations, code) in [(["capture"], "A"), ([], "A"), (["capture"], "D"), ([], "E")] {
                let wire = try Self.payment(type, word, operations, code: code)
                let expected = Self.standing(
                    type, word, isCapturable: !operations.isEmpty, isGood: code == "A")
                #expect(PayrocAnswers.standing(wire) == expected, "\(type) \(word) \(operations) \(code)")
            }
        }
    }

    /// The table as the pages have it, written down anew.
    private static func standing(
        _ type: String, _ word: String, isCapturable: Bool, isGood: Bool
    ) -> PayrocAnswers.Standing? {
        if ["declined", "referral", "pickup"].contains(word) { return .declined }
        if word == "reversal" { return .reversed }
        if word == "expired" { return type == "preAuthorization" ? .reversed : nil }
        guard isGood else { return nil }
        switch "\(type) \(word)" {
        case "preAuthorization ready", "preAuthorization pending", "sale pending":
            return isCapturable ? .held : nil
        case "sale ready": return isCapturable ? .held : .captured
        case "sale complete", "preAuthorizationCompletion ready", "preAuthorizationCompletion complete":
            return .captured
        default: return nil
        }
    }

    @Test func refunds() {
        for word in Word.allCases {
            let status = PayrocAnswers.refunded(word)
            switch word {
            case .ready, .complete: #expect(status == .done)
            case .declined, .referral, .pickup, .reversal: #expect(status == .failed(.declined))
            case .pending, .expired, .admin, .accepted, .returned: #expect(status == .pending, "\(word)")
            }
        }
    }

    /// A capture that is called by a word that nobody explains is perhaps paid; its order is not paid again.
    @Test(arguments: ["admin", "accepted", "returned"]) func whatNobodyExplainsIsPerhapsPaid(word: String)
        async throws
    {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        fake.call(word)
        let journal = MemoryJournal()
        let desk = PayrocSales.desk(try PayrocSales.gateway(fake), journal)
        let end = try await PayrocSales.pay(desk, order: "17")
        guard case .possibleSuccess = end else { throw TestFailure("\(end)") }
        let other = PayrocSales.desk(try PayrocSales.gateway(fake))
        let next = try? await PayrocSales.pay(other, order: "17")
        if case .success = next { throw TestFailure("paid twice") }
        #expect(fake.captures == 1 && fake.holds == 0)
    }

    /// A hold that is called so and that cannot be reversed may stand: it is perhaps paid, and named, on paper, too; the same
    /// is not sold again before it is explained.
    @Test(arguments: ["admin", "accepted", "returned"], [nil, "17"])
    func aHoldThatNobodyExplainsIsPerhapsPaid(word: String, order: String?) async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        fake.callHolds(word)
        let (gateway, journal) = (try PayrocSales.gateway(fake), MemoryJournal())
        let payment = try await PayrocSales.desk(gateway, journal).begin(
            "Shoes", amount: try StripeSales.euros(440), order: order)
        let end = try await payment.pay(preparedBy: HeadlessPreparer(card: try card("4111111111111111")))
        guard case .possibleSuccess(.gateway(let error)) = end else { throw TestFailure("\(end)") }
        let note = try #require(payment.record?.attempt)
        #expect(note.source.value == "PAY1" && note.names.contains("PAY1") && error.certainty == .unknown)
        #expect(fake.captures == 0 && !fake.service.log.contains { $0.path.hasSuffix("/capture") })
        // As where its program was killed.
        journal.release(note, isTold: false)
        fake.callHolds("ready")
        let next = PayrocSales.desk(gateway, journal)
        let why = await #expect(throws: PaymentError.self) { try await PayrocSales.pay(next, order: order) }
        #expect(why?.message.contains("PAY1") == true, "\(String(describing: why))")
        journal.release(note, isTold: false)
        // The service explains it, and no more has its refusal under the reversal's key: what is held is given up, the sale is paid.
        fake.recall("PAY1", "ready")
        fake.forgetKeys()
        _ = try StripeSales.charge(try await PayrocSales.pay(next, order: order))
        #expect(fake.captures == 1 && fake.holds == 0)
    }

    /// Also where it cannot be written down.
    @Test func aHoldThatNobodyExplainsIsNamedWithoutANote() async throws {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        fake.callHolds("accepted")
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
        guard case .possibleSuccess = end else { throw TestFailure("\(end)") }
        #expect(payment.record?.attempt.source.value == "PAY1" && fake.captures == 0)
    }

    /// A refund that is called so is perhaps done: it counts as gone, and is asked for once.
    @Test(arguments: ["admin", "accepted"]) func whatNobodyExplainsIsPerhapsRefunded(word: String)
        async throws
    {
        let fake = try FakePayroc()
        defer { fake.service.stop() }
        let gateway = try PayrocSales.gateway(fake)
        let charge = ChargeID(try StripeSales.charge(try await PayrocSales.pay(PayrocSales.desk(gateway))).id)
        fake.closeBatch()
        fake.call(word)
        for cents in [200, 300] {
            let end = await PayrocSales.desk(gateway).change(
                .refund(charge, amount: try StripeSales.euros(cents)))
            switch end.outcome {
            case .perhaps: #expect(cents == 200)
            case .failed(.unfit): #expect(cents == 300)
            case .failed, .done: Issue.record("\(cents): \(end.outcome)")
            }
        }
        #expect(fake.refunds() == [200])
    }
}
