import SwipeClient

/// A till with one reader.
struct Till {
    let client: SwipeClient
    let reader: String
    let show: @Sendable (String) -> Void

    func run() async throws {
        try await client.withClaim(reader) { claimed in
            for try await event in client.events([.ready, .swipe], readers: [claimed.id]) {
                switch event.body {
                case .ready: show("please swipe")
                case .swipe(let swipe): show(words(swipe))
                case .gap: show("a card may have been missed")
                default: break
                }
            }
        }
    }

    private func words(_ swipe: SwipeData) -> String {
        swipe.card?.pan?.masked ?? swipe.card?.kind.rawValue ?? "please swipe again"
    }
}
