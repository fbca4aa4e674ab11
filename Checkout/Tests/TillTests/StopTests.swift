import CheckoutTesting
import Foundation
import Testing

/// Ctrl-C and its like, at each stage: the till says what is certain, and leaves the terminal as it was.
@Suite(.serialized) struct StopTests {
    private static let arguments = ["Shoes", "4.40", "--no-reader"]

    /// The shell's terminal shows what is typed again, in lines; stty says so.
    private func expectRestored(_ till: TillTerminal) async throws {
        let screen = try await till.wait(for: " echo ")
        #expect(screen.contains("isig icanon "))
    }

    @Test func whileTheServiceIsAsked() async throws {
        // Nobody answers there, for as long as the till is willing to wait.
        let service = try LocalListener()
        defer { service.stop() }
        let till = try await TillTerminal(service.url, Self.arguments)
        try await till.wait(for: "Asking the payment service")
        try await till.press("C-c")
        try await till.wait(for: "status 4")
        try await expectRestored(till)
    }

    /// Before the till listens to signals its terminal shows nothing already; a signal then ends it as it ends any program, and the
    /// shell's terminal shows what is typed.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) func beforeItListens(number: Int32) async throws {
        // Its end for writing is opened by nobody: the till waits there, with the terminal as it will be.
        let folder = try Folder()
        #expect(mkfifo(folder.path("roots"), 0o600) == 0)
        let till = try await TillTerminal(
            "https://localhost:1", Self.arguments + ["--trust", folder.path("roots")])
        let end = ContinuousClock.now + TillTerminal.patience
        var process: Int32?
        while ContinuousClock.now < end {
            process = try? await till.process()
            if let process, try !Self.isEchoing(process) { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        kill(try #require(process), number)
        try await till.wait(for: "status \(128 + number)")
        try await expectRestored(till)
    }

    /// Whether the terminal of a process shows what is typed.
    private static func isEchoing(_ process: Int32) throws -> Bool {
        let terminal = open("/proc/\(process)/fd/0", O_RDONLY | O_NOCTTY)
        defer { close(terminal) }
        var settings = termios()
        try #require(tcgetattr(terminal, &settings) == 0)
        return settings.c_lflag & tcflag_t(ECHO) != 0
    }

    @Test(arguments: ["C-c", "Escape"]) func inTheForm(key: String) async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, Self.arguments)
            try await till.wait(for: "Number")
            try await till.typeCard("4111111111111111")
            try await till.press(key)
            try await till.wait(for: "status 4")
            try await expectRestored(till)
            #expect(try await sandbox.ledger().isEmpty)
        }
    }

    /// Money has moved: the till waits for what is certain.
    @Test func whilePaying() async throws {
        let settled = try Gate()
        try await withSandbox(["--slow-until", settled.path]) { _, address in
            let till = try await TillTerminal(address, Self.arguments)
            try await till.wait(for: "Number")
            try await till.typeCard("6011111111111117")
            try await till.press("Enter")
            try await till.wait(for: "Waiting for the payment service")
            try await till.press("C-c")
            try await till.wait(for: "Stopping, as soon as it is certain")
            try settled.open()
            try await till.wait(for: "status 0")
            try await expectRestored(till)
        }
    }

    /// Twice means at once: nobody knows then whether money moved, and the till says so.
    @Test func twiceWhilePaying() async throws {
        try await withSandbox { _, address in
            let till = try await TillTerminal(address, Self.arguments)
            try await till.wait(for: "Number")
            try await till.typeCard("6011000990139424")
            try await till.press("Enter")
            try await till.wait(for: "Waiting for the payment service")
            try await till.press("C-c")
            try await till.wait(for: "Stopping")
            try await till.press("C-c")
            try await till.wait(for: "Perhaps paid")
            try await till.wait(for: "status 3")
            try await expectRestored(till)
        }
    }

    /// The customer has not agreed yet: the source is given up, and nothing is charged.
    @Test func whileTheCustomerAgrees() async throws {
        try await withSandbox { sandbox, address in
            let till = try await TillTerminal(address, Self.arguments)
            try await till.wait(for: "F1 SandPay")
            try await till.press("F1")
            try await till.wait(for: "The customer has to agree")
            try await till.press("C-c")
            try await till.wait(for: "Nothing was charged.")
            try await till.wait(for: "status 4")
            #expect(try await sandbox.ledger().isEmpty)
        }
    }

    @Test(arguments: [["--headless", "--wallet", "SandPay"], ["--headless"], []])
    func scriptsAreStoppedBySignals(options: [String]) async throws {
        try await withSandbox { sandbox, address in
            let journal = try Folder()
            // The reader's daemon may come: until then the till waits.
            let till = try RunningProcess(
                Programs.path("till"), ["Shoes", "4.40", "--json"] + options, input: nil,
                environment: TillRun.environment(address, journal))
            while try !Self.handles(till.identifier) { try await Task.sleep(for: .milliseconds(10)) }
            kill(till.identifier, SIGTERM)
            #expect(till.firstLine()?.hasPrefix("{\"outcome\":\"cancelled\"") == true)
            #expect(try await sandbox.ledger().isEmpty)
        }
    }

    /// Before the form: what the till was asking about is told as doubtful, and stays written down.
    @Test(arguments: [SIGINT, SIGTERM, SIGQUIT]) func whileAnEarlierPaymentIsAskedAbout(number: Int32)
        async throws
    {
        let settled = try Gate()
        try await withSandbox(["--slow-until", settled.path]) { sandbox, address in
            let journal = try Folder()
            let killed = try Self.paying(address, journal)
            while try await sandbox.ledger().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            try await killed.killAtOnce()
            let line = try await Self.stopped(try Self.paying(address, journal), number)
            #expect(line.hasPrefix("{\"outcome\":\"possible_success\""))
            #expect(line.contains("\"earlier_outcome\":\"possible_success\""))
            try settled.open()
            let next = try await TillRun.onPipe(
                address, Self.arguments + ["--json"], input: Self.slowCard, journal: journal)
            #expect(next.output.contains("\"earlier_outcome\":\"success\""))
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// Before the form: the other till's payment is the other till's.
    @Test func whileAnotherTillIsAtTheSale() async throws {
        let settled = try Gate()
        try await withSandbox(["--slow-until", settled.path]) { sandbox, address in
            let journal = try Folder()
            let other = try Self.paying(address, journal)
            while try await sandbox.ledger().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            let line = try await Self.stopped(try Self.paying(address, journal), SIGINT)
            #expect(line.hasPrefix("{\"outcome\":\"not_begun\""))
            #expect(line.contains("\"error\":\"held_elsewhere\""))
            try settled.open()
            #expect(other.firstLine()?.hasPrefix("{\"outcome\":\"success\"") == true)
            #expect(try await sandbox.ledger().count == 1)
        }
    }

    /// A card that the sandbox charges and then keeps processing.
    private static let slowCard = "6011111111111117\n1230\n123\n"

    private static func paying(_ address: String, _ journal: Folder) throws -> RunningProcess {
        try RunningProcess(
            Programs.path("till"), arguments + ["--json"], input: slowCard,
            environment: TillRun.environment(address, journal))
    }

    /// The result of a till that is stopped as soon as it can be.
    private static func stopped(_ till: RunningProcess, _ number: Int32) async throws -> String {
        while try !handles(till.identifier) { try await Task.sleep(for: .milliseconds(10)) }
        kill(till.identifier, number)
        return try #require(till.firstLine())
    }

    /// Whether a process has a handler for SIGTERM.
    private static func handles(_ identifier: Int32) throws -> Bool {
        let status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") } ?? ""
        let caught = UInt64(line.split(separator: "\t").last ?? "", radix: 16) ?? 0
        return caught & (1 << (UInt64(SIGTERM) - 1)) != 0
    }
}
