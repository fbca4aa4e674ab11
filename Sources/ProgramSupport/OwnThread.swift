internal import Dispatch
internal import Synchronization

/// Runs what is asynchronous on the thread that asks, and begins no other: libdispatch's threads need /proc, which a chroot may lack.
final class OwnThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let count = DispatchSemaphore(value: 0)
    private let isOver = Atomic<Bool>(false)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        count.signal()
    }

    /// Returns when it has ended, and what it waited for with it.
    static func run(_ body: @escaping @Sendable () async -> Void) {
        let thread = OwnThread()
        Task(executorPreference: thread) {
            await body()
            thread.isOver.store(true, ordering: .relaxed)
        }
        while !thread.isOver.load(ordering: .relaxed) { thread.runNext() }
    }

    private func runNext() {
        count.wait()
        let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        job?.runSynchronously(on: asUnownedTaskExecutor())
    }
}
