import CheckoutTesting
import Foundation
import Glibc
import Testing

@testable import Checkout

/// The journal in a folder, and what its files say.
@Suite struct FileJournalTests {
    private static func attempt(_ number: Int = 1, _ description: String = "Shoes") throws -> OpenAttempt {
        try CheckoutTests.attempt(number, description)
    }

    private static func journal(_ folder: Folder) throws -> FileJournal {
        try FileJournal(folder: folder.path("a/b"))
    }

    /// What a journal finds that killed programs left.
    private static func left(
        _ journal: FileJournal, _ service: String = ScriptedGateway.service, for sale: SaleKey? = nil
    ) throws -> [OpenAttempt] {
        try journal.findings(at: service, for: sale).abandoned
    }

    private static func files(_ folder: Folder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("a/b")).filter { $0 != "lock" }
    }

    /// Found once its program is gone, not before; by one program, not by two; and for its service only.
    @Test func whatIsLeftIsFoundOnce() throws {
        let folder = try Folder()
        let (killed, next, third) = (
            try Self.journal(folder), try Self.journal(folder), try Self.journal(folder)
        )
        let (first, second) = (try Self.attempt(1), try Self.attempt(2, "Hat"))
        for attempt in [first, second] { try killed.open(attempt) }
        #expect(try Self.left(next) == [], "its program lives")
        for attempt in [first, second] { killed.release(attempt, isTold: false) }
        #expect(try Self.left(try Self.journal(folder), "https://other.example.com") == [])
        for _ in 1...2 { #expect(Set(try Self.left(next)) == [first, second], "until it is closed") }
        #expect(try Self.left(third) == [])
        next.close(first)
        #expect(try Self.files(folder).count == 1)
        next.release(second, isTold: false)
        #expect(try Self.left(third) == [second])
        third.close(second)
        #expect(try Self.files(folder) == [])
    }

    /// A program that lives is at the same sale, or asks what became of it: who looks is told so, whatever it sells.
    @Test func whatAnotherProgramHasIsSeen() throws {
        let folder = try Folder()
        let (first, second) = (try Self.journal(folder), try Self.journal(folder))
        let attempt = try Self.attempt()
        try first.open(attempt)
        #expect(
            try second.findings(at: attempt.service, for: attempt.sale)
                == JournalFindings(underWay: [attempt]))
        #expect(
            try second.findings(at: attempt.service, for: try Self.attempt(2, "Hat").sale)
                == JournalFindings())
        #expect(throws: PaymentJournalError.sameSale(attempt)) { try second.open(try Self.attempt(2)) }
        try second.open(try Self.attempt(3, "Hat"))
        first.release(attempt, isTold: false)
        #expect(try Self.left(second) == [attempt])
        #expect(
            try first.findings(at: attempt.service, for: attempt.sale).underWay == [attempt], "also who asks")
        second.close(attempt)
        try first.open(try Self.attempt(2))
    }

    /// Who sells something else was told: the same sale is told once more, others are not; no clock ends that.
    @Test func whatSomebodyElseWasToldIsForTheSameSale() throws {
        let folder = try Folder()
        let (first, second) = (try Self.journal(folder), try Self.journal(folder))
        let attempt = try Self.attempt()
        try first.open(attempt)
        first.release(attempt, isTold: true)
        #expect(try Self.left(second, for: try Self.attempt(2, "Hat").sale) == [])
        #expect(throws: PaymentJournalError.sameSale(attempt)) { try first.open(try Self.attempt(2)) }
        #expect(try Self.left(second, for: attempt.sale) == [attempt])
        second.release(attempt, isTold: true)
        let file = try #require(try Self.files(folder).first)
        let path = folder.path("a/b/\(file)")
        let old = try String(contentsOfFile: path, encoding: .utf8).replacing(
            /told [0-9]+/, with: "told 1000")
        try Data(old.utf8).write(to: URL(filePath: path))
        #expect(
            try Self.left(second) == [] && Self.left(try Self.journal(folder), for: attempt.sale) == [attempt]
        )
    }

    /// Two counters sell equal things: who is told of the other one's sale sells his own, and the other one is told still.
    @Test func whatAnotherSellerPaidIsForThatOne() throws {
        let folder = try Folder()
        func journal(_ seller: String) throws -> FileJournal {
            try FileJournal(folder: folder.path("a/b"), seller: seller)
        }
        let attempt = try Self.attempt()
        let killed = try journal("A")
        try killed.open(attempt)
        killed.release(attempt, isTold: false)
        let other = try journal("B")
        #expect(try Self.left(other, for: attempt.sale) == [attempt])
        other.close(attempt, isPaid: true)
        #expect(try Self.left(other, for: attempt.sale) == [] && Self.left(other) == [])
        try other.open(try Self.attempt(2))
        other.close(try Self.attempt(2), isPaid: true)
        #expect(throws: PaymentJournalError.sameSale(attempt)) { try killed.open(try Self.attempt(3)) }
        let third = try journal("C")
        #expect(try Self.left(third, for: attempt.sale) == [attempt])
        third.close(attempt, isPaid: true)
        let own = try journal("A")
        #expect(try Self.left(own, for: attempt.sale) == [attempt])
        own.close(attempt, isPaid: true)
        #expect(try Self.files(folder).filter { $0.hasSuffix(FileJournal.suffix) } == [])
    }

    /// An order is one sale, whoever sells it.
    @Test func anOrderIsEverybodysSale() throws {
        let folder = try Folder()
        let killed = try FileJournal(folder: folder.path("a/b"), seller: "A")
        let attempt = OpenAttempt(
            service: ScriptedGateway.service, order: "17", transaction: TransactionID("txn_1"),
            source: SourceID("src_1"), amount: try euros(440), description: "Shoes")
        try killed.open(attempt)
        killed.release(attempt, isTold: false)
        let other = try FileJournal(folder: folder.path("a/b"), seller: "B")
        #expect(try Self.left(other, for: attempt.sale) == [attempt])
        other.close(attempt, isPaid: true)
        #expect(try Self.files(folder).filter { $0.hasSuffix(FileJournal.suffix) } == [])
    }

    /// While somebody else writes, nobody waits inside the journal.
    @Test func aFolderMayBeBusy() throws {
        let folder = try Folder()
        let journal = try Self.journal(folder)
        let lock = Glibc.open(folder.path("a/b/lock"), O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        #expect(flock(lock, LOCK_EX) == 0)
        #expect(throws: PaymentJournalError.busy(folder.path("a/b"))) { try journal.open(try Self.attempt()) }
        close(lock)
        try journal.open(try Self.attempt())
    }

    /// Somebody takes the lock away while a note is written, so that another program makes one of its own: two notes of one
    /// sale are written all the same by nobody.
    @Test func aLockThatIsTakenAwayIsNoLock() async throws {
        for _ in 0..<40 {
            let folder = try Folder()
            let journals = try (Self.journal(folder), Self.journal(folder))
            let lock = folder.path("a/b/lock")
            async let first = Self.isOpened(journals.0, try Self.attempt(1))
            async let second = Self.isOpened(journals.1, try Self.attempt(2), without: lock)
            let (isFirst, isSecond) = (try await first, try await second)
            #expect(!(isFirst && isSecond))
        }
    }

    @concurrent private static func isOpened(
        _ journal: FileJournal, _ attempt: OpenAttempt, without lock: String? = nil
    ) async -> Bool {
        let end = ContinuousClock.now + .milliseconds(20)
        while ContinuousClock.now < end {
            if let lock { unlink(lock) }
            if (try? journal.open(attempt)) != nil { return true }
        }
        return false
    }

    /// What was paid, and cannot be called over as the disk fails, is told once more.
    @Test func whatCannotBeCalledOverStays() throws {
        let folder = try Folder()
        let (first, second) = (try Self.journal(folder), try Self.journal(folder))
        let attempt = try Self.attempt()
        try first.open(attempt)
        // Meanwhile its folder is not there: nothing in it gets another name.
        #expect(rename(folder.path("a/b"), folder.path("a/away")) == 0)
        first.close(attempt, isPaid: true)
        #expect(rename(folder.path("a/away"), folder.path("a/b")) == 0)
        #expect(try Self.left(second) == [attempt])
    }

    /// The same where a name cannot be given, and the note could be taken away: its name has the longest there is before it gets a number.
    @Test func whatCannotGetItsNameStays() throws {
        let folder = try Folder()
        let attempt = try Self.attempt()
        let first = try Self.journal(folder)
        try first.open(attempt)
        let name = try #require(try Self.files(folder).first)
        first.release(attempt, isTold: false)
        let long = String(repeating: "f", count: Int(NAME_MAX) - FileJournal.suffix.utf8.count)
        #expect(rename(folder.path("a/b/\(name)"), folder.path("a/b/\(long)\(FileJournal.suffix)")) == 0)
        try Data().write(to: URL(filePath: folder.path("a/b/0-1000000000\(FileJournal.over)")))
        let second = try Self.journal(folder)
        #expect(try Self.left(second) == [attempt])
        second.close(attempt, isPaid: true)
        #expect(try Self.left(Self.journal(folder)) == [attempt])
    }

    /// Told a hundred times, a note is as long as told once.
    @Test func aNoteDoesNotGrow() throws {
        let folder = try Folder()
        let journal = try Self.journal(folder)
        let attempt = try Self.attempt()
        try journal.open(attempt)
        let path = folder.path("a/b/\(try #require(try Self.files(folder).first))")
        var sizes: Set<Int> = []
        for _ in 1...3 {
            journal.release(attempt, isTold: true)
            sizes.insert(try Data(contentsOf: URL(filePath: path)).count)
            #expect(try Self.left(journal, for: attempt.sale) == [attempt])
        }
        #expect(sizes.count == 1)
    }

    /// A folder that cannot be read to its end is not one that has no more notes.
    @Test func theEndOfAFolderIsItsEnd() throws {
        let folder = try Folder()
        _ = try Self.journal(folder)
        let stream = try #require(opendir(folder.path("a/b")))
        #expect(FileJournal.names(in: stream) != nil)
        rewinddir(stream)
        // Something that is no folder takes its place.
        let file = Glibc.open(folder.path("a/b/lock"), O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        #expect(dup2(file, dirfd(stream)) >= 0)
        close(file)
        #expect(FileJournal.names(in: stream) == nil)
        closedir(stream)
    }

    /// The notes of one transaction, of whatever service and sale, for somebody who says that they may go.
    @Test func aTransactionsNotesAreFound() throws {
        let folder = try Folder()
        let (killed, office) = (try Self.journal(folder), try Self.journal(folder))
        let (first, second) = (try Self.attempt(1), try Self.attempt(2, "Hat"))
        for attempt in [first, second] { try killed.open(attempt) }
        #expect(try office.findings(of: first.transaction) == JournalFindings(underWay: [first]))
        killed.release(first, isTold: true)
        #expect(try office.findings(of: first.transaction) == JournalFindings(abandoned: [first]))
        #expect(try office.findings(of: TransactionID("txn_7")) == JournalFindings())
        office.close(first)
        #expect(try Self.files(folder).count == 1)
    }

    /// A file that says nothing may be an attempt all the same: nobody may pass over it.
    @Test func whatCannotBeReadIsNotPassedOver() throws {
        let folder = try Folder()
        let journal = try Self.journal(folder)
        try journal.open(try Self.attempt())
        journal.release(try Self.attempt(), isTold: false)
        let path = folder.path("a/b/zzz.attempt")
        try Data("service".utf8).write(to: URL(filePath: path))
        for _ in 1...2 { #expect(throws: PaymentJournalError.unreadable(path)) { try Self.left(journal) } }
        #expect(throws: PaymentJournalError.unreadable(path)) { try journal.open(try Self.attempt(2, "Hat")) }
        try FileManager.default.removeItem(atPath: path)
        #expect(try Self.left(journal) == [try Self.attempt()], "the ones before it are not forgotten")
        try FileManager.default.removeItem(atPath: folder.path("a"))
        #expect(throws: PaymentJournalError.self) { try Self.left(journal) }
    }

    /// Killed before its text was whole: the authorisation had not left.
    @Test func whatIsUnfinishedIsForgotten() throws {
        let folder = try Folder()
        let journal = try Self.journal(folder)
        try Data("serv".utf8).write(to: folder.url.appending(path: "a/b/1.attempt.new"))
        #expect(try Self.left(journal) == [])
        try journal.open(try Self.attempt())
        #expect(try Self.files(folder).count == 1)
    }

    @Test func aFolderThatCannotBeIsNoJournal() {
        #expect(throws: PaymentJournalError.unwritable("/proc/nowhere")) {
            try FileJournal(folder: "/proc/nowhere")
        }
    }

    @Test func attemptsAreReadAsTheyWereWritten() throws {
        for description in [
            "Shoes", "a\nb\\n c\\", "靴", " two  blanks ", "", "\u{301}accent first", "ends in \r", "\r\n",
        ] {
            let attempt = OpenAttempt(
                service: "https://pay.example.com", order: description, transaction: TransactionID("txn_1"),
                source: SourceID("src_1"), key: IdempotencyKey(), merchant: "9a31",
                amount: try euros(440), description: description, time: 1_795_384_800)
            let text = AttemptText.write(attempt)
            #expect(AttemptText(text)?.attempt == attempt)
            #expect(AttemptText(text + "told 7\n")?.told == 7)
            // Cut short by a power failure: not told. The next one is on a line of its own.
            #expect(AttemptText(text + "told 179538")?.told == nil)
            #expect(AttemptText(text + "told 17\ntold 1795384800\n")?.told == 1_795_384_800)
            #expect(AttemptText(String(text.prefix(40))) == nil)
        }
        let refund = OpenAttempt(
            service: "https://pay.example.com", transaction: TransactionID("txn_1"),
            source: SourceID("ch_1"), amount: try euros(440), description: "Shoes", change: .refund)
        let text = AttemptText.write(refund)
        #expect(AttemptText(text)?.attempt == refund)
        // Else a refund that was cut short would be a payment.
        for length in 0..<text.utf8.count { #expect(AttemptText(String(text.prefix(length))) == nil) }
        for text in [
            "", "amount", "amount x\n",
            "service a\ntransaction b\nsource c\namount -1\ncurrency EUR\ndescription d\n",
        ] {
            #expect(AttemptText(text) == nil)
        }
        #expect(try Self.attempt().timeText == nil)
    }

    /// A note of an earlier version, with the address as somebody wrote it.
    @Test func oldNotesAreFound() throws {
        let folder = try Folder()
        let journal = try Self.journal(folder)
        let text = """
            service HTTPS://Pay.Example.com:443/
            transaction txn_1
            source src_1
            amount 440
            currency EUR
            description Shoes

            """
        try Data(text.utf8).write(to: folder.url.appending(path: "a/b/1.attempt"))
        #expect(try Self.left(journal) == [try Self.attempt()])
    }

    @Test(
        arguments: [
            ("17", "Shoes", 440, "17", "Hat", 900, true), ("17", "Shoes", 440, "18", "Shoes", 440, false),
            (nil, "Shoes", 440, "18", "Shoes", 440, true), (nil, "Shoes", 440, nil, "Shoes", 440, true),
            (nil, "Shoes", 440, nil, "Shoes", 441, false), (nil, "Shoes", 440, nil, "Hat", 440, false),
        ] as [(String?, String, Int, String?, String, Int, Bool)])
    func whatOneSaleIs(
        order: String?, item: String, cents: Int, other: String?, otherItem: String, otherCents: Int,
        isSame: Bool
    ) throws {
        let first = try CheckoutTests.attempt(1, item, order: order, cents: cents).sale
        let second = try CheckoutTests.attempt(2, otherItem, order: other, cents: otherCents).sale
        #expect(first.isSame(as: second) == isSame && second.isSame(as: first) == isSame)
        let third = try CheckoutTests.attempt(
            2, otherItem, order: other, transaction: "txn_1", cents: otherCents
        ).sale
        #expect(first.isSame(as: third), "one transaction is one sale")
    }
}
