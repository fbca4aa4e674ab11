import SwipeClient

/// A name for the class beside the function below, which stands in for its initializer.
private typealias Client = SwipeClient

/// The README's Swift client. A test compares the loop with the page.
enum ReadmeLines {
    static func run(socket: String, print: (String) -> Void) async throws {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        func SwipeClient() -> Client { .init(path: socket) }
        for try await event in SwipeClient().events([.swipe]) {
            if case .swipe(let swipe) = event.body {
                print(swipe.card?.pan?.masked ?? swipe.card?.kind.rawValue ?? "unreadable")
            }
        }
    }
}
