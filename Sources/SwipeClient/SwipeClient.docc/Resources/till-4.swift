import SwipeClient

/// A till with one reader.
struct Till {
    let client: SwipeClient
    let reader: String
    let show: @Sendable (String) -> Void

    func run() async throws {
        try await client.withClaim(reader) { claimed in
            for try await event in claimed.events([.swipe]) {
                if case .swipe(let swipe) = event.body { show(words(swipe)) }
            }
        }
    }

    private func words(_ swipe: SwipeData) -> String {
        swipe.card?.pan?.masked ?? swipe.card?.kind.rawValue ?? "please swipe again"
    }
}
