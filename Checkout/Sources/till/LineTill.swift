import CardData
import Checkout
import TillScreen

/// The till on a pipe: number, expiry date and code come as three lines, or the card is swiped; what happens is told in
/// lines, without control sequences. One attempt: a script decides itself whether to try again.
@MainActor
final class LineTill {
    private let context: TillContext
    private let machine: PaymentMachine
    private let inputs: AsyncStream<TillInput>
    private let input: AsyncStream<TillInput>.Continuation
    private var lines: [String] = []
    private var isPaying = false
    private var isGivenUp = false
    private var result: TillResult?

    init(_ context: TillContext) {
        self.context = context
        machine = context.machine()
        (inputs, input) = AsyncStream.makeStream(of: TillInput.self)
    }

    func run() async -> TillResult {
        let input = input
        say("\(context.item): \(context.sum)")
        let events = machine.events()
        let forwarding = Task { for await event in events { input.yield(.machine(.event(event))) } }
        defer { forwarding.cancel() }
        try? await machine.begin(item: context.item, amountInCents: context.amount.minorUnits)
        var watch: Task<Void, Never>?
        defer { watch?.cancel() }
        for await news in inputs {
            // Nobody is listened to before it is known whether there is anything to pay.
            if case .machine(.event(.didFinishBegin)) = news {
                InputThread.start(asKeys: false) { input.yield($0) }
                watch = context.watchReader { input.yield($0) }
            }
            take(news)
            if let result { return result }
        }
        return context.result(.cancelled)
    }

    /// Not with --json: then standard output has one line, the result.
    private func say(_ line: String) {
        if !context.wantsJSON { Console.line(line) }
    }

    private func take(_ news: TillInput) {
        switch news {
        case .keys, .resized, .machine(.begun): break
        case .line(let line): take(line)
        case .reader(let news): say("Reader: \(news.words)")
        case .swipe(let input):
            if !isPaying, machine.take(input.swipe), !context.swipeNeedsCode { pay() }
        case .machine(.event(let event)): take(event)
        case .machine(.ended(let state)):
            isPaying = false
            result =
                state.map { context.result($0) }
                ?? context.result(.notPaid, .unfit("the card is not complete"))
        case .stop: giveUp()
        }
    }

    private static let fields: [CardComponent] = [.cardNumber, .expiry, .cvv]

    private func take(_ line: String?) {
        guard let line else {
            // Nobody types any more. Without a reader nobody swipes either.
            if context.socket == nil, !isPaying { giveUp() }
            return
        }
        guard !line.allSatisfy(\.isWhitespace), !isPaying, lines.count < Self.fields.count else { return }
        let component = Self.fields[lines.count]
        lines.append("")
        machine.edit(component) { $0.setText(line) }
        if let editor = machine.field(component) {
            let shown = editor.text.covered(as: component, isComplete: editor.isValid)
            let verdict = editor.problem.map { $0.message } ?? "ok"
            say(
                "\(component.label): \(shown) \(editor.component == .cardNumber ? editor.brand?.title ?? "" : "") \(verdict)"
                    .squeezed)
        }
        if lines.count == Self.fields.count { pay() }
    }

    private func take(_ event: PaymentEvent) {
        switch event {
        case .didFailBegin(let error): result = context.result(.notBegun, error)
        case .cardSwiped(let masked, let brand):
            say("Card: \(masked ?? "encrypted by the reader") \(brand?.title ?? "")".squeezed)
        case .swipeRefused(let refusal): say(refusal.message)
        case .fieldError(let name, let problem): say("\(name.label) \(problem.message)")
        case .paymentProgressed(let stage): if stage != .creating { say("\(stage.words) ...") }
        case .paymentNeedsApproval(let address): say("The customer has to agree at \(address)")
        case .brandChanged, .didFinishBegin, .fieldValidated, .fieldShouldUpdate, .fieldShouldFocus,
            .paymentDidSucceed,
            .paymentDidFail, .paymentMayHaveSucceeded, .paymentWasCancelled:
            break
        }
    }

    private func pay() {
        isPaying = true
        let preparer = TerminalPreparer(tillName: context.tillName) { false }
        let (machine, input) = (machine, input)
        Task { @MainActor in
            let end = try? await machine.submit(decoratedBy: preparer)
            input.yield(.machine(.ended(end)))
        }
    }

    private func giveUp() {
        isGivenUp = true
        if isPaying { machine.cancel() } else { result = context.result(.cancelled) }
    }
}

extension String {
    /// Without the blanks that an empty word left.
    fileprivate var squeezed: String { split(separator: " ").joined(separator: " ") }
}
