package import CardData
package import Checkout

/// What a till shows: decided here, drawn by ``TillDrawing``, of which nothing is more of a card than its first six and
/// last four digits.
package struct TillModel: Sendable {
    /// A field as it is shown.
    package struct Field: Sendable, Hashable {
        package var covered = ""
        package var caret = 0
        package var isGreen = false
        package var error: String?
    }

    package enum Phase: Sendable, Hashable {
        case beginning, form, paying(String), over
    }

    package let description: String
    package let amount: String
    package let service: String
    package var phase = Phase.beginning
    package private(set) var options: FormOptions?
    /// The wallets that have a function key, F1 first.
    package var wallets: [String] { offered.map { $0.name } }
    private var offered: [(name: String, method: PaymentMethod)] = []
    package private(set) var fields: [CardComponent: Field] = [:]
    package private(set) var brand: CardBrand?
    package private(set) var swiped: String?
    package var focus = CardComponent.cardNumber
    /// Whether the cursor went on by itself, and nothing was typed since.
    private var hasJustMoved = false
    package private(set) var reader = ReaderNews.looking
    package private(set) var message = ""
    package private(set) var isMessageGood = true
    /// Whether the message is about a card that the next one takes the place of.
    private var isOfLastCard = false

    /// As many function keys as every terminal has.
    package static let mostWallets = 4

    package static let order: [CardComponent] = [.cardNumber, .expiry, .cvv]

    package init(description: String, amount: String, service: String) {
        self.description = description
        self.amount = amount
        self.service = service
    }

    package mutating func say(_ message: String, isGood: Bool) {
        self.message = message
        isMessageGood = isGood
        isOfLastCard = false
    }

    /// Says what became of a card, until the next one begins.
    private mutating func sayOfCard(_ message: String) {
        say(message, isGood: false)
        isOfLastCard = true
    }

    private mutating func nextCardBegins() {
        if isOfLastCard { say("", isGood: true) }
    }

    /// Takes what there is to say of the reader.
    package mutating func take(_ news: ReaderNews) {
        reader = news
        if case .reading = news { nextCardBegins() }
    }

    /// Moves the focus over so many fields.
    ///
    /// Whoever fills a field and presses Tab, as on any other till, is where the cursor has gone by itself already.
    package mutating func moveFocus(by step: Int) {
        if hasJustMoved, step > 0 { return hasJustMoved = false }
        let place = (Self.order.firstIndex(of: focus) ?? 0) + step
        focus = Self.order[(place % Self.order.count + Self.order.count) % Self.order.count]
    }

    /// The wallet of a function key; nil where there is none.
    package func wallet(of key: Int) -> PaymentMethod? {
        offered.indices.contains(key - 1) ? offered[key - 1].method : nil
    }

    /// A key went into the field with the focus.
    package mutating func edited() { hasJustMoved = false }

    /// Shows a field as the machine has it.
    package mutating func show(_ editor: CardFieldEditor) {
        guard swiped == nil || editor.component == .cvv else { return }
        fields[editor.component, default: Field()].covered = editor.text.covered(
            as: editor.component, isComplete: editor.isValid)
        fields[editor.component, default: Field()].caret = editor.caret
    }

    /// Takes what the machine tells.
    package mutating func take(_ event: PaymentEvent) {
        switch event {
        case .didFinishBegin(let options):
            self.options = options
            offered = options.wallets.prefix(Self.mostWallets).map { ($0.title, $0) }
            phase = .form
        case .didFailBegin(let error): end(error.message + " " + error.advice.words, isGood: false)
        case .fieldValidated(let name, let isValid):
            fields[name, default: Field()].isGreen = isValid
            if isValid { fields[name]?.error = nil }
        case .fieldError(let name, let problem): fields[name, default: Field()].error = problem.message
        case .fieldShouldUpdate(let name, let value, let caret):
            fields[name, default: Field()].error = nil
            if !value.isEmpty { nextCardBegins() }
            // A swiped card's texts are masked already; what is typed is shown by `show`.
            if swiped != nil {
                fields[name, default: Field()].covered = value.covered(as: name, isComplete: true)
            }
            if value.isEmpty { fields[name] = Field() }
            fields[name, default: Field()].caret = caret
        case .fieldShouldFocus(let name):
            hasJustMoved = name != focus
            focus = name
        case .brandChanged(let brand): self.brand = brand
        case .cardSwiped(let masked, _):
            swiped = masked ?? "encrypted"
            say("Card read: \(masked ?? "encrypted by the reader").", isGood: true)
        case .swipeRefused(let refusal): sayOfCard(refusal.message)
        case .paymentProgressed(let stage): phase = .paying(stage.words)
        case .paymentNeedsApproval(let address): say("The customer has to agree at \(address)", isGood: true)
        case .paymentDidSucceed, .paymentDidFail, .paymentMayHaveSucceeded, .paymentWasCancelled:
            takeEnd(event)
        }
    }

    /// The swiped card is not shown any more: somebody types another one.
    package mutating func forgetSwipe() { swiped = nil }

    private mutating func takeEnd(_ event: PaymentEvent) {
        switch event {
        case .paymentDidSucceed(let charge, _, _, _): end("Paid: \(amount). Charge \(charge).", isGood: true)
        case .paymentMayHaveSucceeded(let error):
            end(
                "\(error.message) It may have gone through. \(CashierAdvice.doNotChargeAgain.words)",
                isGood: false)
        case .paymentWasCancelled: end("Cancelled. Nothing was charged.", isGood: true)
        case .paymentDidFail(let error):
            phase = .form
            swiped = nil
            focus = .cardNumber
            sayOfCard("\(error.message) \(error.advice.words)")
        case .didFinishBegin, .didFailBegin, .fieldValidated, .fieldError, .fieldShouldUpdate,
            .fieldShouldFocus,
            .brandChanged, .cardSwiped, .swipeRefused, .paymentProgressed, .paymentNeedsApproval:
            break
        }
    }

    private mutating func end(_ message: String, isGood: Bool) {
        phase = .over
        say(message, isGood: isGood)
    }
}

