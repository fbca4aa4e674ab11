import Glibc
import Synchronization

/// The signals that end a command by hand, for one that has to put something back first.
enum EndingSignal {
    /// The number of the first signal that came; 0 before that. A handler may do no more than store it.
    private static let caught = Atomic<Int32>(0)

    /// Keeps the signals from ending the process. Whoever calls this looks at ``isWanted`` often, and calls
    /// ``endIfWanted()`` once all is put back.
    static func watch() {
        // Made before a handler may look at it: what is made at the first use is made under a lock.
        caught.store(0, ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { EndingSignal.caught.store($0, ordering: .relaxed) }
        }
    }

    static var isWanted: Bool { caught.load(ordering: .relaxed) != 0 }

    /// Does something until it ends or a signal comes, which cancels it.
    static func ending(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask { while !isWanted { try await Task.sleep(for: .milliseconds(50)) } }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Ends the process by the signal that came, as its parent expects.
    static func endIfWanted() {
        let number = caught.load(ordering: .relaxed)
        if number != 0 { end(by: number) }
    }

    /// Ends the process by a signal.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        // This task may run on a thread that a device's thread woke, and those block every signal.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, number)
        pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
        raise(number)
        // Where even that does not end it: the status that a shell gives for it.
        exit(128 + number)
    }
}
