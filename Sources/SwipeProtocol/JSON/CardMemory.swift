internal import CSensitiveMemory

/// The memory that card data lives in.
package enum CardMemory {
    /// Whether the kernel has locked it, so that it is never swapped out. It refuses under a low RLIMIT_MEMLOCK; the
    /// memory is wiped and left out of core dumps all the same.
    package static var isLocked: Bool { swiped_sensitive_is_locked() }
}
