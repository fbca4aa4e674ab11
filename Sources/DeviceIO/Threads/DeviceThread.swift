import Glibc
import ReaderKit

/// A detached thread of our own, for calls that block.
///
/// Why threads: hidapi shows no descriptor for what it may wait for, libasound and the kernel hold a call for seconds, and a task
/// that blocks takes one of the few threads that every other task needs.
enum DeviceThread {
    /// libasound's plugins put periods on the stack; 512 KiB is several times what was seen. The default of 8 MiB
    /// would be locked in memory by `mlockall`.
    private static let stackBytes = 512 * 1024

    private final class Body {
        let pulse: ThreadPulse
        let run: @Sendable (ThreadPulse) -> Void
        init(name: String, run: @escaping @Sendable (ThreadPulse) -> Void) {
            pulse = ThreadPulse(name: name)
            self.run = run
        }
    }

    /// Starts `run` on a thread that no signal is delivered to: handlers belong to the main program.
    ///
    /// - Parameter run: gives a sign of life each turn; ``DeviceThreads`` tells of a thread that does not.
    static func start(
        _ name: String, _ run: @escaping @Sendable (ThreadPulse) -> Void
    ) throws(DeviceError) {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        defer {
            pthread_attr_destroy(attributes)
            attributes.deallocate()
        }
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(attributes, stackBytes)

        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let body = Unmanaged.passRetained(Body(name: name, run: run))
        var thread = pthread_t()
        let failure = pthread_create(&thread, attributes, Self.main, body.toOpaque())
        guard failure == 0 else {
            body.release()
            throw .system(errno: failure, operation: "pthread_create")
        }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        argument in
        guard let argument else { return nil }
        let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        setName(body.pulse.name)
        DeviceThreads.enter(body.pulse)
        body.run(body.pulse)
        DeviceThreads.leave(body.pulse)
        return nil
    }

    /// What `ps -L` and a debugger show; the kernel cuts it to 15 bytes. A failure costs nothing but the name.
    /// Through /proc, because `pthread_setname_np` is a GNU extension that Swift's Glibc module does not show.
    private static func setName(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, name, name.utf8.count)
        Glibc.close(file)
    }
}
