import CheckoutTesting
import Foundation
import Synchronization
import Testing

/// A disk that fails in the middle of a payment: each call that a till makes for its journal, once or from then on, by a
/// library that is loaded before the C library (`Tests/failing-disk.c`).
///
/// No authorisation leaves without its note; what was charged is said; what was not is an error that names the folder.
@Suite struct FailingDiskTests {
    private static let words = ["Shoes", "4.40", "--no-reader", "--json", "--patience", "1"]
    private static let card = "4111111111111111\n1230\n123\n"
    /// More than a till makes of any call.
    private static let mostCalls = 40

    /// Builds the library.
    ///
    /// - Returns: the folder that it is in. Swift brings a compiler for C with it.
    private static func library() async throws -> Folder {
        let folder = try Folder()
        let source = Programs.package.appending(path: "Tests/failing-disk.c").path
        let build = #"c=$(command -v clang cc | head -n 1); "$c" -shared -fPIC -Wall -Werror -o "$1" "$2""#
        let run = try await FinishedProcess.run(
            "bash", ["-c", build, "bash", folder.path("disk.so"), source])
        try #require(run.status == 0, "\(run.errors)")
        return folder
    }

    struct Fault: Sendable {
        let call: String
        let place: Int
        let isForEver: Bool
        let error: Int32
    }

    @Test(
        arguments: [
            ("open", EIO), ("read", EIO), ("write", ENOSPC), ("short", ENOSPC), ("fsync", EIO),
            ("rename", EIO),
            ("unlink", EIO), ("flock", ENOLCK), ("opendir", EIO),
        ])
    func nothingIsChargedWithoutItsNote(call: String, error: Int32) async throws {
        let library = try await Self.library()
        try await withSandbox { sandbox, address in
            let journal = Mutex("")
            // A note that could not be written is none, whatever can be read of it.
            let isOfNotes = ["write", "short", "fsync", "rename"].contains(call)
            let unwritten = Atomic(0)
            let proxy = try FaultProxy(to: address, delay: .seconds(1)) { request in
                guard request.hasSuffix("/authorise") else { return nil }
                let folder = journal.withLock { $0 }
                let log = URL(filePath: folder).deletingLastPathComponent().appending(path: "log").path
                if isOfNotes, FileManager.default.fileExists(atPath: log) {
                    unwritten.add(1, ordering: .relaxed)
                }
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                let notes = names.filter { $0.hasSuffix(".attempt") }.compactMap {
                    try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
                }
                if !notes.contains(where: { $0.hasSuffix("description Shoes\n") }) {
                    unwritten.add(1, ordering: .relaxed)
                }
                return nil
            }
            var count = 0
            for isForEver in [false, true] {
                for place in 1...Self.mostCalls {
                    let folder = try Folder()
                    try Self.fill(folder, address)
                    journal.withLock { $0 = folder.path("attempts") }
                    let fault = Fault(call: call, place: place, isForEver: isForEver, error: error)
                    guard
                        try await Self.hasFailed(
                            fault, library.path("disk.so"), proxy.address, folder, sandbox)
                    else { break }
                    count += 1
                }
            }
            print("  \(call): failed in \(count) places")
            #expect(count > 0 && unwritten.load(ordering: .relaxed) == 0)
            proxy.stop()
        }
    }

    /// Another sale that is over, and a note that was never finished: there is something to read and to take away.
    private static func fill(_ journal: Folder, _ address: String) throws {
        let folder = journal.url.appending(path: "attempts")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let note = """
            service \(address)
            transaction txn_hat
            source src_hat
            amount 900
            currency EUR
            description Hat
            closed 1

            """
        try Data(note.utf8).write(to: folder.appending(path: "0.over"))
        try Data("serv".utf8).write(to: folder.appending(path: "0.attempt.new"))
    }

    /// - Returns: whether the till came to the place of the fault.
    private static func hasFailed(
        _ fault: Fault, _ library: String, _ address: String, _ journal: Folder, _ sandbox: SandboxProcess
    ) async throws -> Bool {
        let log = journal.path("log")
        let latest = fault.isForEver ? .max : fault.place + (fault.call == "short" ? 1 : 0)
        let start = try await sandbox.ledger().count
        let till = try await TillRun.onPipe(
            address, words, input: card,
            environment: [
                "LD_PRELOAD": library, "FAILING_FOLDER": journal.path("attempts"),
                "FAILING_CALL": fault.call, "FAILING_FROM": "\(fault.place)",
                "FAILING_TO": "\(min(latest, 1_000))", "FAILING_ERROR": "\(fault.error)", "FAILING_LOG": log,
            ], journal: journal)
        let hasFailed = FileManager.default.fileExists(atPath: log)
        if hasFailed { try FileManager.default.removeItem(atPath: log) }
        let before = try await sandbox.ledger().count
        let next = try await TillRun.onPipe(address, words, input: card, journal: journal)
        let after = try await sandbox.ledger().count
        let story: Comment = "\(fault): \(till.output)\(till.errors) then \(next.output)"
        let transactions = Set(try await sandbox.ledger().map(\.transaction)).count
        #expect(transactions == after, "a transaction was charged twice: \(story)")
        switch till.status {
        case 0:
            // A disk that does not let a note go has the next till told once more.
            #expect(before - start == 1, story)
            #expect([0, 3].contains(next.status) && after - before == (next.status == 0 ? 1 : 0), story)
        case 1, 5:
            let errors = ["not_written_down", "journal_unreadable"]
            #expect(before == start && errors.contains { till.output.contains($0) }, story)
            #expect(till.output.contains("attempts"), "the folder is named: \(story)")
            #expect(next.status == 0 && after - before == 1, story)
        default: Issue.record(story)
        }
        return hasFailed
    }
}
