internal import CSensitiveMemory

/// The memory that card data lives in.
package enum CardMemory {
    /// Whether all of it has been locked since the program began, so that it is never swapped out. The kernel refuses under a low
    /// RLIMIT_MEMLOCK, and 12 MiB are the most; what is not locked is wiped all the same.
    package static var isLocked: Bool { swiped_sensitive_is_locked() }
}
