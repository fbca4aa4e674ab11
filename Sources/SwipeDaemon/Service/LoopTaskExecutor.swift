import NIOCore

/// Runs tasks on an event loop, for what is on the way from a device to a client: on any other thread it would wait for that
/// thread to wake, and then for the loop to (docs/decisions/0202).
///
/// Nothing that runs here may block.
final class LoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
