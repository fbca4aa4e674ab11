import NIOConcurrencyHelpers

/// Does one piece of work after the other, in the order in which they were asked for.
final class OneAtATime<Output: Sendable>: Sendable {
    /// The last that was asked for; the next one begins when it has ended.
    private let last = NIOLockedValueBox<Task<Output, Never>?>(nil)

    func run(_ work: @escaping @Sendable () async -> Output) async -> Output {
        let task = last.withLockedValue { last in
            let previous = last
            let task = Task {
                _ = await previous?.value
                return await work()
            }
            last = task
            return task
        }
        return await task.value
    }
}
