import CheckoutTesting
import Foundation
import Synchronization
import Testing

/// Tills that stand still in the middle of a payment, by a slow network or because the kernel stops them, while another
/// till sells the same; and a journal that cannot be written.
@Suite(.serialized) struct StoodStillTillTests {
    private static let card = "4111111111111111\n1230\n123\n"
    private static let words = ["Shoes", "4.40", "--no-reader", "--json"]

    /// From the request that moves no money yet until the other till has told its end, the first one stands still.
    @Test(arguments: [false, true]) func anotherTillSoldTheSame(isStopped: Bool) async throws {
        try await withSandbox { sandbox, address in
            let sources = Atomic(0)
            // Also where it is stopped: on a busy machine it would have sold, and be right, before the stop reached it.
            let proxy = try FaultProxy(to: address, delay: .seconds(4)) { request in
                guard request.hasSuffix("/sources"), sources.add(1, ordering: .relaxed).newValue == 1 else {
                    return nil
                }
                return .lateAnswer
            }
            let journal = try Folder()
            let first = try RunningProcess(
                Programs.path("till"), Self.words, input: Self.card,
                environment: TillRun.environment(proxy.address, journal))
            while sources.load(ordering: .relaxed) == 0 { try await Task.sleep(for: .milliseconds(1)) }
            if isStopped { try await first.stop() }
            let wasEarly = try journal.notes("attempts").isEmpty
            let second = try await TillRun.onPipe(
                proxy.address, Self.words + ["--patience", "2"], input: Self.card, journal: journal)
            if isStopped { first.goOn() }
            let told = first.firstLine() ?? ""
            #expect(try await sandbox.ledger().count == 1, "\(told) \(second.output)")
            if wasEarly {
                #expect(second.status == 0)
                #expect(told.contains("\"error\":\"earlier_payment\"") && told.contains("possible_success"))
                #expect(told.contains(try await sandbox.ledger()[0].id), "the charge is named")
            } else {
                // It was stopped a moment too late: it has its note, and the other one does not pay.
                #expect(second.output.contains("held_elsewhere") && told.contains("\"outcome\":\"success\""))
            }
            proxy.stop()
        }
    }

    /// Stopped before it has looked at anything, as soon as it is a process: it was begun before the other one had sold.
    @Test func stoppedAtItsBeginning() async throws {
        try await withSandbox { sandbox, address in
            let journal = try Folder()
            let first = try RunningProcess(
                Programs.path("till"), Self.words, input: Self.card,
                environment: TillRun.environment(address, journal))
            try await first.stop()
            let second = try await TillRun.onPipe(
                address, Self.words + ["--patience", "2"], input: Self.card, journal: journal)
            #expect(second.status == 0)
            first.goOn()
            let told = first.firstLine() ?? ""
            #expect(told.contains("\"error\":\"earlier_payment\""), "\(told)")
            #expect(try await sandbox.ledger().count == 1)
            // Begun afterwards: another customer's.
            let third = try await TillRun.onPipe(address, Self.words, input: Self.card, journal: journal)
            #expect(third.status == 0)
            #expect(try await sandbox.ledger().count == 2)
        }
    }

    /// The same for a refund of a part, which would fit twice.
    @Test func aRefundIsStoppedAtItsBeginning() async throws {
        try await withSandbox { sandbox, address in
            let journal = try Folder()
            let charge = try await ChangeTills.sell(address, journal)
            let words = ["refund", charge, "1.00", "--json"]
            let first = try RunningProcess(
                Programs.path("till"), words, environment: TillRun.environment(address, journal))
            try await first.stop()
            let second = try await TillRun.onPipe(address, words + ["--patience", "2"], journal: journal)
            #expect(second.status == 0)
            first.goOn()
            let told = first.firstLine() ?? ""
            #expect(told.contains("\"error\":\"earlier_change\""), "\(told)")
            #expect(try await sandbox.changes().count == 1)
            let third = try await TillRun.onPipe(address, words, journal: journal)
            #expect(third.status == 0)
            #expect(try await sandbox.changes().count == 2)
        }
    }

    /// No room for a note: nothing is paid, and the till says where, why and what to do.
    @Test(.enabled(if: geteuid() == 0, "mounts a folder")) func aFullDiskIsNamed() async throws {
        try await withSandbox { sandbox, address in
            let journal = try Folder()
            let script = """
                mkdir "$1" && mount -t tmpfs -o size=16k,nr_inodes=64 none "$1" && : > "$1/lock" &&
                { cat /dev/zero > "$1/full" 2> /dev/null; shift; exec "$@"; }
                """
            let till = try await FinishedProcess.run(
                "unshare",
                ["-m", "bash", "-c", script, "bash", journal.path("attempts"), Programs.path("till")]
                    + Self.words, input: Self.card, environment: TillRun.environment(address, journal))
            #expect(till.status == 1 && till.output.contains("\"error\":\"not_written_down\""), "\(till)")
            #expect(till.output.contains("No space left on device"))
            #expect(try await sandbox.ledger().isEmpty)
        }
    }
}
