internal import CWipingHeap
internal import Glibc

/// What keeps cards in a program whose heap is that of CWipingHeap.
package enum CardKeeping {
    /// The signals that Swift's runtime catches for reports of a crash (SWIFT_BACKTRACE, docs/Backtracing.rst of the Swift project):
    /// registers and the memory that they point to, for one.
    private static let reported = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT]

    /// No core file, no debugger, no report of a crash with what registers and memory held, no card left in freed memory.
    package static func begin() {
        // The kernel ends the process at once instead. systemd notes the signal and starts the service again.
        if wiping_heap_is_at_work() { for number in reported { signal(number, SIG_DFL) } }
        if !process_forbid_dumps() { Console.complain("the kernel does not let us forbid core files") }
        if !wiping_heap_is_at_work() {
            Console.complain("built with a sanitizer: freed memory is not wiped")
        }
    }
}
