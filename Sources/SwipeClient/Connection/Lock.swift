internal import Glibc

/// A mutex with a condition, on the heap.
///
/// Why not `Synchronization.Mutex`: it has no condition to wait on, and thread sanitizer does not know it.
final class Lock: @unchecked Sendable {
    // Touched by pthread functions only, which is what makes them safe to share.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Lets go of the lock, which is held, until somebody calls ``wake()``.
    func wait() { pthread_cond_wait(condition, mutex) }

    func wake() { pthread_cond_broadcast(condition) }
}
