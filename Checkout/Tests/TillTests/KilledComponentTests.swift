import CheckoutTesting
import Foundation
import Testing

/// A program with the component API that is killed while its money moves: its next start says so and charges nothing.
@Suite(.serialized) struct KilledComponentTests {
    private static func pay(_ words: [String]) async throws -> String {
        try await FinishedProcess.run(Programs.path("component-payer"), words).output
    }

    @Test func itsNextStartKnows() async throws {
        let settled = try Gate()
        try await withSandbox(["--slow-until", settled.path]) { sandbox, address in
            let journal = try Folder()
            let payer = try RunningProcess(
                Programs.path("component-payer"), [address, journal.path("j"), "6011111111111117"])
            while try await sandbox.ledger().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            try await payer.killAtOnce()
            try settled.open()
            let charge = try await sandbox.ledger()[0].id

            let card = [address, journal.path("j"), "4111111111111111"]
            for _ in 1...2 { #expect(try await Self.pay(card) == "earlier \(charge)\n") }
            #expect(try await sandbox.ledger().count == 1)

            let next = try await Self.pay(card + ["acknowledge"])
            #expect(try await next == "paid \(sandbox.ledger().last?.id ?? "")\n")
            #expect(try await sandbox.ledger().count == 2)
        }
    }
}
