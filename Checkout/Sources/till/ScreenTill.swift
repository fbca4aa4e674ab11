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
    /// Keys that came before there was a form.
    private var early: [Key] = []
    /// Keys of a reader that types what it reads.
    private var track = TypedTrack()
    /// Whether an input is being taken, after which the screen is drawn in any case.
    private var isTaking = false
    private var isPaying = false
    /// How many attempts have begun.
    private var attempts = 0
    private var preparer: TerminalPreparer?
    private var paying: Task<Void, Never>?
    private var watch: Task<Void, Never>?
    private var isGivenUp = false
    private var result: TillResult?
    private var latest: PaymentState?

    /// More keys than a card has are not kept while there is no form.
    private static let mostEarly = 256

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
        machine.delegate = self
        draw()
        Task {
            try? await machine.begin(
                item: context.item, amountInCents: context.amount.minorUnits, order: context.order,
                tip: context.tip, capture: context.capture)
        }
        for await news in inputs {
            isTaking = true
            take(news)
            isTaking = false
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
        case .keys(let keys): take(keys)
        case .line, .late: break
        case .reader(let news): model.take(news)
        case .swipe(let input): take(input)
        // The next attempt may have begun before this one's end was heard of.
        case .machine(.ended(let state, let attempt)): if attempt == attempts { ended(state) }
        // The form may be there by now.
        case .machine(.event), .machine(.begun): take([])
        case .resized: break
        case .stop: giveUp()
        }
    }

    /// Not earlier: a swipe that nobody is waiting for would be lost.
    private func listen(_ options: FormOptions) {
        guard options.hasSwipe else { return model.take(.off) }
        let input = input
        watch = context.watchReader { input.yield($0) }
    }

    private func take(_ input: SwipedInput) {
        guard machine.take(input.swipe) else { return }
        // Whoever swipes wants to pay; only a code that is needed is waited for.
        if !context.swipeNeedsCode { pay() }
    }

    // MARK: Keys

    /// Takes the keys of one read. Each finds the field where the one before it has left the focus: the machine says so in
    /// the same turn.
    private func take(_ keys: [Key]) {
        guard model.phase != .beginning else { return keepOrGiveUp(keys) }
        let keys = early + keys
        early = []
        if keys.count > 1, let (text, pays) = keys.wholeText, mayType, machine.fill(text, from: model.focus) {
            // What is typed next is no part of that track.
            track.end()
            if pays { pay() }
        } else {
            for key in keys { take(key) }
        }
    }

    private func keepOrGiveUp(_ keys: [Key]) {
        if keys.contains(where: { $0 == .escape || $0 == .interrupt }) { return giveUp() }
        early += keys.prefix(max(Self.mostEarly - early.count, 0))
    }

    private var mayType: Bool { model.phase == .form && !isPaying }

    private func take(_ key: Key) {
        guard mayType else {
            if key == .escape || key == .interrupt { giveUp() } else { sayThatKeysAreNotTaken() }
            return
        }
        if case .text(let text) = key { return enter(text) }
        track.end()
        switch key {
        case .escape, .interrupt: giveUp()
        case .enter: pay()
        case .tab: model.moveFocus(by: 1)
        case .backTab: model.moveFocus(by: -1)
        case .text: break
        case .paste(let text):
            if machine.fill(text, from: model.focus) { model.forgetSwipe() } else { edit { $0.type(text) } }
        case .backspace: delete { $0.deleteBackward() }
        case .delete: delete { $0.deleteForward() }
        case .function(let number): if let wallet = model.wallet(of: number) { pay(wallet) }
        case .left: edit { Self.move(&$0, by: -1) }
        case .right: edit { Self.move(&$0, by: 1) }
        case .home: edit { Self.move(&$0, by: -100) }
        case .end: edit { Self.move(&$0, by: 100) }
        }
    }

    private func enter(_ text: String) {
        switch track.take(text, afterNumber: machine.field(.cardNumber)?.isValid == true) {
        case .pass: edit { $0.type(text) }
        case .swallow: break
        case .begins:
            // Another card: no field of it stands beside one of the card before.
            model.forgetSwipe()
            machine.clear()
            model.take(.fieldShouldFocus(.cardNumber))
        case .expiry(let date):
            machine.edit(.expiry) { $0.setText(date) }
            model.take(.fieldShouldFocus(.cvv))
        }
    }

    /// What is typed while the form is being paid with is for no card that anybody has seen declined: it would be in the next
    /// one's form, and an Enter among it would pay.
    private func sayThatKeysAreNotTaken() {
        if isPaying, !isGivenUp { model.say("Wait: keys are not taken during a payment.", isGood: true) }
    }

    private static func move(_ editor: inout CardFieldEditor, by count: Int) -> CardFieldEditor.Outcome {
        editor.moveCaret(by: count)
        return .unchanged
    }

    private func edit(_ body: (inout CardFieldEditor) -> CardFieldEditor.Outcome) {
        model.edited()
        let focus = model.focus
        if machine.edit(focus, body) == .changed, focus != .cvv { model.forgetSwipe() }
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

    /// Pays with what the form holds, or with a wallet. What is wrong with the form is told before the next key is taken.
    private func pay(_ wallet: PaymentMethod? = nil) {
        guard mayType else { return }
        model.say("", isGood: true)
        guard wallet != nil || machine.check() else { return }
        isPaying = true
        attempts += 1
        let preparer = TerminalPreparer(metadata: context.metadata) { [weak self] in self?.hasGivenUp ?? true
        }
        self.preparer = preparer
        let (machine, input, attempt) = (machine, input, attempts)
        paying = Task { @MainActor in
            let end =
                if let wallet { try? await machine.pay(wallet: wallet, decoratedBy: preparer) } else {
                    try? await machine.submit(decoratedBy: preparer)
                }
            input.yield(.machine(.ended(end, attempt: attempt)))
        }
    }

    /// Asked by the preparer, which is called where the machine is: here.
    nonisolated private var hasGivenUp: Bool { MainActor.assumeIsolated { isGivenUp } }

    private func ended(_ state: PaymentState?) {
        isPaying = false
        guard let state else { return }
        latest = state
        switch state {
        case .success, .possibleSuccess, .cancelled: end(state)
        case .failure:
            // Who asked to stop gets what happened; everybody else may try another card.
            if isGivenUp { end(state) }
        case .idle, .inProgress: break
        }
    }

    private func end(_ state: PaymentState) { result = context.result(state, entry: preparer?.entry) }

    /// The first time as soon as it is certain what happened; the second time at once.
    private func giveUp() {
        guard isPaying else {
            if let latest { end(latest) } else { result = context.result(.cancelled) }
            return
        }
        if isGivenUp { return end(machine.abandon()) }
        isGivenUp = true
        machine.cancel()
        model.say(
            "Stopping, as soon as it is certain what happened. Esc again stops at once, whatever happened.",
            isGood: true)
    }
}

// MARK: What the machine says

extension ScreenTill: @MainActor PaymentMachineDelegate {
    /// In the turn of the key, the swipe or the answer that it follows from.
    func take(_ event: PaymentEvent) {
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
        if !isTaking { input.yield(.machine(.begun)) }
    }
}
