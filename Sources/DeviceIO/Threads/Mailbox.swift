import ReaderKit

/// A bounded queue from a blocking thread to one task.
///
/// Why not AsyncStream: its buffer either grows or drops without a word; here the thread sees that there is no
/// room, and waits (answers, hot-plug events) or loses the element. What was lost is counted, with its place in the order.
final class Mailbox<Element: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Result<Element, DeviceError>, Never>

    private struct State {
        /// Each with the number of those lost before it.
        var queue: [(element: Element, lostBefore: Int)] = []
        var waiter: Waiter?
        var end: DeviceError?
        var accepted = 0
        var lost = 0
        var lostBeforeLast = 0
        /// Somebody who can offer again found no room.
        var hasRefused = false
    }

    private enum Handover {
        case handed(Waiter)
        case queued, full, ended
    }

    private let state = Guarded(State())
    private let capacity: Int

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Whether it takes nothing more.
    var hasEnded: Bool { state.change { $0.end != nil } }
    /// How many elements were handed over.
    var accepted: Int { state.change { $0.accepted } }
    /// How many were offered and found no room.
    var lost: Int { state.change { $0.lost } }
    /// How many of these were offered before the element that ``next()`` gave last.
    var lostBeforeLast: Int { state.change { $0.lostBeforeLast } }

    /// Hands over without waiting. False when there is no room, which is counted, or when the mailbox has ended.
    func offer(_ element: Element) -> Bool {
        let handover = state.change { state -> Handover in
            if let handover = place(element, in: &state) { return handover }
            state.lost += 1
            return .full
        }
        return act(on: handover, element)
    }

    enum Offer {
        case taken, full, ended
    }

    /// Hands over without waiting and without losing: who finds no room offers again once ``takeRefusal()`` has told of it.
    func offerAgain(_ element: Element) -> Offer {
        let handover = state.change { state -> Handover in
            if let handover = place(element, in: &state) { return handover }
            state.hasRefused = true
            return .full
        }
        if act(on: handover, element) { return .taken }
        if case .full = handover { return .full }
        return .ended
    }

    /// Whether somebody found no room since the last call.
    func takeRefusal() -> Bool {
        state.change { state in
            defer { state.hasRefused = false }
            return state.hasRefused
        }
    }

    /// Hands over, blocking the calling thread until there is room. False when the mailbox has ended.
    func deliver(_ element: Element) -> Bool {
        act(on: state.wait { place(element, in: &$0) }, element)
    }

    private func place(_ element: Element, in state: inout State) -> Handover? {
        if state.end != nil { return .ended }
        if let waiter = state.waiter {
            state.waiter = nil
            state.accepted += 1
            state.lostBeforeLast = state.lost
            return .handed(waiter)
        }
        guard state.queue.count < capacity else { return nil }
        state.accepted += 1
        state.queue.append((element, state.lost))
        return .queued
    }

    private func act(on handover: Handover, _ element: Element) -> Bool {
        switch handover {
        case .handed(let waiter):
            waiter.resume(returning: .success(element))
            return true
        case .queued: return true
        case .full, .ended: return false
        }
    }

    /// Nothing more comes. What is queued is still read, then `error`. The first end stays.
    func finish(_ error: DeviceError) { end(error, discarding: false) }

    /// Nothing more is wanted: what is queued is dropped, and whoever waits gets ``DeviceError/closed``.
    func close() { end(.closed, discarding: true) }

    private func end(_ error: DeviceError, discarding: Bool) {
        let (waiter, end) = state.change { state -> (Waiter?, DeviceError) in
            if discarding {
                state.queue.removeAll()
                state.end = error
            }
            let end = state.end ?? error
            state.end = end
            defer { state.waiter = nil }
            return (state.waiter, end)
        }
        waiter?.resume(returning: .failure(end))
    }

    /// The next element, in order. Throws the error that ended the mailbox, or ``DeviceError/closed`` when the
    /// calling task is cancelled.
    func next() async throws(DeviceError) -> Element {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                if let now = take(orWait: continuation) { continuation.resume(returning: now) }
            }
        } onCancel: {
            close()
        }
        return try result.get()
    }

    private func take(orWait continuation: Waiter) -> Result<Element, DeviceError>? {
        state.change { state in
            if !state.queue.isEmpty {
                let next = state.queue.removeFirst()
                state.lostBeforeLast = next.lostBefore
                return .success(next.element)
            }
            if let end = state.end { return .failure(end) }
            guard state.waiter == nil else { return .failure(.busy(detail: "two tasks read one device")) }
            state.waiter = continuation
            return nil
        }
    }
}
