import CheckoutTesting
import Foundation
import Synchronization
import Testing

@testable import Checkout

/// Captures, refunds and voids: once each, by the service's books alone.
@Suite struct ChangeTests {
    typealias Shop = Changes.Shop
    static let charge = Changes.charge

    // MARK: The amounts

    /// Partial refunds: their sum is never above the charge, and the service is not even asked.
    @Test func refundsStayWithinTheCharge() async throws {
        let shop = try Shop()
        for (cents, isRefunded) in [(200, true), (241, false), (240, true), (1, false)] {
            let desk = try shop.desk()
            let end = await desk.change(.refund(Self.charge, amount: try euros(cents)))
            #expect(Changes.isDone(end) == isRefunded, "\(cents)")
            if !isRefunded {
                guard case .failed(.unfit(let why)) = end.outcome else { Issue.record("\(end)"); continue }
                #expect(why.hasPrefix("of the charge"))
            }
            if let note = end.note { desk.acknowledge(note, selling: note.attempt.sale) }
        }
        #expect(shop.refunded() == 440 && shop.keys.count == 2)
        #expect(try shop.notes() == 0)
    }

    @Test func anotherCurrencyIsRefused() async throws {
        let shop = try Shop()
        let yen = try #require(Money(minorUnits: 100, currency: .jpy))
        let end = try await shop.desk().change(.refund(Self.charge, amount: yen))
        #expect(end.outcome == .failed(.unfit("the charge is in EUR")))
        #expect(shop.keys.isEmpty)
    }

    /// What may be done to a charge that stands like this.
    @Test(arguments: [
        (ChargeRecord.Status.authorised, ChargeChange.Kind.capture, true), (.authorised, .refund, false),
        (.authorised, .void, true), (.captured, .capture, false), (.captured, .refund, true),
        (.captured, .void, true), (.voided, .capture, false), (.voided, .refund, false),
        (.voided, .void, false),
    ])
    func onlyWhatItsStatusAllows(status: ChargeRecord.Status, kind: ChargeChange.Kind, isDone: Bool)
        async throws
    {
        let shop = try Shop { $0.status = status }
        let change: ChargeChange =
            switch kind {
            case .capture: .capture(Self.charge)
            case .refund: .refund(Self.charge)
            case .void: .void(Self.charge)
            }
        #expect(Changes.isDone(try await shop.desk().change(change)) == isDone)
        #expect(shop.keys.isEmpty == !isDone)
    }

    /// Less than was authorised, with a tip in it; more than can be captured is not asked for.
    @Test func aPartIsCaptured() async throws {
        let shop = try Shop { $0.status = .authorised }
        let tooMuch = try await shop.desk().change(.capture(Self.charge, amount: try euros(441)))
        #expect(!Changes.isDone(tooMuch) && shop.keys.isEmpty)
        let wrongTip = try await shop.desk().change(
            .capture(Self.charge, amount: try euros(300), tip: try euros(301)))
        #expect(!Changes.isDone(wrongTip) && shop.keys.isEmpty)
        let end = try await shop.desk().change(
            .capture(Self.charge, amount: try euros(300), tip: try euros(40)))
        guard case .done(let booked) = end.outcome else { Issue.record("\(end)"); return }
        #expect(booked.amount.minorUnits == 300 && booked.tip?.minorUnits == 40)
        #expect(end.record?.captured.minorUnits == 300)
    }

    // MARK: Lost and killed

