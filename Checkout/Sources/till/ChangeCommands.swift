import ArgumentParser
import CCommandLine
import Checkout
import Glibc
import TillScreen

/// The program: a payment where nothing else is said.
@main
struct TillProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "till",
        abstract: "Take a payment, or change one that was taken.",
        discussion: """
            till "Shoes" 4.40 takes a payment; till pay --help has the options of that. Something called refund, void or \
            capture is sold by: till pay refund 4.40
            """,
        subcommands: [Till.self, CaptureCommand.self, RefundCommand.self, VoidCommand.self],
        defaultSubcommand: Till.self)

    static func main() async {
        // Swift's runtime takes it for a crash.
        signal(SIGQUIT, SIG_DFL)
        process_needs_proc("till", TillResult.Outcome.notBegun.exitStatus)
        await main(nil)
    }
}

/// What the discussion of each of them says.
private let onceOnly = """
    A till that was killed in the middle is found by the next one: ask for the same again, and it is done once. A charge is \
    changed by one till at a time.

    Exit status: 0 done, 1 not done, 3 perhaps done or done before (do not do it again before you have looked), 4 cancelled, \
    5 could not begin, 64 wrong usage.
    """

struct RefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund", abstract: "Give money back, all or a part: till refund ch_1 4.40",
        discussion: onceOnly)

    @Argument(help: "The charge, as the payment said it.") var charge: String
    @Argument(help: "How much: 4.40; all that is left where it is not given.") var amount: String?
    @OptionGroup var options: ChangeOptions
    @OptionGroup(title: "Receipt") var receipt: ReceiptOptions

    func validate() throws {
        try options.check(receipt)
        _ = try change()
    }

    private func change() throws -> ChargeChange {
        .refund(ChargeID(charge), amount: try amount.map { try options.money($0) })
    }

    @MainActor func run() async throws {
        try await ChangeTill(options, receipt).run(change().named(options.change))
    }
}

struct VoidCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "void", abstract: "Take a charge back before it is settled, whole: till void ch_1",
        discussion: onceOnly)

    @Argument(help: "The charge, as the payment said it.") var charge: String
    @OptionGroup var options: ChangeOptions
    @OptionGroup(title: "Receipt") var receipt: ReceiptOptions

    func validate() throws { try options.check(receipt) }

    @MainActor func run() async throws {
        try await ChangeTill(options, receipt).run(.void(ChargeID(charge)).named(options.change))
    }
}

struct CaptureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Take money that was authorised, all or a part: till capture ch_1 4.40 --tip 0.50",
        discussion: "What is not captured is released.\n\n" + onceOnly)

    @Argument(help: "The charge, as the payment said it.") var charge: String
    @Argument(help: "How much, without the tip: 4.40; all that was authorised where it is not given.")
    var amount: String?
    @Option(
        help:
            "What the customer gives on top. The payment service says how much more than authorised may be taken."
    )
    var tip: String?
    @OptionGroup var options: ChangeOptions
    @OptionGroup(title: "Receipt") var receipt: ReceiptOptions

    func validate() throws {
        try options.check(receipt)
        guard tip == nil || amount != nil else { throw ValidationError("--tip goes with an amount") }
        _ = try change()
    }

    private func change() throws -> ChargeChange {
        let tip = try tip.map { try options.money($0) }
        guard let amount else { return .capture(ChargeID(charge)) }
        let price = try options.money(amount)
        return .capture(ChargeID(charge), amount: try CaptureOptions.sum(price, tip), tip: tip)
    }

    @MainActor func run() async throws {
        try await ChangeTill(options, receipt).run(change().named(options.change))
    }
}
