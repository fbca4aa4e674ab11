import CheckoutTesting
import Synchronization
import Testing

@testable import Checkout
@testable import TillScreen

/// Services whose books say that a charge was captured or voided, and not with which key, tip or name.
@Suite struct KeylessBooksTests {
    typealias Shop = Changes.Shop
    static let charge = Changes.charge
    static let lost = GatewayError(.connectionLost, .unknown)

    static func shop(_ status: ChargeRecord.Status, _ change: (inout ScriptedCharge) -> Void = { _ in })
        throws
        -> Shop
    {
        try Shop {
            $0.status = status
            $0.listsKeys = false
            change(&$0)
        }
    }

    /// A till with a journal of its own.
    static func other(_ shop: Shop) -> PaymentDesk {
        PaymentDesk(
            .publicKey("pkey_1"), gateway: shop.gateway, journal: MemoryJournal(), policy: Changes.policy)
    }

    static func requests(_ shop: Shop) -> [String] { shop.requests.filter { $0 != "record" } }

    /// The answer is lost: the books say that it was done, and it is not asked for again.
    @Test func theBooksTellALostAnswer() async throws {
        for (status, change) in [
            (ChargeRecord.Status.authorised, ChargeChange.capture(Self.charge, amount: try euros(300))),
            (.authorised, .void(Self.charge)), (.captured, .void(Self.charge)),
        ] {
            let shop = try Self.shop(status) { $0.change = [.failsAfter(Self.lost)] }
            #expect(Changes.isDone(try await shop.desk().change(change)))
            #expect(Self.requests(shop) == [change.kind.rawValue])
        }
    }

