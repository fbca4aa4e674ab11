import CheckoutTesting
import Foundation
import Testing

@testable import Checkout

/// Numbers that no till writes, in the names and the texts of a journal's files: none is a trap.
@Suite struct StrangeNumberTests {
    private static let numbers = [
        Int.max, Int.max - 1, Int.min, 0, 1_000_000_000_000_000, 1_000_000_000_000_001,
    ]

    /// A payment is over, and keeps its place in the order of those that are.
    @Test(arguments: numbers.map(String.init) + ["9223372036854775808", "99999999999999999999", "x"])
    func whatSomebodyCalledOver(number: String) throws {
        let folder = try Folder()
        let journal = try FileJournal(folder: folder.path("j"))
        try Data().write(to: URL(filePath: folder.path("j/x-\(number)\(FileJournal.over)")))
        for number in 1...2 {
            let attempt = try attempt(number, "Hat \(number)")
            try journal.open(attempt)
            journal.close(attempt, isPaid: true)
        }
        let over = try journal.names(FileJournal.over)
        #expect(over.count == 3, "\(over)")
        #expect(try journal.findings(at: ScriptedGateway.service, for: nil) == JournalFindings())
    }

    /// What is too high for a till is not counted on from: those that come later are the younger ones.
    @Test func theCountGoesOn() throws {
        let folder = try Folder()
        let journal = try FileJournal(folder: folder.path("j"))
        try Data().write(to: URL(filePath: folder.path("j/x-\(Int.max)\(FileJournal.over)")))
        for number in 1...3 {
            let attempt = try attempt(number, "Hat \(number)")
            try journal.open(attempt)
            journal.close(attempt, isPaid: true)
        }
        let ends = try journal.names(FileJournal.over).compactMap { $0.split(separator: "-").last }.map(
            String.init)
        #expect(Set(ends) == ["\(Int.max).over", "1.over", "2.over", "3.over"])
    }

    /// Years that a calendar of 32 bits has no room for, too.
    @Test(arguments: numbers + [67_768_036_191_676_799, 67_768_036_191_676_800, 67_767_976_233_446_400])
    func timesAreNoTrap(time: Int) throws {
        let note = OpenAttempt(
            service: ScriptedGateway.service, transaction: TransactionID("txn_1"), source: SourceID("src_1"),
            amount: try euros(440), description: "Shoes", time: time)
        #expect(note.words.contains("txn_1") && !note.isYounger(than: .seconds(60)))
    }

    /// Each number of a note, in a file of its own.
    @Test(arguments: numbers) func notesAreNoTrap(number: Int) throws {
        let folder = try Folder()
        let journal = try FileJournal(folder: folder.path("j"))
        for name in ["time", "tip", "told", "closed"] {
            let text = AttemptText.write(try attempt()) + "\(name) \(number)\n"
            try Data(text.utf8).write(to: URL(filePath: folder.path("j/\(name)-1\(FileJournal.over)")))
            try Data(text.utf8).write(to: URL(filePath: folder.path("j/\(name)\(FileJournal.suffix)")))
        }
        _ = journal.mark(at: .seconds(1))
        let found = try journal.findings(at: ScriptedGateway.service, for: try attempt().sale)
        for note in found.abandoned {
            #expect(!note.words.isEmpty)
            journal.close(note, isPaid: true)
        }
        #expect(!found.abandoned.isEmpty)
    }
}
