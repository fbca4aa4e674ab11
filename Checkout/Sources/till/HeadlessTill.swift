import CardData
import Checkout
import CheckoutHTTP
import SwipeClient
import TillScreen

/// The till without a form: pays once with the card of the next swipe, or with a wallet, by the headless preparer.
@MainActor
final class HeadlessTill {
    private let context: TillContext
    /// The wallet to pay with; nil for the next swipe.
    private let wallet: String?
    private let inputs: AsyncStream<TillInput>
    private let input: AsyncStream<TillInput>.Continuation
    private var watch: Task<Void, Never>?
    private var payment: Payment?
    private var chips: ChipCheck
    /// How the card came that is paid with.
    private var entry: String?
    private var paying: Task<Void, Never>?
    private var isGivenUp = false
    private var result: TillResult?

    init(_ context: TillContext, wallet: String?) {
        self.context = context
        self.wallet = wallet
        chips = ChipCheck(context.chipCards)
        (inputs, input) = AsyncStream.makeStream(of: TillInput.self)
    }

    func run() async -> TillResult {
        let input = input
        InputThread.start(asKeys: false) { if case .stop = $0 { input.yield($0) } }
        Task { await begin() }
        defer { watch?.cancel() }
        for await news in inputs {
            take(news)
            if let result { return result.naming(payment?.record) }
        }
        return context.result(.cancelled)
    }

    private func begin() async {
        do throws(PaymentError) {
            let begun = try await context.desk.begin(
                context.item, amount: context.amount, order: context.order, tip: context.tip,
                capture: context.capture, decided: context.start)
            guard result == nil else { return }
            payment = begun
        } catch {
            return end(context.result(.notBegun, error))
        }
        if let wallet {
            entry = "wallet"
            return pay(HeadlessPreparer(wallet: wallet, metadata: metadata))
        }
        let input = input
        watch = context.watchReader { input.yield($0) }
        context.waitForCard { input.yield($0) }
    }

    private func take(_ news: TillInput) {
        switch news {
        case .swipe(let swiped): take(swiped.swipe)
        case .reader(let news): say("Reader: \(news.wordsWithoutForm)")
        case .stop: stop()
        case .late: if paying == nil { stop() }
        case .machine(.ended(let state, _)):
            result = state.map { context.result($0, entry: entry) } ?? context.result(.cancelled)
        case .keys, .line, .machine, .resized: break
        }
    }

    private func say(_ line: String) { Console.words(context.screen.plain(line), to: 2) }

    private func take(_ swipe: SwipeData) {
        guard paying == nil else { return }
        do throws(SwipeRefusal) {
            let swiped = try SwipedCard(swipe)
            try chips.check(swiped)
            let card = CardDetails(swiped)
            entry = card.entry.rawValue
            payment?.isWantedNow()
            pay(HeadlessPreparer(card: card, metadata: metadata))
        } catch {
            say(error.message)
        }
    }

    private var metadata: [String: String] {
        context.metadata.merging(entry.map { ["entry": $0] } ?? [:]) { _, new in new }
    }

    private func pay(_ preparer: HeadlessPreparer) {
        guard paying == nil, let payment else { return }
        let (screen, input) = (context.screen, input)
        preparer.onRedirect = { Console.words(screen.plain("The customer has to agree at \($0)"), to: 2) }
        paying = Task { @MainActor in
            let end = try? await payment.pay(preparedBy: preparer)
            input.yield(.machine(.ended(end, attempt: 1)))
        }
    }

    /// The first time as soon as it is certain what happened; the second time at once.
    private func stop() {
        guard paying != nil, let payment else { return end(context.result(.cancelled)) }
        if isGivenUp { return end(context.result(payment.abandon(), entry: entry)) }
        isGivenUp = true
        payment.cancel()
        say("Stopping, as soon as it is certain what happened.")
    }

    private func end(_ result: TillResult) {
        self.result = result
        input.yield(.machine(.begun))
    }
}
