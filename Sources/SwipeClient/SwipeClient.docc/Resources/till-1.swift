import SwipeClient

/// A till with one reader.
struct Till {
    let client: SwipeClient
    let reader: String
    let show: @Sendable (String) -> Void
}
