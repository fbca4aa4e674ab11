import CheckoutTesting
import Foundation
import Testing

/// Screens of 20, 40, 80 and 132 columns: no line is wrapped by the terminal, what is said of one card goes with the next.
@Suite(.serialized) struct WidthTests {
    @Test(arguments: Typing.widths) func noLineIsWrapped(columns: Int) async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(
                address, ["Twelve pairs of woollen winter socks", "1234.50", "--locale", "de_DE"],
                size: (columns, 60))
            try await till.wait(for: "daemon")
            try await till.expectNoWrappedLine()
            try await till.press("Enter")
            try await till.wait(for: "missing")
            try await till.expectNoWrappedLine()
            try await till.typeCard("4012888888881881")
            try await till.wait(for: "•••")
            try await till.expectNoWrappedLine()
            try await till.press("Enter")
            try await till.wait(for: "declined")
            try await till.expectNoWrappedLine()
            try await till.typeCard("4111111111111111")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            try await till.expectNoWrappedLine(before: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// What was said of the declined card goes when the next one begins.
    @Test(arguments: Typing.widths) func theMessageGoesWithTheNextCard(columns: Int) async throws {
        try await withSandbox { _, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--no-reader"], size: (columns, 60))
            try await till.wait(for: "> Number")
            try await till.typeCard("4012888888881881")
            try await till.press("Enter")
            try await till.wait(for: "declined")
            try await till.type("5")
            try await till.waitUntilGone("declined")
        }
    }
}
