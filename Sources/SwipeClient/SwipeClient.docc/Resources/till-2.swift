import SwipeClient

/// A till with one reader.
struct Till {
    let client: SwipeClient
    let reader: String
    let show: @Sendable (String) -> Void

    func run() async throws {
        for try await event in client.events([.swipe], readers: [reader]) {
            if case .swipe = event.body { show("a card was swiped") }
        }
    }
}
