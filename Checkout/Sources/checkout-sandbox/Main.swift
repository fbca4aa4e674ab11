import ArgumentParser
import CCommandLine
import CheckoutSandbox

@main
struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkout-sandbox",
        abstract: "A payment service for tests: takes published test cards, keeps readable books.",
        discussion: """
            Prints its address when it listens. What happens is chosen by the card's number; --cards lists them. \
            GET /v1/ledger shows every charge. No number beyond the first six and last four digits is kept, and no \
            code at all.
            """)

    @Option(help: "Where to listen.") var host = "127.0.0.1"
    @Option(help: "The port; 0 for any that is free.") var port = 0
    @Option(help: "The SQLite file of the books; in memory where it is not given.") var database: String?
    @Option(help: "A PEM file with the certificate chain, for HTTPS.") var certificate: String?
    @Option(help: "A PEM file with the certificate's key.") var key: String?
    @Option(help: "For how many seconds a slow card is processing.") var slow = 1.0
    @Option(help: "A file without which slow cards go on processing.") var slowUntil: String?
    @Option(help: "For how many seconds idempotency keys are remembered.") var keySeconds = 86_400.0
    @Option(help: "How many of a thousand requests go wrong.") var faults = 0
    @Option(help: "The seed of what goes wrong.") var seed: UInt64 = 1
    @Option(help: "How many seconds late requests are late.") var lateness = 0.3
    @Flag(help: "Charge a transaction as often as somebody asks, as no service should: for tests of clients.")
    var manyCharges = false
    @Flag(help: "List the test cards and end.") var cards = false

    func validate() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--certificate and --key go together")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("a port is between 0 and 65535") }
        guard (0...1000).contains(faults) else { throw ValidationError("--faults is between 0 and 1000") }
        guard (0...3600).contains(slow), (0...3600).contains(lateness) else {
            throw ValidationError("seconds are between 0 and 3600")
        }
    }

    static func main() async {
        process_needs_proc("checkout-sandbox", ExitCode.failure.rawValue)
        await main(nil)
    }

    func run() async throws {
        if cards {
            for card in TestCard.all { Console.write("\(card.number)  \(card.outcome.rawValue)") }
            return
        }
        var options = SandboxOptions()
        options.host = host
        options.port = port
        options.database = database
        options.slowSeconds = slow
        options.slowUntil = slowUntil
        options.keySeconds = keySeconds
        options.takesManyCharges = manyCharges
        options.faults = FaultPlan(seed: seed, perMille: faults, delay: .seconds(lateness))
        if let certificate, let key { options.certificate = (certificate, key) }
        try await Sandbox(options).run { address in Console.write(address) }
    }
}
