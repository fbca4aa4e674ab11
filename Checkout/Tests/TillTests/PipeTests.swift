import CheckoutTesting
import Foundation
import Testing

/// The till on a pipe: for scripts.
@Suite(.serialized) struct PipeTests {
    struct ResultLine: Decodable {
        var outcome: String
        var amount: Int
        var currency: String
        var charge: String?
        var card: String?
        var error: String?
        var advice: String?
    }

    private func json(_ text: String) throws -> ResultLine {
        try JSONDecoder().decode(ResultLine.self, from: Data(text.utf8))
    }

    @Test(
        arguments: [
            ("4111111111111111\n12/30\n123\n", "success", Int32(0), nil, 1),
            ("4012888888881881\n1230\n123\n", "failure", 1, "declined", 0),
            ("378282246310005\n2030-12\n1234", "success", 0, nil, 1),
            ("4111\n12/30\n123\n", "failure", 1, "incomplete_card", 0),
            ("", "cancelled", 4, nil, 0),
            ("6011000990139424\n12/30\n123\n", "possible_success", 3, "poll_timed_out", 1),
        ] as [(String, String, Int32, String?, Int)])
    func scriptsGetJSON(input: String, outcome: String, status: Int32, error: String?, charges: Int)
        async throws
    {
        try await withSandbox { sandbox, address in
            let till = try await TillRun.onPipe(
                address, ["Shoes", "4.40", "--json", "--no-reader", "--patience", "1"], input: input)
            #expect(till.status == status, "\(till.errors)")
            let result = try json(till.output)
            #expect(result.outcome == outcome)
            #expect(result.error == error)
            #expect(result.amount == 440)
            #expect(try await sandbox.ledger().count == charges)
            #expect(till.output.split(separator: "\n").count == 1)
            if outcome == "possible_success" { #expect(result.advice == "do_not_charge_again") }
            for number in input.split(separator: "\n") where number.count > 10 {
                #expect(!(till.output + till.errors).contains(number))
            }
        }
    }

    @Test func peopleGetLines() async throws {
        try await withSandbox { _, address in
            let till = try await TillRun.onPipe(
                address, ["Shoes", "4.40", "--no-reader", "--currency", "USD"],
                input: "4111-1111-1111-1111\n12/30\n123\n")
            let lines = till.output.split(separator: "\n").map(String.init)
            #expect(lines.first == "Shoes: $4.40")
            #expect(lines.contains("Number: 4111 11•• •••• 1111 Visa ok"))
            #expect(lines.last?.hasPrefix("Paid: $4.40 for Shoes. Charge ch_") == true)
            #expect(!till.output.contains("\u{1B}"), "no control sequences")
            #expect(!till.output.contains("123"))
        }
    }

    @Test func aServiceThatIsNotThereIsSaid() async throws {
        let till = try await TillRun.onPipe("http://127.0.0.1:1", ["Shoes", "4.40", "--json", "--no-reader"])
        #expect(till.status == 5)
        let result = try json(till.output)
        #expect(result.error == "unreachable")
        #expect(result.advice == "check_network")
    }

    @Test(arguments: [
        ["Shoes"], ["Shoes", "4.401"], ["Shoes", "-4"], ["Shoes", "0"],
        ["Shoes", "4.40", "--currency", "QQQ"], ["", "4.40"],
        ["Shoes", "4.40", "--service", "http://pay.example.com"], ["Shoes", "4.40", "--wallet", "SandPay"],
        ["Shoes", "4.40", "--headless", "--no-reader"],
    ])
    func wrongUsage(arguments: [String]) async throws {
        #expect(try await TillRun.onPipe("http://127.0.0.1:1", arguments).status == 64)
    }

    // MARK: Without a form

    @Test func aWalletPaysHeadless() async throws {
        try await withSandbox { sandbox, address in
            let run = Task {
                try await TillRun.onPipe(
                    address,
                    ["Shoes", "4.40", "--headless", "--wallet", "SandPay", "--json", "--approval", "1"])
            }
            let till = try await run.value
            #expect(till.errors.contains("The customer has to agree at \(address)/approve/src_"))
            #expect(try json(till.output).error == "not_authorised")
            #expect(till.status == 1)
            #expect(try await sandbox.ledger().isEmpty)
        }
    }

    @Test(.enabled(if: Programs.daemon != nil, Screens.needsDaemon)) func aSwipePaysHeadless()
        async throws
    {
        let reader = try ReaderUnderTest()
        let socket = reader.socket
        try await withSandbox { sandbox, address in
            let till = Task {
                try await TillRun.onPipe(
                    address, ["Shoes", "4.40", "--headless", "--json", "--socket", socket])
            }
            // Until the till has the reader, nobody takes the swipe; it is made again then.
            while try await sandbox.ledger().isEmpty {
                try? reader.swipe("4111111111111111")
                try await Task.sleep(for: .milliseconds(300))
            }
            let result = try json(try await till.value.output)
            #expect(result.outcome == "success")
            #expect(result.card == "411111…1111")
        }
    }

    /// Without /proc of its own, as in a chroot, libdispatch would end it at any time.
    @Test(
        .enabled(if: geteuid() == 0, "only root can take /proc away"),
        arguments: [("till", ["Shoes", "4.40"], 5), ("checkout-sandbox", ["--cards"], 1)]
            as [(String, [String], Int32)])
    func saysThatItNeedsProc(program: String, arguments: [String], status: Int32) async throws {
        let end = try await FinishedProcess.run(
            "unshare", ["--pid", "--fork", Programs.path(program)] + arguments)
        #expect(end.status == status, "\(end.output)")
        #expect(end.errors.hasPrefix("\(program): /proc is not mounted here"), "\(end.errors)")
    }

    /// What the sandbox could not write is an error: whoever asked would take the half for the whole, or wait for an address.
    @Test(arguments: [["--cards"], []]) func aSandboxThatCannotWriteSaysSo(words: [String]) throws {
        let sandbox = Process()
        sandbox.executableURL = URL(filePath: Programs.path("checkout-sandbox"))
        sandbox.arguments = words
        sandbox.standardOutput = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        let errors = Pipe()
        sandbox.standardError = errors
        try sandbox.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        sandbox.waitUntilExit()
        #expect(sandbox.terminationStatus == 1)
        #expect(said.contains("standard output: No space left on device"))
    }
}