    /// A capture of as much is there, with which tip or by which name nobody tells: perhaps, once, and not again.
    @Test(arguments: [(40, nil), (nil, "table 5"), (40, "table 5")] as [(Int?, String?)])
    func whatTheyDoNotTellIsPerhaps(tip: Int?, name: String?) async throws {
        let shop = try Self.shop(.authorised) { $0.change = [.failsAfter(Self.lost)] }
        let change = ChargeChange.capture(
            Self.charge, amount: try euros(300), tip: try tip.map { try euros($0) }
        ).named(name)
        let desk = try shop.desk()
        let end = await desk.change(change)
        #expect(end.outcome == .perhaps(.notTold))
        let result = ChangeResult(end, locale: MoneyLocale("C"))
        let words = result.words(ScreenText(hasUnicode: true))
        #expect(result.outcome == .perhapsPaid && words.contains("does not tell its tip or name"), "\(words)")
        #expect(words.contains("Look it up") && !words.contains("Ask once more"), "\(words)")
        #expect(result.json.contains("\"error\":\"not_told\""))
        desk.acknowledge(try #require(end.note))
        let again = await desk.change(change)
        #expect(!Changes.isDone(again) && Self.requests(shop) == ["capture"])
        #expect(try shop.notes() == 0, "who was told is in nobody's way")
    }

    /// With its answer it is done, whatever the books tell.
    @Test func anAnswerIsEnough() async throws {
        let shop = try Self.shop(.authorised)
        let end = try await shop.desk().change(
            .capture(Self.charge, amount: try euros(300), tip: try euros(40)).named("table 5"))
        guard case .done(let booked) = end.outcome else { Issue.record("\(end)"); return }
        #expect(booked.tip?.minorUnits == 40)
    }

    /// Who comes later with a name is told that the like of it was done; for another amount, that it was not and cannot be.
    @Test(arguments: ["table 5", "table 6"]) func whoComesLaterWithANameIsTold(name: String) async throws {
        let shop = try Self.shop(.authorised)
        let part = ChargeChange.capture(Self.charge, amount: try euros(300)).named("table 5")
        #expect(Changes.isDone(await Self.other(shop).change(part)))
        let later = await Self.other(shop).change(part.named(name))
        #expect(Changes.earlier(later) == .possibleSuccess(.notTold), "\(later.outcome)")
        let words = ChangeResult(later, locale: MoneyLocale("C")).words(ScreenText(hasUnicode: true))
        #expect(words.contains("does not tell its tip or name"), "\(words)")
        let more = await Self.other(shop).change(
            .capture(Self.charge, amount: try euros(301)).named(name))
        guard case .failed(.unfit(let why)) = more.outcome else { Issue.record("\(more)"); return }
        #expect(why.contains("captured") && Self.requests(shop) == ["capture"])
    }

    @Test func aVoidByANameIsTold() async throws {
        let shop = try Self.shop(.captured)
        #expect(Changes.isDone(await Self.other(shop).change(.void(Self.charge).named("return 5"))))
        let later = await Self.other(shop).change(.void(Self.charge).named("return 5"))
        #expect(Changes.earlier(later) == .possibleSuccess(.notTold), "\(later.outcome)")
        #expect(Self.requests(shop) == ["void"])
    }

    /// What a killed till left: an equal capture is it, another amount is not, and with a tip nobody knows.
    @Test func whatAKilledProgramLeft() async throws {
        for (cents, tip, done, told) in [
            (300, nil, 300, nil), (300, nil, 310, PaymentError.anotherAmount), (300, 40, 300, .notTold),
        ] as [(Int, Int?, Int, PaymentError?)] {
            let shop = try Self.shop(.authorised)
            let left = ChargeChange.capture(
                Self.charge, amount: try euros(cents), tip: try tip.map { try euros($0) })
            try shop.kill(left, isDone: false)
            let theirs = ChargeChange.capture(Self.charge, amount: try euros(done))
            shop.gateway.chargeBooks.withLock { books in
                guard let amount = theirs.amount else { return }
                _ = books.book(
                    ChangePermit(theirs, amount: amount, of: TransactionID("txn_1"), key: IdempotencyKey()))
            }
            let end = try await shop.desk().change(left)
            if let told {
                #expect(Changes.earlier(end) == .possibleSuccess(told), "\(end.outcome)")
            } else {
                guard case .success = Changes.earlier(end) else { Issue.record("\(end)"); continue }
            }
            #expect(Self.requests(shop).isEmpty, "not done once more")
        }
    }

    /// Between the look and the request somebody else captured another amount: ours was never asked for.
    @Test func whatWasNotAskedForIsNotDone() async throws {
        let shop = try Self.shop(.authorised)
        let theirs = ChargeChange.capture(Self.charge, amount: try euros(310))
        let end = try await shop.desk().change(.capture(Self.charge, amount: try euros(300))) { _ in
            guard let amount = theirs.amount else { return }
            shop.gateway.chargeBooks.withLock {
                _ = $0.book(
                    ChangePermit(theirs, amount: amount, of: TransactionID("txn_1"), key: IdempotencyKey()))
            }
        }
        guard case .failed(.unfit) = end.outcome else { Issue.record("\(end)"); return }
        #expect(Self.requests(shop).isEmpty)
        #expect(try shop.notes() == 0)
    }

    // MARK: Tips

    /// One name is one tip, too.
    @Test func aNameHasOneTip() async throws {
        let shop = try Shop { $0.status = .authorised }
        let part = ChargeChange.capture(Self.charge, amount: try euros(300), tip: try euros(40)).named(
            "table 5")
        #expect(Changes.isDone(await Self.other(shop).change(part)))
        for tip in [nil, 20] {
            let other = ChargeChange.capture(
                Self.charge, amount: try euros(300), tip: try tip.map { try euros($0) })
            let end = await Self.other(shop).change(other.named("table 5"))
            #expect(end.outcome == .failed(.unfit("the name was given to another change")))
        }
        guard case .success = Changes.earlier(await Self.other(shop).change(part)) else {
            Issue.record("not told"); return
        }
        #expect(Self.requests(shop) == ["capture"])
    }

    /// A service that books a capture under the right key with another tip.
    @Test func anotherTipIsNoSuccess() async throws {
        let shop = try Shop { $0.status = .authorised }
        let change = ChargeChange.capture(Self.charge, amount: try euros(300), tip: try euros(40))
        let wrong = ChargeChange.capture(Self.charge, amount: try euros(300), tip: try euros(20))
        shop.gateway.chargeBooks.withLock { $0.booksInstead = wrong }
        let end = try await shop.desk().change(change)
        #expect(end.outcome == .perhaps(.anotherAmount))
    }

    /// Each kind of entry, and what it is to a capture of 3.00.
    @Test(
        arguments: [
            (300, nil, true, nil, nil, Kinship.same), (300, 40, true, 40, nil, .same),
            (300, 20, true, 40, nil, .another), (300, nil, true, 40, nil, .another),
            (300, 40, true, nil, nil, .another), (301, nil, true, nil, nil, .another),
            (300, nil, true, nil, "a", .same), (300, nil, false, nil, nil, .same),
            (300, nil, false, 0, nil, .same), (300, nil, false, 40, nil, .untold),
            (300, nil, false, nil, "a", .untold), (301, nil, false, nil, "a", .another),
            (300, 40, false, 40, nil, .same), (300, 20, false, 40, nil, .another),
        ] as [(Int, Int?, Bool, Int?, String?, Kinship)])
    func kinship(cents: Int, tip: Int?, hasKey: Bool, asked: Int?, name: String?, kinship: Kinship) throws {
        let shop = try Shop { $0.status = .authorised }
        let record = try #require(shop.gateway.chargeBooks.withLock { $0.record })
        let change = ChargeChange.capture(
            Self.charge, amount: try euros(300), tip: try asked.map { try euros($0) })
        let note = OpenAttempt(change.named(name), record, service: shop.gateway.service, merchant: "")
        let booked = BookedChange(
            id: "chg_1", kind: .capture, amount: try euros(cents), tip: try tip.map { try euros($0) },
            key: hasKey ? note.key : nil, status: .done)
        #expect(booked.kinship(to: note) == kinship)
    }

    /// A void takes back what was captured, and the books may have what was authorised.
    @Test func aVoidHasNoAmount() throws {
        let shop = try Shop()
        let record = try #require(shop.gateway.chargeBooks.withLock { $0.record })
        let note = OpenAttempt(.void(Self.charge), record, service: shop.gateway.service, merchant: "")
        let booked = BookedChange(id: "1", kind: .void, amount: try euros(500), key: nil, status: .done)
        #expect(booked.kinship(to: note) == .same)
    }
}
