/// Tells a delegate what happens at the readers, as the controller of a mobile swipe SDK does.
///
/// ```swift
/// final class Till: SwipeDelegate {
///     func didSwipeCard(_ card: SwipedCard?, device: SwipeDevice) {
///         print(card?.maskedCardNumber ?? "please swipe again")
///     }
/// }
///
/// let till = Till()
/// let controller = SwipeController(delegate: till)
/// ```
///
/// The delegate is not kept alive. The controller works until it is let go of or ``stop()`` is called, over
/// interruptions and restarts of the daemon.
public final class SwipeController: Sendable {
    /// The connection, for what the delegate's shape does not have: claims, counters, settings.
    public let client: SwipeClient
    private let roster = DeviceRoster()
    private let task: Task<Void, Never>

    /// Begins to tell the delegate; readers that are there already first.
    ///
    /// - Parameters:
    ///   - delegate: whom to tell.
    ///   - client: a connection to share; a new one by default.
    public init(delegate: any SwipeDelegate, client: SwipeClient = SwipeClient()) {
        self.client = client
        task = Task { [roster, weak delegate] in
            do throws(SwipeClientError) {
                let stream = client.events()
                while let event = try await stream.nextArrival()?.event {
                    guard let delegate, !Task.isCancelled else { return }
                    roster.tell(delegate, event, client)
                }
            } catch {
                delegate?.swipeControllerFailed(error)
            }
        }
    }

    deinit { task.cancel() }

    /// The readers that are connected now.
    public var devices: [SwipeDevice] { roster.devices }

    /// Tells nothing more.
    public func stop() { task.cancel() }
}