    /// The note comes before the request, and goes when somebody was told.
    @Test func theNoteComesBeforeTheChange() async throws {
        let shop = try Shop()
        let desk = try shop.desk()
        let end = await desk.change(.refund(Self.charge)) { note in
            #expect((try? shop.notes()) == 1 && shop.keys.isEmpty)
            #expect(note.names.contains("refund of charge ch_1") && note.amount.minorUnits == 440)
        }
        #expect(Changes.isDone(end))
        #expect(try shop.notes() == 1)
        desk.acknowledge(try #require(end.note))
        #expect(try shop.notes() == 0)
    }

    /// The request is lost, or its answer: asked again with its key it is done once.
    @Test(arguments: [true, false]) func whatIsLostIsDoneOnce(isDone: Bool) async throws {
        let lost = GatewayError(.connectionLost, .unknown)
        let shop = try Shop { $0.change = [isDone ? .failsAfter(lost) : .failsBefore(lost)] }
        let end = try await shop.desk(isPatient: true).change(.refund(Self.charge, amount: try euros(100)))
        #expect(Changes.isDone(end))
        #expect(shop.refunded() == 100 && shop.keys.count == 1)
    }

    /// Somebody says no, whoever that is: the books decide.
    @Test func aRefusalIsNothingToGoBy() async throws {
        let no = GatewayError(.conflict, .unknown)
        let done = try Shop { $0.change = [.failsAfter(no)] }
        #expect(Changes.isDone(try await done.desk().change(.void(Self.charge))))
        let never = try Shop { $0.change = Array(repeating: .failsBefore(no), count: 1000) }
        let end = try await never.desk().change(.void(Self.charge))
        #expect(end.outcome == .perhaps(.gateway(no)))
        #expect(try never.notes() == 1 && end.note?.isUnanswered == true)
    }

    /// What the books refuse under the key is refused for good.
    @Test func aBookedRefusalIsCertain() async throws {
        let shop = try Shop { $0.booked = .failed(.amountTooLarge) }
        let end = try await shop.desk().change(.refund(Self.charge))
        #expect(end.outcome == .failed(.gateway(GatewayError(.amountTooLarge, .refused))))
        #expect(try shop.notes() == 0)
    }

    @Test func whatNeverLeftFailed() async throws {
        let shop = try Shop { $0.change = [.failsBefore(GatewayError(.unreachable, .notSent))] }
        let end = try await shop.desk().change(.refund(Self.charge))
        #expect(end.outcome == .failed(.gateway(GatewayError(.unreachable, .notSent))))
        #expect(try shop.notes() == 0)
    }

    /// A pending refund is waited for, and not asked for again.
    @Test func pendingIsPolled() async throws {
        let shop = try Shop { $0.booked = .pending }
        #expect(Changes.isDone(try await shop.desk().change(.refund(Self.charge))))
        #expect(shop.requests.filter { $0 == "refund" }.count == 1)
        let endless = try Shop {
            $0.booked = .pending
            $0.settles = false
        }
        let end = try await endless.desk().change(.refund(Self.charge))
        #expect(end.outcome == .perhaps(.pollTimedOut))
        #expect(endless.requests.filter { $0 == "refund" }.count == 1)
    }

    /// Killed after the change was done: the next one is told, and does nothing; then it is another refund.
    @Test func whatAKilledProgramDidIsTold() async throws {
        let shop = try Shop()
        let part = ChargeChange.refund(Self.charge, amount: try euros(100))
        try shop.kill(part, isDone: true)
        let desk = try shop.desk()
        let end = await desk.change(part)
        guard case .success(let charge) = Changes.earlier(end) else { Issue.record("\(end)"); return }
        #expect(charge.id == "chg_1" && shop.refunded() == 100)
        desk.acknowledge(try #require(end.note))
        #expect(Changes.isDone(await desk.change(part)))
        #expect(shop.refunded() == 200)
    }

    /// Killed before it was done: who asks for the same goes on with its key, whoever asks for something else must not.
    @Test func whatAKilledProgramDidNotDoIsContinued() async throws {
        let shop = try Shop()
        let part = ChargeChange.refund(Self.charge, amount: try euros(100))
        try shop.kill(part, isDone: false)
        for other in [ChargeChange.refund(Self.charge, amount: try euros(101)), .void(Self.charge)] {
            let desk = try shop.desk()
            let end = await desk.change(other)
            #expect(Changes.earlier(end) == .possibleSuccess(.interrupted))
            desk.acknowledge(try #require(end.note))
        }
        #expect(shop.keys.isEmpty)
        #expect(try shop.notes() == 1, "nobody knows, so it stays")
        let key = try #require(try shop.writtenKey())
        #expect(Changes.isDone(try await shop.desk().change(part)))
        #expect(shop.keys == [key] && shop.refunded() == 100)
    }

    /// The clock says that the note is older than the service remembers keys, or of tomorrow. Clocks jump, and the first
    /// request may still be on its way: the same change goes on with its own key.
    @Test(arguments: [90_000, -90_000]) func aClockThatJumpedMakesNoNewKey(age: Int) async throws {
        let shop = try Shop()
        let part = ChargeChange.refund(Self.charge, amount: try euros(100))
        try shop.kill(part, isDone: false, age: age)
        let old = try #require(try shop.writtenKey())
        #expect(Changes.isDone(try await shop.desk().change(part)))
        #expect(shop.keys == [old] && shop.refunded() == 100)
    }

    /// The clock was set forward while a refund was on its way: it seems to be of long ago, and another one is not done past it.
    @Test func whatSeemsOldIsInTheWay() async throws {
        let shop = try Shop()
        try shop.kill(.refund(Self.charge, amount: try euros(100)), isDone: false, age: 90_000)
        let end = try await shop.desk().change(.refund(Self.charge, amount: try euros(101)))
        #expect(Changes.earlier(end) == .possibleSuccess(.interrupted) && shop.keys.isEmpty)
        #expect(try shop.notes() == 1)
    }

    /// A part that a killed program left is not all that is left.
    @Test func aPartIsNotTheWhole() async throws {
        let shop = try Shop()
        try shop.kill(.refund(Self.charge, amount: try euros(100)), isDone: false)
        let end = try await shop.desk().change(.refund(Self.charge))
        #expect(Changes.earlier(end) == .possibleSuccess(.interrupted) && shop.keys.isEmpty)
    }

    /// Another program is at the charge: its end is waited for. The same change once more is one too many.
    @Test func anotherProgramsChangeIsNotDoneAgain() async throws {
        let shop = try Shop {
            $0.booked = .pending; $0.settles = false
        }
        let part = ChargeChange.refund(Self.charge, amount: try euros(100))
        let (first, second) = (try shop.desk(isPatient: true), try shop.desk(isPatient: true))
        let one = Task { await first.change(part) }
        while shop.keys.isEmpty { await Task.yield() }
        let busy = try await shop.desk().change(.void(Self.charge))
        guard case .failed(.heldElsewhere(let note)) = busy.outcome else { Issue.record("\(busy)"); return }
        #expect(note.change == .refund)
        let two = Task { await second.change(part) }
        shop.gateway.chargeBooks.withLock { $0.settles = true }
        let end = await one.value
        if let note = end.note { first.acknowledge(note, selling: note.attempt.sale) }
        guard case .success = Changes.earlier(await two.value) else { Issue.record("refunded twice"); return }
        #expect(shop.keys.count == 1)
    }

    /// Between the first look and the note somebody without this journal has refunded it.
    @Test func whatChangedMeanwhileIsSeen() async throws {
        let shop = try Shop()
        let part = ChargeChange.refund(Self.charge, amount: try euros(440))
        let end = try await shop.desk().change(part) { _ in
            guard let amount = part.amount else { return }
            shop.gateway.chargeBooks.withLock {
                _ = $0.book(
                    ChangePermit(part, amount: amount, of: TransactionID("txn_1"), key: IdempotencyKey()))
            }
        }
        guard case .failed(.unfit) = end.outcome else { Issue.record("\(end.outcome)"); return }
        #expect(shop.refunded() == 440 && shop.keys.count == 1)
        #expect(try shop.notes() == 0)
    }

    /// Payments let notes of changes alone, and changes those of payments.
    @Test func paymentsAndChangesAreNotInEachOthersWay() async throws {
        let shop = try Shop()
        try shop.kill(.refund(Self.charge, amount: try euros(440)), isDone: false)
        let desk = try shop.desk()
        #expect(await desk.obstacle(to: try attempt().sale) == nil)
        #expect(try await desk.earlierPayments().isEmpty)
        try shop.journal().open(try attempt())
        #expect(Changes.isDone(try await shop.desk().change(.refund(Self.charge, amount: try euros(440)))))
        #expect(try shop.notes() == 2)
    }

    @Test func aNoteIsReadAsItWasWritten() throws {
        let note = OpenAttempt(
            service: ScriptedGateway.service, transaction: TransactionID("txn_1"), source: SourceID("ch_1"),
            key: IdempotencyKey(), amount: try euros(440), description: "Shoes", time: 17, change: .capture,
            tip: try euros(40))
        #expect(AttemptText(AttemptText.write(note))?.attempt == note)
        let unknown = AttemptText.write(note).replacing("change capture", with: "change barter")
        #expect(AttemptText(unknown) == nil, "a change that is not known is no payment")
    }
}
