import CardData
import Checkout
import TillScreen

/// The till on a pipe: number, expiry date and code come as three lines, or the card is swiped; what happens is told in
/// lines, without control sequences. One attempt: a script decides itself whether to try again.
@MainActor
final class LineTill {
    private let context: TillContext
    /// Whether somebody types the lines who is to be asked for them.
    private let prompts: Bool
    private let machine: PaymentMachine
    private let inputs: AsyncStream<TillInput>
    private let input: AsyncStream<TillInput>.Continuation
    private var watch: Task<Void, Never>?
    private var reader = ReaderNews.looking
    /// Lines that came before it was known whether there is anything to pay; nil for the end.
    private var early: [String?] = []
    private var isReady = false
    private var filled = 0
    private var isAtEnd = false
    private var preparer: TerminalPreparer?
    private var paying: Task<Void, Never>?
    private var isGivenUp = false
    private var result: TillResult?

    /// Number, expiry date and code: what comes behind them is not read.
    private static let fields: [CardComponent] = [.cardNumber, .expiry, .cvv]

    init(_ context: TillContext, prompts: Bool) {
        self.context = context
        self.prompts = prompts
        machine = context.machine(isScripted: !prompts)
        (inputs, input) = AsyncStream.makeStream(of: TillInput.self)
    }

    func run() async -> TillResult {
        let (machine, context, input) = (machine, context, input)
        say("\(context.item): \(context.sum)")
        InputThread.start(asKeys: false) { input.yield($0) }
        let events = machine.events()
        let forwarding = Task { for await event in events { input.yield(.machine(.event(event))) } }
        defer {
            forwarding.cancel()
            watch?.cancel()
        }
        Task {
            try? await machine.begin(
                item: context.item, amountInCents: context.amount.minorUnits, order: context.order,
                tip: context.tip, capture: context.capture)
        }
        for await news in inputs {
            take(news)
            if let result { return result.naming(machine.record) }
        }
        return context.result(.cancelled)
    }

    /// Not with --json: then standard output has one line, the result.
    private func say(_ line: String) {
        if !context.wantsJSON { Console.words(context.screen.plain(line.squeezed)) }
    }

    private func prompt() {
        guard prompts, paying == nil, filled < Self.fields.count else { return }
        Console.line("\(Self.fields[filled].label)?", to: 2)
    }

    private func take(_ news: TillInput) {
        switch news {
        case .keys, .resized, .machine(.begun): break
        case .line(let line): if isReady { take(line) } else { keep(line) }
        case .reader(let news): take(news)
        case .swipe(let input):
            if paying == nil, machine.take(input.swipe), !context.swipeNeedsCode { pay() }
        case .machine(.event(let event)): take(event)
        case .machine(.ended(let state, _)):
            result =
                state.map { context.result($0, entry: preparer?.entry) }
                ?? context.result(.notPaid, .incompleteCard)
        case .late: if paying == nil { stop() }
        case .stop: stop()
        }
    }

    // MARK: Lines

    private func keep(_ line: String?) {
        if early.count <= Self.fields.count { early.append(line) }
    }

    private func take(_ line: String?) {
        guard let line else {
            isAtEnd = true
            return endOfLines()
        }
        guard !line.allSatisfy(\.isWhitespace), paying == nil, filled < Self.fields.count else { return }
        let component = Self.fields[filled]
        // A whole card in one line, or a field.
        let isFilled = machine.fill(line, from: component)
        if !isFilled { machine.edit(component) { $0.setText(line) } }
        let new =
            isFilled
            ? Self.fields[filled...].prefix { machine.field($0)?.text.isEmpty == false } : [component]
        filled += new.count
        for component in new { show(component) }
        if filled == Self.fields.count { pay() } else { prompt() }
    }

    private func show(_ component: CardComponent) {
        guard let editor = machine.field(component) else { return }
        let shown = editor.text.covered(as: component, isComplete: editor.isValid)
        let brand = component == .cardNumber ? editor.brand?.title ?? "" : ""
        say("\(component.label): \(shown) \(brand) \(editor.problem?.message ?? "ok")")
    }

    /// Nobody types any more. Half a card is none; where nobody can swipe either, nobody is there.
    private func endOfLines() {
        guard isAtEnd, paying == nil else { return }
        if filled > 0 { pay() } else if reader.isUseless { stop() }
    }

    private func take(_ news: ReaderNews) {
        reader = news
        say("Reader: \(isAtEnd ? news.wordsWithoutForm : news.words)")
        endOfLines()
    }

    // MARK: The machine

    private func take(_ event: PaymentEvent) {
        switch event {
        case .didFinishBegin(let options): begin(options)
        case .didFailBegin(let error): result = context.result(.notBegun, error)
        case .cardSwiped(let masked, let brand):
            say("Card: \(masked ?? "encrypted by the reader") \(brand?.title ?? "")")
        case .swipeRefused(let refusal): say(refusal.message)
        case .fieldError(let name, let problem): say("\(name.label) \(problem.message)")
        case .paymentProgressed(let stage): if stage != .creating { say("\(stage.words) ...") }
        case .paymentNeedsApproval(let address): say("The customer has to agree at \(address)")
        case .brandChanged, .fieldValidated, .fieldShouldUpdate, .fieldShouldFocus, .paymentDidSucceed,
            .paymentDidFail, .paymentMayHaveSucceeded, .paymentWasCancelled:
            break
        }
    }

    private func begin(_ options: FormOptions) {
        isReady = true
        let input = input
        if options.hasSwipe { watch = context.watchReader { input.yield($0) } } else { reader = .off }
        context.waitForCard { input.yield($0) }
        prompt()
        for line in early { take(line) }
        early = []
    }

    private func pay() {
        let preparer = TerminalPreparer(metadata: context.metadata) { false }
        self.preparer = preparer
        let (machine, input) = (machine, input)
        paying = Task { @MainActor in
            let end = try? await machine.submit(decoratedBy: preparer)
            input.yield(.machine(.ended(end, attempt: 1)))
        }
    }

    /// The first time as soon as it is certain what happened; the second time at once.
    private func stop() {
        guard paying != nil else { return result = context.result(.cancelled) }
        if isGivenUp { return result = context.result(machine.abandon(), entry: preparer?.entry) }
        isGivenUp = true
        machine.cancel()
    }
}

extension String {
    /// Without the blanks that an empty word left.
    fileprivate var squeezed: String { split(separator: " ").joined(separator: " ") }
}
