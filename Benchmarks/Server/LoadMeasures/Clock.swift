internal import Glibc

/// CLOCK_MONOTONIC, the same for every process of the machine.
package enum Clock {
    package static func now() -> UInt64 { read(CLOCK_MONOTONIC) }

    /// What this thread has computed so far.
    package static func thread() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

    /// Returns at that time, give or take what the kernel needs.
    package static func sleep(until time: UInt64) {
        var due = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, 1, &due, nil) == EINTR {}
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// When each event was sent, in memory that sender and readers share through a file.
package struct SendTimes {
    package let count: Int
    private let times: UnsafeMutablePointer<UInt64>

    package init?(path: String, count: Int) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = max(1, count) * MemoryLayout<UInt64>.size
        guard ftruncate(descriptor, size) == 0,
            let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            memory != MAP_FAILED
        else { return nil }
        times = memory.bindMemory(to: UInt64.self, capacity: count)
        self.count = count
    }

    package subscript(index: Int) -> UInt64 {
        get { index >= 0 && index < count ? times[index] : 0 }
        nonmutating set { if index >= 0, index < count { times[index] = newValue } }
    }
}
