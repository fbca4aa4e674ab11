import CheckoutTesting
import Synchronization
import Testing

@testable import Checkout
@testable import TillScreen

extension ChangeTests {
    // MARK: Tills without a common journal

    /// The same change of a charge to which as much was done has the same key in every program; the next one has another.
    @Test func theSameChangeHasOneKey() throws {
        let part = ChargeChange.refund(Self.charge, amount: try euros(100))
        let key = IdempotencyKey(naming: part, after: 0)
        #expect(key == IdempotencyKey(naming: .refund(Self.charge, amount: try euros(100)), after: 0))
        let tip = ChargeChange.capture(Self.charge, amount: try euros(100), tip: try euros(10))
        let others = [
            IdempotencyKey(naming: part, after: 1),
            IdempotencyKey(naming: .refund(Self.charge, amount: try euros(101)), after: 0),
            IdempotencyKey(naming: .refund(ChargeID("1_hc"), amount: try euros(100)), after: 0),
            IdempotencyKey(naming: tip, after: 0),
            IdempotencyKey(naming: .capture(Self.charge, amount: try euros(100)), after: 0),
            IdempotencyKey(naming: .void(ChargeID(String(repeating: "x", count: 200))), after: 1000),
        ]
        #expect(Set(others + [key]).count == 7)
        for key in others { #expect((16...128).contains(key.value.utf8.count)) }
    }

    /// Two tills look at the charge at the same moment, and both refund a part of it: that is one refund.
    @Test func tillsThatShareNothingRefundOnce() async throws {
        let shop = try Shop()
        let part = ChargeChange.refund(Self.charge, amount: try euros(100))
        let (here, there) = (try shop.desk(), try FileJournal(folder: shop.folder.path("other")))
        // The other till has looked, and asks right after this one has written its note down.
        let end = await here.change(part) { _ in
            shop.gateway.chargeBooks.withLock { books in
                guard let record = books.record else { return }
                let note = OpenAttempt(part, record, service: shop.gateway.service, merchant: "")
                guard let key = note.key, (try? there.open(note)) != nil else { return }
                _ = books.book(ChangePermit(part, amount: note.amount, of: note.transaction, key: key))
            }
        }
        guard case .success(let charge) = Changes.earlier(end) else { Issue.record("\(end)"); return }
        #expect(charge.id == "chg_1" && shop.refunded() == 100 && shop.keys.count == 1)
        // Whoever was told may refund the next part.
        here.acknowledge(try #require(end.note))
        #expect(Changes.isDone(await here.change(part)) && shop.refunded() == 200)
    }

    /// It was decided to refund a part; then another program refunded the same, and told somebody. That one is named.
    @Test func whatWasDoneMeanwhileIsNotDoneAgain() async throws {
        let shop = try Shop()
        let part = ChargeChange.refund(Self.charge, amount: try euros(100))
        let ours = try shop.journal()
        let decided = ours.mark()
        let theirs = try shop.desk()
        let done = await theirs.change(part)
        theirs.acknowledge(try #require(done.note))
        let late = try await shop.desk(ours).change(part, decided: decided)
        guard case .success(let charge) = Changes.earlier(late) else { Issue.record("\(late)"); return }
        #expect(charge.id == "chg_1" && shop.refunded() == 100)
        // Another part, and who decides afterwards, are in nobody's way.
        let other = ChargeChange.refund(Self.charge, amount: try euros(50))
        let second = try await shop.desk(ours).change(other, decided: decided)
        #expect(Changes.isDone(second))
        try shop.desk(ours).acknowledge(try #require(second.note))
        #expect(Changes.isDone(try await shop.desk().change(part)) && shop.refunded() == 250)
    }

    // MARK: By a name of its own

    /// Tills that share nothing, one after the other, however much was done to the charge between: a change of a name is done once,
    /// and who comes later is told which one that was. Another name is another change.
    @Test func aNamedChangeIsDoneOnce() async throws {
        let shop = try Shop()
        let part = ChargeChange.refund(Self.charge, amount: try euros(100)).named("return 5")
        let first = try await Self.other(shop).change(part)
        #expect(Changes.isDone(first))
        let between = try await Self.other(shop).change(.refund(Self.charge, amount: try euros(100)))
        #expect(Changes.isDone(between))
        for again in [part, .refund(Self.charge).named("return 5")] {
            let end = try await Self.other(shop).change(again)
            guard case .success(let charge) = Changes.earlier(end) else { Issue.record("\(end)"); return }
            #expect(charge.id == "chg_1" && charge.amount.minorUnits == 100)
        }
        #expect(shop.refunded() == 200)
        #expect(Changes.isDone(try await Self.other(shop).change(part.named("return 6"))))
        #expect(shop.refunded() == 300)
    }

    /// One name is one change: another amount, or another kind, is not asked for.
    @Test func aNameIsNotGivenTwice() async throws {
        let shop = try Shop()
        let part = ChargeChange.refund(Self.charge, amount: try euros(100)).named("return 5")
        #expect(Changes.isDone(try await Self.other(shop).change(part)))
        for other in [ChargeChange.refund(Self.charge, amount: try euros(50)), .void(Self.charge)] {
            let end = try await Self.other(shop).change(other.named("return 5"))
            #expect(end.outcome == .failed(.unfit("the name was given to another change")))
        }
        #expect(shop.refunded() == 100 && shop.keys.count == 1)
        for name in ["", String(repeating: "x", count: 41), "4111111111111111"] {
            let end = try await Self.other(shop).change(part.named(name))
            guard case .failed(.unfit) = end.outcome else { Issue.record("\(end)"); return }
        }
    }

    /// What a killed program left of another name is another change, however equal: nobody goes on with it.
    @Test func aNameGoesOnWithItsOwnNote() async throws {
        let lost = GatewayError(.connectionLost, .unknown)
        let shop = try Shop { $0.change = Array(repeating: .failsBefore(lost), count: 1000) }
        let part = ChargeChange.refund(Self.charge, amount: try euros(100))
        let journal = try shop.journal()
        let end = try await shop.desk(journal).change(part.named("return 5"))
        journal.release(try #require(end.note?.attempt), isTold: false)
        shop.gateway.chargeBooks.withLock { $0.change = [] }
        let theirs = try shop.journal()
        let other = try await shop.desk(theirs).change(part.named("return 6"))
        guard case .perhaps = other.outcome else { Issue.record("\(other)"); return }
        theirs.release(try #require(other.note?.attempt), isTold: false)
        #expect(shop.refunded() == 0)
        #expect(Changes.isDone(try await shop.desk().change(part.named("return 5"))))
        #expect(shop.refunded() == 100 && Set(shop.keys).count == 1)
    }

    /// What the till advises names the change that was left, whatever was asked for. Without the name it would be another change: a name
    /// that the screen cannot show, or that is not in the key, makes no command.
    @Test func theAdviceNamesWhatWasLeft() throws {
        let shop = try Shop()
        let part = ChargeChange.refund(Self.charge, amount: try euros(100))
        let record = try #require(shop.gateway.chargeBooks.withLock { $0.record })
        func words(_ left: ChargeChange, _ asked: ChargeChange, key: IdempotencyKey? = nil) -> String {
            let made = OpenAttempt(left, record, service: shop.gateway.service, merchant: "")
            let note = OpenAttempt(
                service: made.service, transaction: made.transaction, source: made.source,
                key: key ?? made.key,
                amount: made.amount, description: made.description, change: made.change)
            let end = ChangeEnd(interrupted: note, asked)
            return ChangeResult(end, locale: MoneyLocale("C")).words(ScreenText(hasUnicode: false))
        }
        for asked in [part.named("b"), part, part.named("return 5")] {
            let text = words(part.named("return 5"), asked)
            #expect(text.contains("till refund --change 'return 5' ch_1 1.00 --currency EUR"), "\(text)")
        }
        let plain = words(part, part.named("b"))
        #expect(plain.contains("till refund ch_1 1.00") && !plain.contains("--change"))
        for name in ["Käse", "a  b", "a\u{1B}b"] {
            let text = words(part.named(name), part)
            #expect(!text.contains("till refund") && text.contains("Look it up"), "\(text)")
        }
        let strange = words(part, part, key: IdempotencyKey(booked: "change-0-xyz"))
        #expect(!strange.contains("till refund") && strange.contains("Look it up"), "\(strange)")
    }

    /// The other till's refund of the same is what the service is at: nobody may call it not done.
    @Test func aTwinThatIsPendingIsNotCalledUndone() async throws {
        let shop = try Shop {
            $0.booked = .pending
            $0.settles = false
        }
        let all = ChargeChange.refund(Self.charge, amount: try euros(440))
        let end = try await shop.desk().change(all) { note in
            guard let key = note.key else { return }
            shop.gateway.chargeBooks.withLock {
                _ = $0.book(ChangePermit(all, amount: note.amount, of: note.transaction, key: key))
            }
        }
        #expect(Changes.earlier(end) == .possibleSuccess(.pollTimedOut), "\(end.outcome)")
        #expect(shop.keys.count == 1)
        #expect(try shop.notes() == 1)
    }

    /// A service that forgets keys, and may not list what was refunded under them: what is older than that is not asked for again, nor
    /// what is of tomorrow. A capture is done once in any case.
    @Test(arguments: [
        (90_000, true, false), (-90_000, true, false), (80_000, true, true), (90_000, false, true),
    ])
    func aKeyThatMayBeForgottenIsNotRepeated(age: Int, isRefund: Bool, isDone: Bool) async throws {
        let shop = try Shop(keyLifetime: .seconds(86_400)) { if !isRefund { $0.status = .authorised } }
        let part = isRefund ? ChargeChange.refund(Self.charge, amount: try euros(100)) : .capture(Self.charge)
        try shop.kill(part, isDone: false, age: age)
        let desk = try shop.desk()
        let end = await desk.change(part)
        #expect(Changes.isDone(end) == isDone && shop.keys.isEmpty == !isDone, "\(end.outcome)")
        guard !isDone else { return }
        let text = ChangeResult(end, locale: MoneyLocale("C")).words(ScreenText(hasUnicode: true))
        #expect(!text.contains("till refund") && text.contains("Look it up"), "\(text)")
        desk.acknowledge(try #require(end.note), selling: try #require(end.note).attempt.sale)
        #expect(try shop.notes() == 1, "it stays until somebody forgets it")
    }

    /// A till with a journal of its own.
    private static func other(_ shop: Shop) throws -> PaymentDesk {
        PaymentDesk(
            .publicKey("pkey_1"), gateway: shop.gateway, journal: MemoryJournal(), policy: Changes.policy)
    }

    /// A note says whose it is: that the service does not know the charge is then no answer to another merchant's key.
    @Test func anotherMerchantsNoteStays() async throws {
        let unknown = ScriptedGateway.Step.failsBefore(GatewayError(.notFound, .refused))
        let lost = GatewayError(.connectionLost, .unknown)
        let shop = try Shop { $0.change = Array(repeating: .failsBefore(lost), count: 1000) }
        let journal = try shop.journal()
        let end = try await shop.desk(journal).change(.refund(Self.charge))
        let note = try #require(end.note?.attempt)
        #expect(note.merchant == APIKey.publicKey("pkey_1").fingerprint)
        journal.release(note, isTold: false)
        shop.gateway.chargeBooks.withLock { $0.question = [unknown] }
        let theirs = PaymentDesk(
            .publicKey("pkey_2"), gateway: shop.gateway, journal: try shop.journal(), policy: Changes.policy)
        let next = await theirs.change(.refund(Self.charge))
        #expect(next.outcome == .perhaps(.gateway(.ofAnotherKey)))
        theirs.acknowledge(try #require(next.note))
        #expect(try shop.notes() == 1)
    }
}
