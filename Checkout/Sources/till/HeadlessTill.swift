import CardData
import Checkout
import CheckoutHTTP
import SwipeClient
import TillScreen

/// The till without a form: pays once with the card of the next swipe, or with a wallet, by the headless preparer.
struct HeadlessTill {
    let context: TillContext
    /// The wallet to pay with; nil for the next swipe.
    let wallet: String?

    func run() async -> TillResult {
        let request = TransactionRequest(
            description: context.item, amount: context.amount,
            apiKey: context.key.hasPrefix("skey_") ? .secretKey(context.key) : .publicKey(context.key))
        let transaction: Transaction
        do throws(GatewayError) {
            transaction = try await context.gateway.openTransaction(request, key: IdempotencyKey())
        } catch {
            return context.result(.notBegun, .gateway(error))
        }
        guard let preparer = await preparer() else { return context.result(.cancelled) }
        preparer.onRedirect = { address in
            Console.line("The customer has to agree at \(address)", to: 2)
        }
        let payment = Payment(transaction, gateway: context.gateway, policy: context.policy)
        guard let end = try? await payment.pay(preparedBy: preparer) else {
            return context.result(.cancelled)
        }
        return context.result(end)
    }

    private func preparer() async -> HeadlessPreparer? {
        let metadata = ["till": context.tillName]
        if let wallet { return HeadlessPreparer(wallet: wallet, metadata: metadata) }
        guard let card = await nextCard() else { return nil }
        return HeadlessPreparer(card: card, metadata: metadata)
    }

    /// The next card that is swiped and can pay; nil when the till is told to stop.
    private func nextCard() async -> CardDetails? {
        let (inputs, input) = AsyncStream.makeStream(of: TillInput.self)
        InputThread.start(asKeys: false) { if case .stop = $0 { input.yield($0) } }
        let watch = context.watchReader { input.yield($0) }
        defer { watch?.cancel() }
        let today = TillContext.today()
        for await news in inputs {
            switch news {
            case .swipe(let swiped):
                do throws(SwipeRefusal) {
                    switch try SwipedCard(swiped.swipe, today: today) {
                    case .clear(let card): return CardDetails(.swiped(card, cvv: nil))
                    case .encrypted(let swipe): return CardDetails(.encrypted(swipe))
                    }
                } catch {
                    Console.line(error.message, to: 2)
                }
            case .reader(let news): if !context.wantsJSON { Console.line("Reader: \(news.words)", to: 2) }
            case .stop: return nil
            case .keys, .line, .machine, .resized: break
            }
        }
        return nil
    }
}
