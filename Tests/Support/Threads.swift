import Glibc

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs what blocks on a thread of its own, and returns at once.
package func startThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
    pthread_create(&thread, nil, start, Unmanaged.passRetained(ThreadBody(body)).toOpaque())
    pthread_detach(thread)
}

/// Runs what blocks on a thread of its own: those of the pool are needed by the tests' tasks.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in startThread { continuation.resume(returning: body()) } }
}
