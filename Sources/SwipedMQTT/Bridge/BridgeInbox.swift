internal import Synchronization

/// What the bridge is told and has not looked at yet.
///
/// Of everything but these there is never much: messages from whoever may write to the broker, which are dropped where too many wait,
/// and the daemon's events, which wait in its socket then.
final class BridgeInbox: Sendable {
    let inputs: AsyncStream<BridgeInput>
    private let continuation: AsyncStream<BridgeInput>.Continuation
    private let waiting = Atomic<Int>(0)

    static let maximum = 1_024

    init() { (inputs, continuation) = AsyncStream<BridgeInput>.makeStream() }

    var isFull: Bool { waiting.load(ordering: .relaxed) >= Self.maximum }

    func tell(_ input: BridgeInput) {
        guard !isFull || Self.isNeeded(input) else { return }
        waiting.add(1, ordering: .relaxed)
        continuation.yield(input)
    }

    /// One was looked at.
    func taken() { waiting.subtract(1, ordering: .relaxed) }

    private static func isNeeded(_ input: BridgeInput) -> Bool {
        switch input {
        case .tick, .broker(connection: _, .received): false
        case .broker(connection: _, .connected), .broker(connection: _, .lost),
            .broker(connection: _, .settled),
            .broker(connection: _, .subscriptionRefused):
            true
        case .daemonConnected, .daemonLost, .daemonUnsuited, .event, .readers, .statistics, .answered, .stop:
            true
        }
    }
}
