internal import SwipeProtocol

/// The readers that a delegate knows of, and what it has been told of each.
final class DeviceRoster: Sendable {
    private let lock = Lock()
    private nonisolated(unsafe) var known: [String: SwipeDevice] = [:]

    var devices: [SwipeDevice] { lock.locked { known.values.sorted { $0.id < $1.id } } }

    /// Tells the delegate what follows from an event.
    func tell(_ delegate: any SwipeDelegate, _ event: Event, _ client: SwipeClient) {
        if case .connect(let info) = event.body { return meet(info, delegate, client) }
        if case .update(let info) = event.body { return update(info, client) }
        if case .gap(_, _, let reason) = event.body, reason == .restart || reason == .ring {
            // What happened meanwhile is not known; the readers that are there follow, as if just plugged in.
            return devices.forEach { lose($0, delegate) }
        }
        if case .autodetectStart = event.body { return delegate.deviceAutodetectStarted() }
        if case .autodetectComplete(let result) = event.body {
            return delegate.deviceAutodetectComplete(result)
        }
        guard let device = event.reader.flatMap({ id in lock.locked { known[id] } }) else { return }
        tell(delegate, event.body, device)
    }

    private func tell(_ delegate: any SwipeDelegate, _ body: EventBody, _ device: SwipeDevice) {
        switch body {
        case .activate(let result, _):
            device.change { $0.isActivated = result == .success }
            delegate.deviceActivationFinished(device, result: result)
        case .ready:
            device.change { $0.isReadyForSwipe = true }
            delegate.deviceBecameReadyForSwipe(device)
        case .unready(let reason, _):
            device.change { $0.isReadyForSwipe = false }
            delegate.deviceBecameUnreadyForSwipe(device, reason: reason)
        case .deactivate:
            device.change { $0.isActivated = false }
            delegate.deviceDeactivated(device)
        case .swipe(let swipe): delegate.didSwipeCard(SwipedCard(swipe), device: device)
        case .disconnect: lose(device, delegate)
        case .testComplete(let answered, _):
            delegate.deviceCommunicationTestComplete(device, answered: answered)
        case .prompt(let prompt): delegate.devicePrompts(device, prompt)
        case .promptClosed(let id, _, _): delegate.devicePromptClosed(device, id: id)
        // A delegate has no call for the others.
        default: break
        }
    }

    /// What is known of a reader became more. After a search for the type this is all that tells of it: nothing of
    /// power and readiness was said meanwhile, and the delegate looks at the three conditions.
    private func update(_ info: ReaderInfo, _ client: SwipeClient) {
        let device = lock.locked {
            let device = known[info.id] ?? SwipeDevice(info, client: client)
            known[info.id] = device
            return device
        }
        device.change { state in
            state.info = info
            state.isActivated = info.isActivated
            state.isReadyForSwipe = info.isReadyForSwipe
        }
    }

    /// A reader is there. One that the delegate has not heard of comes with all that has happened to it already.
    private func meet(_ info: ReaderInfo, _ delegate: any SwipeDelegate, _ client: SwipeClient) {
        if let device = lock.locked({ known[info.id] }) {
            guard device.info.attachment != info.attachment else { return device.change { $0.info = info } }
            // It was pulled out and plugged in again while nobody listened.
            lose(device, delegate)
        }
        let device = SwipeDevice(info, client: client)
        lock.locked { known[info.id] = device }
        delegate.deviceConnected(device)
        switch info.state {
        case .active: tell(delegate, .activate(.success), device)
        case .ready, .reading:
            tell(delegate, .activate(.success), device)
            tell(delegate, .ready(expiresAt: info.expiresAt), device)
        case .connected, .activating, .autodetecting, .suspended, .failed, .unsupported: break
        }
    }

    /// The way out leads back through the way in, also where its steps were missed.
    private func lose(_ device: SwipeDevice, _ delegate: any SwipeDelegate) {
        if device.isReadyForSwipe { tell(delegate, .unready(.disconnected), device) }
        if device.isActivated { tell(delegate, .deactivate(.disconnected), device) }
        device.change { $0.isConnected = false }
        lock.locked { known[device.id] = nil }
        delegate.deviceDisconnected(device)
    }
}
