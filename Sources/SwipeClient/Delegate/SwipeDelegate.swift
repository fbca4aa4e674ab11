public import SwipeProtocol

/// What happens at readers, told to an object: the shape that mobile swipe SDKs have, for code that was written for
/// one.
///
/// All methods are optional. They are called one after the other, never two at once, in the order in which things
/// happened, on no particular thread. For each reader that order is: connected, activated, ready, swiped …, unready,
/// deactivated, disconnected; a reader that is there when the controller starts begins with connected, too.
///
/// | here | mobile swipe SDK |
/// |---|---|
/// | ``didSwipeCard(_:device:)`` | `didSwipeCard:device:` |
/// | ``deviceBecameReadyForSwipe(_:)`` | `deviceBecameReadyForSwipe:` |
/// | ``deviceBecameUnreadyForSwipe(_:reason:)`` | `deviceBecameUnreadyForSwipe:reason:` |
/// | ``deviceConnected(_:)`` | `deviceConnected:` |
/// | ``deviceDisconnected(_:)`` | `deviceDisconnected:` |
/// | ``deviceActivationFinished(_:result:)`` | `deviceActivationFinished:result:` |
/// | ``deviceDeactivated(_:)`` | `deviceDeactivated:` |
/// | ``deviceAutodetectStarted()`` | `deviceAutodetectStarted` |
/// | ``deviceAutodetectComplete(_:)`` | `deviceAutodetectComplete:` |
/// | ``deviceCommunicationTestComplete(_:answered:)`` | `ipsCommunicationTestCompleteWithResult:` and the Enterprise one |
/// | ``devicePrompts(_:_:)``, ``devicePromptClosed(_:id:)`` | alerts that the SDK shows by itself |
public protocol SwipeDelegate: AnyObject, Sendable {
    /// A card was swiped; nil where nothing of it could be read.
    func didSwipeCard(_ card: SwipedCard?, device: SwipeDevice)
    /// From now on a swipe leads to ``didSwipeCard(_:device:)``.
    func deviceBecameReadyForSwipe(_ device: SwipeDevice)
    /// Swipes are not read any more; with `refreshing` only for a moment.
    func deviceBecameUnreadyForSwipe(_ device: SwipeDevice, reason: UnreadyCause)
    /// A reader was plugged in, or is there already.
    func deviceConnected(_ device: SwipeDevice)
    /// A reader was pulled out.
    func deviceDisconnected(_ device: SwipeDevice)
    /// An attempt to power a reader up ended: look at the result.
    func deviceActivationFinished(_ device: SwipeDevice, result: ActivationOutcome)
    /// A reader was powered down.
    func deviceDeactivated(_ device: SwipeDevice)
    /// The type of an audio reader is being found out.
    func deviceAutodetectStarted()
    /// The search for the type ended.
    func deviceAutodetectComplete(_ result: AutodetectResult)
    /// A reader answered a test of the communication, or did not within 5 seconds.
    func deviceCommunicationTestComplete(_ device: SwipeDevice, answered: Bool)
    /// Show this to people; a question waits for ``SwipeDevice/answer(_:_:)``.
    func devicePrompts(_ device: SwipeDevice, _ prompt: Prompt)
    /// A prompt is over, answered or not: show it no longer.
    func devicePromptClosed(_ device: SwipeDevice, id: String)
    /// The connection to the daemon ended for good, and nothing more will be told. Mobile SDKs have no such thing:
    /// there the readers' code is in the same process.
    func swipeControllerFailed(_ error: SwipeClientError)
}

extension SwipeDelegate {
    /// Does nothing.
    public func didSwipeCard(_ card: SwipedCard?, device: SwipeDevice) {}
    /// Does nothing.
    public func deviceBecameReadyForSwipe(_ device: SwipeDevice) {}
    /// Does nothing.
    public func deviceBecameUnreadyForSwipe(_ device: SwipeDevice, reason: UnreadyCause) {}
    /// Does nothing.
    public func deviceConnected(_ device: SwipeDevice) {}
    /// Does nothing.
    public func deviceDisconnected(_ device: SwipeDevice) {}
    /// Does nothing.
    public func deviceActivationFinished(_ device: SwipeDevice, result: ActivationOutcome) {}
    /// Does nothing.
    public func deviceDeactivated(_ device: SwipeDevice) {}
    /// Does nothing.
    public func deviceAutodetectStarted() {}
    /// Does nothing.
    public func deviceAutodetectComplete(_ result: AutodetectResult) {}
    /// Does nothing.
    public func deviceCommunicationTestComplete(_ device: SwipeDevice, answered: Bool) {}
    /// Does nothing: a question that nobody answers counts as declined when its time is over.
    public func devicePrompts(_ device: SwipeDevice, _ prompt: Prompt) {}
    /// Does nothing.
    public func devicePromptClosed(_ device: SwipeDevice, id: String) {}
    /// Does nothing.
    public func swipeControllerFailed(_ error: SwipeClientError) {}
}