extension PaymentMethod {
    /// What its button says.
    package var title: String {
        switch kind {
        case .creditCard: "Card"
        case .swipe: "Swipe"
        case .wallet(let name): name
        }
    }
}

extension PaymentState.Stage {
    /// What the person at the till reads meanwhile.
    package var words: String {
        switch self {
        case .preparing, .creating: "Preparing the payment"
        case .authorising: "Authorising"
        case .polling: "Waiting for the payment service"
        }
    }
}

/// What there is to say of the reader.
package enum ReaderNews: Sendable, Hashable {
    case looking
    case off
    case noDaemon
    /// The daemon ended; it is there and does not answer.
    case daemonGone, mute
    case noReader
    case denied
    case busy(String)
    case ready(String)
    case notReady(String)
    case reading(String)
    case gone(String)

    /// For a till where nothing can be typed.
    package var wordsWithoutForm: String {
        switch self {
        case .off: "not used"
        case .noDaemon: "no reader daemon, waiting for one"
        case .daemonGone: "the reader daemon is gone, waiting for it"
        case .mute: "the reader daemon does not answer, waiting for it"
        case .noReader: "none plugged in, waiting for one"
        case .denied: "the daemon does not let this user in"
        case .ready(let name): "\(name): swipe a card"
        case .gone(let name): "\(name) was unplugged, waiting for it"
        case .looking, .busy, .notReady, .reading: words
        }
    }

    /// Whether nobody can swipe a card as things are.
    package var isUseless: Bool {
        switch self {
        case .off, .noDaemon, .noReader, .denied: true
        case .looking, .busy, .ready, .notReady, .reading, .gone, .daemonGone, .mute: false
        }
    }

    package var words: String {
        switch self {
        case .looking: "looking for a reader"
        case .off: "not used: type the card"
        case .noDaemon: "no reader daemon: type the card"
        case .daemonGone: "the reader daemon is gone: type the card"
        case .mute: "the reader daemon does not answer: type the card"
        case .noReader: "none plugged in: type the card"
        case .denied: "the daemon does not let this user in: type the card"
        case .busy(let name): "\(name): used by another program"
        case .ready(let name): "\(name): swipe a card, or type it"
        case .notReady(let name): "\(name): not ready"
        case .reading(let name): "\(name): reading"
        case .gone(let name): "\(name) was unplugged: type the card"
        }
    }
}
