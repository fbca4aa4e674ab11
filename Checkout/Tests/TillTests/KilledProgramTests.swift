import CheckoutTesting
import Foundation
import Testing

/// The programs of README.md, as they stand there: killed while their money moves, and run again.
@Suite(.serialized) struct KilledProgramTests {
    static let programs = ["machine-payer", "component-payer"]

    /// Killed once the money has moved: the next start says so, charges nothing, and lets the next payment begin.
    @Test(arguments: programs) func itsNextStartKnows(program: String) async throws {
        let settled = try Gate()
        try await withSandbox(["--slow-until", settled.path]) { sandbox, address in
            let journal = try Folder()
            let payer = try RunningProcess(
                Programs.path(program), [address, journal.path("j"), "6011111111111117", "17"])
            while try await sandbox.ledger().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            try await payer.killAtOnce()
            try settled.open()
            let transaction = try await sandbox.ledger()[0].transaction

            // Another spelling of the same address.
            let other = address.replacingOccurrences(of: "127.0.0.1", with: "LOCALHOST") + "/"
            let again = try await FinishedProcess.run(
                Programs.path(program), [other, journal.path("j"), "4111111111111111", "18"])
            #expect(
                again.output.hasPrefix("not begun: An earlier payment went through, or may have: 4.40 EUR"))
            #expect(again.output.contains(transaction))
            #expect(try await sandbox.ledger().count == 1)

            // Who sold another order was told: the next one may be paid, and the killed one's own seller is told once more.
            for (order, beginning) in [("18", "paid: "), ("17", "not begun: An earlier"), ("17", "")] {
                let next = try await FinishedProcess.run(
                    Programs.path(program), [address, journal.path("j"), "4111111111111111", order])
                #expect(next.output.hasPrefix(beginning), "\(order): \(next.output)")
                #expect(order == "18" || !next.output.hasPrefix("not paid"), "\(next.output)")
            }
            #expect(try await sandbox.ledger().count == 2)
            #expect(try journal.notes("j").isEmpty)
        }
    }

    /// An order is paid once, however often its program runs, and with whatever journal.
    @Test(arguments: programs) func anOrderIsPaidOnce(program: String) async throws {
        try await withSandbox { sandbox, address in
            for number in 1...3 {
                let journal = try Folder()
                let run = try await FinishedProcess.run(
                    Programs.path(program), [address, journal.path("j"), "4111111111111111", "order 17"])
                let before = [
                    "machine-payer": "not begun: This order was paid before",
                    "component-payer": "paid before: ",
                ]
                #expect(
                    run.output.hasPrefix(number == 1 ? "paid: " : before[program] ?? "?"),
                    "\(run.output) \(run.errors)")
            }
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// Killed at any moment, and run again until it is paid, or was.
    @Test(arguments: programs) func atAnyMoment(program: String) async throws {
        try await withSandbox(["--slow", "0.1"]) { sandbox, address in
            var random = SeededGenerator(state: 20_261_122)
            for round in 0..<6 {
                let journal = try Folder()
                let before = try await sandbox.ledger().count
                let payer = try RunningProcess(
                    Programs.path(program),
                    [address, journal.path("j"), "6011111111111117", "round \(round)"])
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...400, using: &random)))
                try await payer.killAtOnce()
                if payer.firstLine() != nil { continue }
                _ = try await FinishedProcess.run(
                    Programs.path(program),
                    [address, journal.path("j"), "4111111111111111", "round \(round)"])
                #expect(try await sandbox.ledger().count == before + 1)
            }
        }
    }

    @Test func thePageShowsThem() throws {
        let page = try String(contentsOf: Programs.package.appending(path: "README.md"), encoding: .utf8)
        for program in Self.programs {
            let file = Programs.package.appending(path: "Tests/ReadmePrograms/\(program)/main.swift")
            let code = try String(contentsOf: file, encoding: .utf8)
            #expect(page.contains("```swift\n\(code)```"), "\(program) changed")
        }
    }
}
