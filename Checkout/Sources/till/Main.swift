import ArgumentParser
import CWipingHeap
import Checkout
import CheckoutHTTP
import Glibc
import SwipeClient
import Synchronization
import TillScreen

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

    @OptionGroup var sale: SaleOptions
    @OptionGroup(title: "Card") var cards: CardOptions
    @OptionGroup(title: "Payment service") var service: ServiceOptions
    @OptionGroup(title: "Receipt") var receipt: ReceiptOptions
    @Flag(help: "Print the result as one line of JSON.") var json = false
    @Option(
        help: """
            Sell nothing: forget what is written down of this transaction, once somebody has looked it up in the payment \
            service's books. Asks for a yes.
            """)
    var forget: String?
    @OptionGroup(title: "Tip and capture") var later: CaptureOptions

    func validate() throws {
        guard forget == nil else { return }
        try sale.check()
        try receipt.check(json: json)
    }

    @MainActor
    func run() async throws {
        Console.openMissing()
        // Card numbers are typed here: no core files, nobody attaches.
        let hasNoDumps = process_forbid_dumps()
        // Before the first word on the screen: below one, nobody would find the keys that the terminal has shown.
        let unseen = forget == nil && !cards.headless ? UnseenInput() : nil
        defer { unseen?.restore() }
        if !hasNoDumps {
            Console.line("till: the kernel does not let us forbid core files", to: 2)
        }
        signal(SIGPIPE, SIG_IGN)
        let folder = try service.journalFolder()
        if let forget { throw ExitCode(ForgottenPayment.forget(TransactionID(forget), in: folder)) }
        let (journal, problem) = self.journal(in: folder)
        let context = try context(journal)
        let result: TillResult
        if let problem { result = context.result(.notBegun, problem) } else { result = await run(context) }
        // What nobody was told stays written down.
        let isTold = json ? Console.line(result.json) : Console.words(result.words(context.screen))
        receipt.write(result, context)
        // Last: who goes by the status of a till that was killed at its receipt is told by the next one.
        if isTold { context.acknowledge(result) }
        throw ExitCode(result.outcome.exitStatus)
    }

    @MainActor
    private func run(_ context: TillContext) async -> TillResult {
        // Before anybody is asked for a card.
        if let result = await SettlingNews.settle(context) { return result }
        if cards.headless { return await HeadlessTill(context, wallet: cards.wallet).run() }
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
        let price = try sale.money()
        let tip = try later.tip(price.currency)
        let amount = try later.total(price, tip)
        let address = try service.address()
        let key = try service.apiKey()
        let gateway = try service.gateway(address)
        let policy = service.policy
        let text = ScreenText(hasUnicode: Screen.hasUnicode)
        return TillContext(
            item: sale.item, amount: amount, tip: tip, capture: later.time,
            locale: MoneyLocale(sale.locale ?? Screen.moneyLocale),
            order: sale.order, service: address, wantsJSON: json, socket: cards.socketPath,
            reader: cards.reader, swipeNeedsCode: cards.swipeNeedsCode, chipCards: cards.chip.rule,
            tillName: service.tillName, wait: cards.wait.map { .seconds($0) }, screen: text,
            desk: PaymentDesk(key, gateway: gateway, journal: journal, policy: policy) {
                SettlingNews.tell($0, text)
            },
            options: PaymentMachineOptions(
                currency: amount.currency, swipeNeedsCode: cards.swipeNeedsCode, chipCards: cards.chip.rule,
                policy: policy, journal: journal),
            sale: SaleKey(
                service: gateway.service, order: sale.order, description: sale.item, amount: amount),
            start: ThisProcess.sinceBoot.flatMap { (journal as? FileJournal)?.mark(at: $0) })
    }

    /// The journal; where there is none, one that is never used, and why.
    private func journal(in folder: String) -> (any PaymentJournal, PaymentError?) {
        do throws(PaymentJournalError) { return (try service.journal(in: folder), nil) } catch {
            return (MemoryJournal(), .journalUnreadable(folder))
        }
    }
}
