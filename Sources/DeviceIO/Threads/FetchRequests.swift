/// Tasks that wait until a reading thread has fetched what the kernel holds by now.
final class FetchRequests: Sendable {
    private struct State {
        var waiters: [CheckedContinuation<Void, Never>] = []
        var hasEnded = false
    }

    private let state = Guarded(State())

    /// Of a task: returns once the thread has found nothing left to fetch, or has ended.
    ///
    /// - Parameter wake: lets the thread look.
    func wait(wake: () -> Void) async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            let hasEnded = state.change { state -> Bool in
                if !state.hasEnded { state.waiters.append(waiter) }
                return state.hasEnded
            }
            if hasEnded { waiter.resume() } else { wake() }
        }
    }

    /// Of the thread: how many wait, before it looks.
    var count: Int { state.change { $0.waiters.count } }

    /// Of the thread: it has looked, and there was nothing.
    func answer(_ count: Int) {
        let answered = state.change { state -> [CheckedContinuation<Void, Never>] in
            let first = Array(state.waiters.prefix(count))
            state.waiters.removeFirst(first.count)
            return first
        }
        for waiter in answered { waiter.resume() }
    }

    /// Of the thread: it looks no more.
    func end() {
        state.change { $0.hasEnded = true }
        answer(count)
    }
}
