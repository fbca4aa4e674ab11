import CheckoutTesting
import Foundation
import Testing

/// Cards with a chip: the till asks to insert them, and tells the service when the stripe was used all the same.
@Suite(.serialized, .enabled(if: Programs.daemon != nil, Screens.needsDaemon)) struct ChipTests {
    @Test(arguments: ["201", "620"]) func aChipIsAskedForAndTheFallbackIsRecorded(service: String)
        async throws
    {
        let reader = try ReaderUnderTest()
        let folder = try Folder()
        try await withSandbox { sandbox, address in
            let tap = try WireTap(to: address)
            let till = try await TillTerminal(
                tap.address, ["Shoes", "4.40", "--json", "--socket", reader.socket],
                redirection: ">\(folder.path("out"))")
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipe("4111111111111111", service: service)
            try await till.wait(for: "This card has a chip: insert it")
            #expect(try await sandbox.ledger().isEmpty)
            try reader.swipe("4111111111111111", service: service)
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
            #expect(tap.sent.contains("\"entry\":\"fallback\""))
            let output = try String(contentsOfFile: folder.path("out"), encoding: .utf8)
            #expect(output.contains("\"entry\":\"fallback\""))
            tap.stop()
        }
    }

    /// Another card in between begins anew.
    @Test func eachChipIsAskedFor() async throws {
        let reader = try ReaderUnderTest()
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, ["Shoes", "4.40", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipe("4111111111111111", service: "201")
            try await till.wait(for: "This card has a chip")
            try reader.swipe("4012888888881881")
            try await till.wait(for: "The card was declined.")
            try reader.swipe("5555555555554444", service: "201")
            try await till.wait(for: "This card has a chip")
            #expect(try await sandbox.ledger().isEmpty)
        }
    }

    @Test func chipsMayBeAllowed() async throws {
        let reader = try ReaderUnderTest()
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--chip", "allow", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            try reader.swipe("4111111111111111", service: "201")
            try await till.wait(for: "status 0")
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    @Test func chipsMayBeRefused() async throws {
        let reader = try ReaderUnderTest()
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(
                address, ["Shoes", "4.40", "--chip", "refuse", "--socket", reader.socket])
            try await till.wait(for: "swipe a card, or type it")
            for number in ["4111111111111111", "4111111111111111", "5555555555554444"] {
                try reader.swipe(number, service: "201")
                try await till.wait(for: "This till does not take its stripe.")
            }
            #expect(try await sandbox.ledger().isEmpty)
        }
    }
}
