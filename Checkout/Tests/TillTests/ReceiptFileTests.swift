import CheckoutTesting
import Foundation
import Testing

/// The till's receipts: of what was paid, in a file or on standard output, with no more of the card than four digits.
@Suite(.serialized) struct ReceiptFileTests {
    private static let arguments = [
        "Shoes", "4.40", "--no-reader", "--merchant", "Shoe Shop", "--merchant", "Main Street",
    ]

    private func pay(
        _ options: [String], card: String = "4111111111111111",
        _ check: (FinishedProcess, SandboxProcess) async throws -> Void
    ) async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillRun.onPipe(
                address, Self.arguments + options, input: "\(card)\n1230\n123\n")
            #expect(!(till.output + till.errors).contains("41111111"))
            try await check(till, sandbox)
        }
    }

    @Test(arguments: [32, 42]) func aFileHasWhatWasPaid(columns: Int) async throws {
        let folder = try Folder()
        let path = folder.path("receipt.txt")
        try await pay(["--receipt", path, "--receipt-columns", "\(columns)"]) { till, sandbox in
            #expect(till.status == 0, "\(till.errors)")
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            let charge = try #require(try await sandbox.ledger().first)
            #expect(lines.allSatisfy { $0.count <= columns })
            for text in [
                "Shoe Shop", "Main Street", charge.id, charge.transaction, "€4.40", "**** 1111", "SALE",
            ] {
                #expect(lines.contains { $0.contains(text) }, "\(text)")
            }
            let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
            #expect(words.contains("Card typed") && words.contains("Visa **** 1111"))
            #expect(words.contains("Approval " + charge.id.suffix(6).uppercased()))
        }
    }

    @Test func standardOutputHasItAfterTheResult() async throws {
        try await pay(["--receipt", "-"]) { till, _ in
            let lines = till.output.split(separator: "\n")
            let result = try #require(lines.firstIndex { $0.hasPrefix("Paid: ") })
            let head = try #require(lines.firstIndex { $0.hasSuffix("  Shoe Shop") })
            #expect(result < head && lines.last?.hasPrefix("Charge") == true)
        }
    }

    @Test func whatIsNotPaidHasNone() async throws {
        let folder = try Folder()
        try await pay(["--receipt", folder.path("receipt")], card: "4012888888881881") { till, _ in
            #expect(till.status == 1)
            #expect(!FileManager.default.fileExists(atPath: folder.path("receipt")))
        }
    }

    /// Said before anything is paid.
    @Test(arguments: [
        (["--receipt", "/nowhere/receipt"], "no receipt can be written to /nowhere/receipt"),
        (["--receipt", "-", "--json"], "the receipt needs a file"),
        (["--receipt", "-", "--receipt-columns", "50"], "a receipt has 32 or 42 columns"),
    ])
    func whatCannotBeWrittenIsNotPaid(options: [String], problem: String) async throws {
        try await pay(options) { till, sandbox in
            #expect(till.status == 64)
            #expect(till.errors.contains(problem))
            let charges = try await sandbox.ledger()
            #expect(charges.isEmpty)
        }
    }

    /// The file's disk is full: paid is paid, and the result says so.
    @Test func aFullDiskLeavesItPaid() async throws {
        try await pay(["--receipt", "/dev/full"]) { till, sandbox in
            #expect(till.status == 0 && till.output.contains("Paid: "))
            #expect(till.errors.contains("done, but there is no receipt: /dev/full: No space left"))
            let charges = try await sandbox.ledger()
            #expect(charges.count == 1)
        }
    }

    /// A PDF, or the word that this till makes none.
    @Test func aPDFIsOneWhereItIsBuiltIn() async throws {
        let folder = try Folder()
        let path = folder.path("receipt.pdf")
        try await pay(["--receipt", path]) { till, sandbox in
            #if PDF
                #expect(till.status == 0, "\(till.errors)")
                let file = try Data(contentsOf: URL(filePath: path))
                #expect(file.starts(with: Data("%PDF-".utf8)))
            #else
                #expect(till.status == 64 && till.errors.contains("swift build --traits PDF"))
                let charges = try await sandbox.ledger()
                #expect(charges.isEmpty)
            #endif
        }
    }
}
