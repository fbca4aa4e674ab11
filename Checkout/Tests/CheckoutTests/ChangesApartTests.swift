import CheckoutTesting
import Synchronization
import Testing

@testable import Checkout

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
        guard case .success(let charge) = Self.earlier(end) else { Issue.record("\(end)"); return }
        #expect(charge.id == "chg_1" && shop.refunded() == 100 && shop.keys.count == 1)
        // Whoever was told may refund the next part.
        here.acknowledge(try #require(end.note))
        #expect(Self.isDone(await here.change(part)) && shop.refunded() == 200)
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
        guard case .success(let charge) = Self.earlier(late) else { Issue.record("\(late)"); return }
        #expect(charge.id == "chg_1" && shop.refunded() == 100)
        // Another part, and who decides afterwards, are in nobody's way.
        let other = ChargeChange.refund(Self.charge, amount: try euros(50))
        let second = try await shop.desk(ours).change(other, decided: decided)
        #expect(Self.isDone(second))
        try shop.desk(ours).acknowledge(try #require(second.note))
        #expect(Self.isDone(try await shop.desk().change(part)) && shop.refunded() == 250)
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
            .publicKey("pkey_2"), gateway: shop.gateway, journal: try shop.journal(), policy: Self.policy)
        let next = await theirs.change(.refund(Self.charge))
        #expect(next.outcome == .perhaps(.gateway(.ofAnotherKey)))
        theirs.acknowledge(try #require(next.note))
        #expect(try shop.notes() == 1)
    }
}
