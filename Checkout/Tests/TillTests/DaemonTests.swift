import CheckoutTesting
import Foundation
import Testing

/// The reader's daemon goes, or falls silent: the till shows it within a second.
@Suite(.serialized, .enabled(if: Programs.daemon != nil, Screens.needsDaemon)) struct DaemonTests {
    /// What a till may take to show it, and what a busy machine needs to look at the screen.
    static let limit = Duration.seconds(1)

    @Test(arguments: Typing.widths) func aKilledDaemonIsShownAtOnce(columns: Int) async throws {
        let reader = try ReaderUnderTest()
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--socket", reader.socket], size: (columns, 60))
            try await till.wait(for: "swipe")
            try await till.expect("gone", within: Self.limit) { try await reader.kill() }
            try await till.typeCard("4111111111111111")
            try await till.press("Enter")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// Stopped, not ended: its connection stays, and nothing comes.
    @Test(arguments: Typing.widths) func aMuteDaemonIsShownWithinASecond(columns: Int) async throws {
        let reader = try ReaderUnderTest()
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--socket", reader.socket], size: (columns, 60))
            try await till.wait(for: "swipe")
            try await till.expect("answer", within: Self.limit) { try await reader.stop() }
            reader.goOn()
            try await till.wait(for: "swipe")
            try reader.swipe("4111111111111111")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// A daemon that comes back is used again.
    @Test func aDaemonThatComesBackIsUsed() async throws {
        let reader = try ReaderUnderTest()
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            try await reader.kill()
            try await till.wait(for: "daemon is gone")
            try reader.start()
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipe("4111111111111111")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }
}
