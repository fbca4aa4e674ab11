import Checkout
import Glibc
import TillScreen

/// The till on a terminal: a form that is typed into, a reader that is listened to, one payment.
@MainActor
final class ScreenTill {
    private let context: TillContext
    private let terminal: Terminal
    private let machine: PaymentMachine
    private var model: TillModel
    private var drawing: TillDrawing
    private let inputs: AsyncStream<TillInput>
    private let input: AsyncStream<TillInput>.Continuation
    private var isPaying = false
    private var paying: Task<Void, Never>?
    private var watch: Task<Void, Never>?
    private var isGivenUp = false
    private var result: TillResult?
    private var latest: PaymentState?

    init(_ context: TillContext, _ terminal: Terminal) {
        self.context = context
        self.terminal = terminal
        machine = context.machine()
        model = TillModel(description: context.item, amount: context.sum, service: context.service)
        drawing = TillDrawing(
            hasColour: Screen.hasColour, hasUnicode: context.screen.hasUnicode,
            columns: terminal.columns, rows: terminal.rows)
        (inputs, input) = AsyncStream.makeStream(of: TillInput.self)
    }

    func run() async -> TillResult {
        let input = input
        InputThread.start(asKeys: true) { input.yield($0) }
        defer { watch?.cancel() }
        let events = machine.events()
        let forwarding = Task { for await event in events { input.yield(.machine(.event(event))) } }
        defer { forwarding.cancel() }
        draw()
        Task {
            try? await machine.begin(
                item: context.item, amountInCents: context.amount.minorUnits, order: context.order)
            input.yield(.machine(.begun))
        }
        for await news in inputs {
            take(news)
            if let result { return result.naming(machine.record) }
            draw()
        }
        return context.result(.cancelled)
    }

    private func draw() {
        (drawing.columns, drawing.rows) = (terminal.columns, terminal.rows)
        for component in TillModel.order { machine.field(component).map { model.show($0) } }
        let (lines, cursor) = drawing.draw(model)
        terminal.show(lines, cursor: cursor)
    }

    private func take(_ news: TillInput) {
        switch news {
        case .keys(let keys): for key in keys { take(key) }
        case .line, .late: break
        case .reader(let news): model.reader = news
        case .swipe(let input): take(input)
        case .machine(.event(let event)): take(event)
        case .machine(.ended(let state)): ended(state)
        case .machine(.begun): break
        case .resized: break
        case .stop: giveUp()
        }
    }

    private func take(_ event: PaymentEvent) {
        model.take(event)
        switch event {
        case .didFinishBegin(let options): listen(options)
        case .didFailBegin(let error): result = context.result(.notBegun, error)
        // The next card; before anybody sees the message and types.
        case .paymentDidFail:
            machine.clear()
            isPaying = false
        case .fieldValidated, .fieldError, .fieldShouldUpdate, .fieldShouldFocus, .brandChanged, .cardSwiped,
            .swipeRefused, .paymentProgressed, .paymentNeedsApproval, .paymentDidSucceed,
            .paymentMayHaveSucceeded, .paymentWasCancelled:
            break
        }
    }

    /// Not earlier: a swipe that nobody is waiting for would be lost.
    private func listen(_ options: FormOptions) {
        guard options.hasSwipe else { return model.reader = .off }
        let input = input
        watch = context.watchReader { input.yield($0) }
    }

    private func take(_ input: SwipedInput) {
        guard machine.take(input.swipe) else { return }
        // Whoever swipes wants to pay; only a code that is needed is waited for.
        if !context.swipeNeedsCode { pay() }
    }

    // MARK: Keys

    private func take(_ key: Key) {
        guard model.phase == .form else {
            if key == .escape || key == .interrupt { giveUp() }
            return
        }
        switch key {
        case .escape, .interrupt: giveUp()
        case .enter: pay()
        case .tab: model.moveFocus(by: 1)
        case .backTab: model.moveFocus(by: -1)
        case .text(let text): edit { $0.type(text) }
        case .backspace: delete { $0.deleteBackward() }
        case .delete: delete { $0.deleteForward() }
        case .function(let number): if let wallet = model.wallet(of: number) { pay(wallet) }
        case .left: edit { Self.move(&$0, by: -1) }
        case .right: edit { Self.move(&$0, by: 1) }
        case .home: edit { Self.move(&$0, by: -100) }
        case .end: edit { Self.move(&$0, by: 100) }
        }
    }

    private static func move(_ editor: inout CardFieldEditor, by count: Int) -> CardFieldEditor.Outcome {
        editor.moveCaret(by: count)
        return .unchanged
    }

    private func edit(_ body: (inout CardFieldEditor) -> CardFieldEditor.Outcome) {
        model.edited()
        if machine.edit(model.focus, body) == .changed, model.focus != .cvv { model.forgetSwipe() }
    }

    /// Deletes; of a swiped card, all of it.
    private func delete(_ body: (inout CardFieldEditor) -> CardFieldEditor.Outcome) {
        if model.focus != .cvv, model.swiped != nil {
            model.forgetSwipe()
            machine.clearSwipe()
        }
        edit(body)
    }

    // MARK: Paying

    /// Pays with what the form holds, or with a wallet.
    private func pay(_ wallet: PaymentMethod? = nil) {
        guard !isPaying, model.phase == .form else { return }
        isPaying = true
        model.say("", isGood: true)
        let preparer = TerminalPreparer(metadata: context.metadata) { [weak self] in self?.hasGivenUp ?? true
        }
        let (machine, input) = (machine, input)
        paying = Task { @MainActor in
            let end =
                if let wallet { try? await machine.pay(wallet: wallet, decoratedBy: preparer) } else {
                    try? await machine.submit(decoratedBy: preparer)
                }
            input.yield(.machine(.ended(end)))
        }
    }

    /// Asked by the preparer, which is called where the machine is: here.
    nonisolated private var hasGivenUp: Bool { MainActor.assumeIsolated { isGivenUp } }

    private func ended(_ state: PaymentState?) {
        isPaying = false
        guard let state else { return }
        latest = state
        switch state {
        case .success, .possibleSuccess, .cancelled: result = context.result(state)
        case .failure:
            // Who asked to stop gets what happened; everybody else may try another card.
            if isGivenUp { result = context.result(state) }
        case .idle, .inProgress: break
        }
    }

    /// The first time as soon as it is certain what happened; the second time at once.
    private func giveUp() {
        guard isPaying else {
            return result = latest.map { context.result($0) } ?? context.result(.cancelled)
        }
        if isGivenUp { return result = context.result(machine.abandon()) }
        isGivenUp = true
        machine.cancel()
        model.say(
            "Stopping, as soon as it is certain what happened. Esc again stops at once, whatever happened.",
            isGood: true)
    }
}
