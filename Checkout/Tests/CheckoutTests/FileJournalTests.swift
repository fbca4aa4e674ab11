import CheckoutTesting
import Foundation
import Testing

@testable import Checkout

/// The journal in a folder, and what its files say.
@Suite struct FileJournalTests {
    private static let service = "https://pay.example.com"

    private static func attempt(_ number: Int = 1, _ description: String = "Shoes") throws -> OpenAttempt {
        OpenAttempt(
            transaction: TransactionID("txn_\(number)"), source: SourceID("src_\(number)"),
            amount: try euros(440), description: description)
    }

    private static func journal(_ folder: Folder, _ service: String = service) throws -> FileJournal {
        try #require(FileJournal(folder: folder.path("a/b"), service: service))
    }

    private static func files(_ folder: Folder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("a/b"))
    }

    /// Found once its program is gone, not before; by one program, not by two; and for its service only.
    @Test func whatIsLeftIsFoundOnce() throws {
        let folder = try Folder()
        let (killed, next, third) = (
            try Self.journal(folder), try Self.journal(folder), try Self.journal(folder)
        )
        let (first, second) = (try Self.attempt(1), try Self.attempt(2))
        for attempt in [first, second] { try killed.open(attempt) }
        #expect(try next.left() == [], "its program lives")
        for attempt in [first, second] { killed.leave(attempt) }
        #expect(try Self.journal(folder, "https://other.example.com").left() == [])
        #expect(Set(try next.left()) == [first, second])
        #expect(try next.left() == [] && third.left() == [])
        next.close(first)
        #expect(try Self.files(folder).count == 1)
        next.leave(second)
        #expect(try third.left() == [second])
        third.closeAll()
        #expect(try Self.files(folder) == [])
    }

    /// A file that says nothing may be an attempt all the same: nobody may pass over it.
    @Test func whatCannotBeReadIsNotPassedOver() throws {
        let folder = try Folder()
        let journal = try Self.journal(folder)
        try journal.open(try Self.attempt())
        journal.leave(try Self.attempt())
        try Data("service".utf8).write(to: folder.url.appending(path: "a/b/zzz.attempt"))
        for _ in 1...2 { #expect(throws: PaymentJournalError.self) { try journal.left() } }
        try FileManager.default.removeItem(atPath: folder.path("a/b/zzz.attempt"))
        #expect(try journal.left() == [try Self.attempt()], "the ones before it are not forgotten")
        try FileManager.default.removeItem(atPath: folder.path("a"))
        #expect(throws: PaymentJournalError.self) { try journal.left() }
    }

    /// Killed before its text was whole: the authorisation had not left.
    @Test func whatIsUnfinishedIsForgotten() throws {
        let folder = try Folder()
        let journal = try Self.journal(folder)
        try Data("serv".utf8).write(to: folder.url.appending(path: "a/b/1.attempt.new"))
        #expect(try journal.left() == [])
        #expect(try Self.files(folder) == [])
    }

    @Test func aFolderThatCannotBeIsNoJournal() {
        #expect(FileJournal(folder: "/proc/nowhere", service: Self.service) == nil)
    }

    @Test func attemptsAreReadAsTheyWereWritten() throws {
        for description in [
            "Shoes", "a\nb\\n c\\", "靴", " two  blanks ", "", "\u{301}accent first", "ends in \r", "\r\n",
        ] {
            let attempt = OpenAttempt(
                transaction: TransactionID("txn_1"), source: SourceID("src_1"), amount: try euros(440),
                description: description)
            let text = AttemptText.write(attempt, service: "https://pay.example.com")
            let (read, service) = try #require(AttemptText.read(text))
            #expect(read == attempt && service == "https://pay.example.com")
            #expect(AttemptText.read(String(text.prefix(40))) == nil)
        }
        for text in [
            "", "amount", "amount x\n",
            "service a\ntransaction b\nsource c\namount -1\ncurrency EUR\ndescription d\n",
        ] {
            #expect(AttemptText.read(text) == nil)
        }
    }
}
