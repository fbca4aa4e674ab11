import SwipeClient

/// A till with one reader.
struct Till {
    let client: SwipeClient
    let reader: String
    let show: @Sendable (String) -> Void

    func run() async throws {
        do {
            try await client.withClaim(reader) { claimed in
                for try await event in claimed.events([.ready, .swipe, .disconnect]) {
                    switch event.body {
                    case .ready: show("please swipe")
                    case .swipe(let swipe): show(words(swipe))
                    case .disconnect: show("plug the reader in")
                    case .gap: show("a card may have been missed")
                    default: break
                    }
                }
            }
        } catch let error as SwipeClientError where error.code == .claimLost {
            show("another program has the reader")
        }
    }

    private func words(_ swipe: SwipeData) -> String {
        swipe.card?.pan?.masked ?? swipe.card?.kind.rawValue ?? "please swipe again"
    }
}
