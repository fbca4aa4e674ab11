import ArgumentParser
import CCommandLine
import CWipingHeap
import Checkout
import CheckoutHTTP
import Glibc
import SwipeClient
import Synchronization
import TillScreen

/// ``ChipRule`` as an option.
enum ChipOption: String, CaseIterable, ExpressibleByArgument {
    case ask, allow, refuse

    var rule: ChipRule {
        switch self {
        case .ask: .ask
        case .allow: .allow
        case .refuse: .refuse
        }
    }
}

struct Till: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pay",
        abstract: "Take one payment: till \"Shoes\" 4.40",
        discussion: """
            Waits for a card on a reader of the swiped daemon; meanwhile the card can be typed. On a pipe, number, \
            expiry date and code are read as three lines. Never shows more of a card than its first six and last four \
            digits.

            An attempt is written down before money can move. A till that was killed in the middle asks at its next start \
            what became of it, and does not charge again before that is known. Tills may share a journal: what one of them is \
            at, another one with the same sale waits for. Give sales an --order, where equal things are sold at once.

            Exit status: 0 paid, 1 not paid, 3 perhaps paid (do not charge again), 4 cancelled, 5 could not begin, \
            64 wrong usage.
            """)

    @Argument(help: "What is sold.") var item: String
    @Argument(help: "For how much: 4.40") var amount: String
    @Option(
        help:
            "The sale's own name, up to 50 bytes, as an order's number: it is never paid twice, and never taken for another."
    )
    var order: String?
    @Option(help: "The currency's code (ISO 4217).") var currency = "EUR"
    @Option(help: "How to write amounts, as in LANG; the environment's where it is not given.") var locale:
        String?
    @Option(help: "The payment service's address; $TILL_SERVICE where it is not given.") var service: String?
    @Option(help: "A PEM file with certificates to trust beside the system's.") var trust: String?
    @Option(help: "The daemon's socket; $SWIPED_SOCKET, or the usual one, where it is not given.") var socket:
        String?
    @Option(help: "The reader's id; the first one that is there where it is not given.") var reader: String?
    @Flag(help: "Use no reader.") var noReader = false
    @Flag(help: "Ask for the code (CVV) also after a swipe.") var swipeNeedsCode = false
    @Option(
        help: """
            A swiped card that has a chip: ask to insert it and take the stripe when it is swiped again, allow it at once, \
            or refuse it.
            """)
    var chip = ChipOption.ask
    @Flag(help: "Print the result as one line of JSON.") var json = false
    @Flag(help: "No form: pay with the next swipe, or with --wallet.") var headless = false
    @Option(help: "With --headless: pay with this wallet.") var wallet: String?
    @Option(help: "This till's name in the payment service's books.") var name = "till"
    @Option(help: "How many seconds to wait for the payment service to confirm.") var patience = 60
    @Option(help: "How many seconds the payment service has for one whole answer.") var timeout = 15
    @Option(help: "How many seconds the customer has to agree elsewhere.") var approval = 300
    @Option(
        help:
            "How many seconds to wait for a card; as long as it takes where it is not given. Not for the form."
    )
    var wait: Int?
    @OptionGroup(title: "Receipt") var receipt: ReceiptOptions
    @OptionGroup(title: "Tip and capture") var later: CaptureOptions
    @Option(
        help:
            "The folder for payments under way; $TILL_JOURNAL, or till in $XDG_STATE_HOME or ~/.local/state.")
    var journal: String?

    func validate() throws {
        guard let known = Currency(currency) else { throw ValidationError("no such currency: \(currency)") }
        guard let money = Money(amount, currency: known), money.minorUnits > 0 else {
            throw ValidationError("not an amount of \(known.code): \(amount)")
        }
        guard !item.isEmpty, item.utf8.count <= 200 else {
            throw ValidationError("what is sold has up to 200 bytes")
        }
        guard (1...IdempotencyKey.longestOrder).contains(order?.utf8.count ?? 1) else {
            throw ValidationError("an order's name has 1 to \(IdempotencyKey.longestOrder) bytes")
        }
        guard name.utf8.count <= SourceParams.longestMetadata else {
            throw ValidationError("a till's name has up to \(SourceParams.longestMetadata) bytes")
        }
        guard [patience, approval, timeout, wait ?? 1].allSatisfy((1...3600).contains) else {
            throw ValidationError("seconds are between 1 and 3600")
        }
        try receipt.check(json: json)
        guard wallet == nil || headless else { throw ValidationError("--wallet goes with --headless") }
        guard !headless || wallet != nil || !noReader else {
            throw ValidationError("--headless needs a reader or --wallet")
        }
    }

    static func main() async {
        process_needs_proc("till", TillResult.Outcome.notBegun.exitStatus)
        await main(nil)
    }

    @MainActor
    func run() async throws {
        Console.openMissing()
        // Card numbers are typed here: no core files, nobody attaches.
        if !process_forbid_dumps() {
            Console.line("till: the kernel does not let us forbid core files", to: 2)
        }
        signal(SIGPIPE, SIG_IGN)
        let folder = try journalFolder()
        let (journal, problem) = Self.journal(in: folder)
        let context = try context(journal)
        let result: TillResult
        if let problem { result = context.result(.notBegun, problem) } else { result = await run(context) }
        // What nobody was told stays written down.
        if json ? Console.line(result.json) : Console.words(result.words(context.screen)) {
            context.acknowledge(result)
        }
        receipt.write(result, context)
        throw ExitCode(result.outcome.exitStatus)
    }

    @MainActor
    private func run(_ context: TillContext) async -> TillResult {
        // Before anybody is asked for a card.
        if let result = await SettlingNews.settle(context) { return result }
        if headless { return await HeadlessTill(context, wallet: wallet).run() }
        if isatty(STDIN_FILENO) == 1, Screen.hasControl, let terminal = Terminal(output: screenOutput()) {
            SettlingNews.isShown.store(false, ordering: .relaxed)
            let result = await ScreenTill(context, terminal).run()
            terminal.restore()
            return result
        }
        let unseen = UnseenInput()
        let result = await LineTill(context, prompts: unseen != nil).run()
        unseen?.restore()
        return result
    }

    /// With --json, or standard output going elsewhere, the form is on standard error; with both elsewhere, on the
    /// terminal itself.
    private func screenOutput() -> Int32 {
        if !json, isatty(STDOUT_FILENO) == 1 { return STDOUT_FILENO }
        if isatty(STDERR_FILENO) == 1 { return STDERR_FILENO }
        return open("/dev/tty", O_WRONLY | O_CLOEXEC)
    }

    /// - Parameter journal: where payments are written down.
    private func context(_ journal: any PaymentJournal) throws -> TillContext {
        guard let currency = Currency(currency), let price = Money(amount, currency: currency) else {
            throw ValidationError("not an amount: \(amount)")
        }
        let tip = try later.tip(currency)
        let amount = try later.total(price, tip)
        guard let service = service ?? Screen.variable("TILL_SERVICE") else {
            throw ValidationError("where is the payment service? Give --service or set TILL_SERVICE")
        }
        // Not an option: other users see a process's arguments.
        guard let key = Screen.variable("TILL_KEY") else {
            throw ValidationError("set TILL_KEY to the merchant's key")
        }
        let apiKey: APIKey = key.hasPrefix("skey_") ? .secretKey(key) : .publicKey(key)
        let socket = socket ?? Screen.variable("SWIPED_SOCKET") ?? SwipeClient.defaultPath
        let policy = PaymentPolicy(
            pollTimeout: .seconds(patience), redirectTimeout: .seconds(approval),
            othersTimeout: .seconds(patience + Self.othersSeconds))
        let gateway = try gateway(service)
        let text = ScreenText(hasUnicode: Screen.hasUnicode)
        return TillContext(
            item: item, amount: amount, tip: tip, capture: later.time,
            locale: MoneyLocale(locale ?? Screen.moneyLocale), order: order,
            service: service, wantsJSON: json, socket: noReader || wallet != nil ? nil : socket,
            reader: reader,
            swipeNeedsCode: swipeNeedsCode, chipCards: chip.rule, tillName: name,
            wait: wait.map { .seconds($0) }, screen: text,
            desk: PaymentDesk(apiKey, gateway: gateway, journal: journal, policy: policy) {
                SettlingNews.tell($0, text)
            },
            options: PaymentMachineOptions(
                currency: currency, swipeNeedsCode: swipeNeedsCode, chipCards: chip.rule, policy: policy,
                journal: journal),
            sale: SaleKey(service: gateway.service, order: order, description: item, amount: amount))
    }

    /// A till that waits for another one gives it more time than that takes itself.
    private static let othersSeconds = 30

    private func journalFolder() throws -> String {
        guard let folder = journal ?? Screen.variable("TILL_JOURNAL") ?? Screen.stateFolder else {
            throw ValidationError("where may payments be written down? Give --journal or set TILL_JOURNAL")
        }
        return folder
    }

    /// The journal; where there is none, one that is never used, and why.
    private static func journal(in folder: String) -> (any PaymentJournal, PaymentError?) {
        do throws(PaymentJournalError) { return (try FileJournal(folder: folder), nil) } catch {
            return (MemoryJournal(), .journalUnreadable(folder))
        }
    }

    private func gateway(_ service: String) throws -> HTTPGateway {
        do throws(GatewayError) {
            return try HTTPGateway(
                HTTPGatewayConfiguration(
                    address: service, additionalTrust: trust, answerTimeout: .seconds(timeout)))
        } catch {
            throw ValidationError(error.message)
        }
    }
}
