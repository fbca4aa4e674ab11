import NIOConcurrencyHelpers
import ReaderKit

/// Why an attachment is being ended: from the code that ends it to the task that runs it.
final class EndingReason: Sendable {
    private let box = NIOLockedValueBox<DetachReason>(.unplugged)

    var reason: DetachReason {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }
}
