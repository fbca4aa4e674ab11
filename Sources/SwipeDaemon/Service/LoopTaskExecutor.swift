import NIOConcurrencyHelpers
import NIOCore

/// Runs tasks on an event loop, for what is on the way from a device to a client: on any other thread it would wait for that
/// thread to wake, and then for the loop to (docs/decisions/0202).
///
/// Nothing that runs here may block. A loop of NIO's goes on for as long as it is given something to do, and looks at its sockets only
/// then; a session that has more inputs gives it the next one as it yields. So what is to be done is done in slices, with a
/// look at the sockets in between (docs/decisions/0210).
final class LoopTaskExecutor: TaskExecutor {
    /// How long sockets may wait for what is to be done; a single job may take longer.
    static let slice = TimeAmount.milliseconds(1)
    /// So much later the loop has looked at its sockets: what is due by the time that it asks for the next task, it would do before.
    private static let pause = TimeAmount.microseconds(250)

    private struct Waiting {
        var jobs = CircularBuffer<UnownedJob>()
        /// The loop knows that there are some.
        var isDue = false
    }

    private let loop: any EventLoop
    private let waiting = NIOLockedValueBox(Waiting())

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isNew = waiting.withLockedValue { waiting -> Bool in
            waiting.jobs.append(job)
            defer { waiting.isDue = true }
            return !waiting.isDue
        }
        if isNew { loop.execute { self.turn() } }
    }

    private func turn() {
        let end = NIODeadline.now() + Self.slice
        repeat {
            guard let job = next() else { return }
            job.runSynchronously(on: asUnownedTaskExecutor())
        } while NIODeadline.now() < end
        loop.scheduleTask(in: Self.pause) { self.turn() }
    }

    private func next() -> UnownedJob? {
        waiting.withLockedValue { waiting in
            let job = waiting.jobs.popFirst()
            waiting.isDue = job != nil
            return job
        }
    }
}
