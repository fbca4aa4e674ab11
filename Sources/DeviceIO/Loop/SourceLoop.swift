import CSourcePoll
import Glibc
import Synchronization

/// What can be read from devices, told on a loop that has other work too: nothing else wakes between a device and its session
/// (docs/decisions/0207).
///
/// An event loop of NIO's takes no descriptors of others'. It waits for one of ours, which the kernel makes readable when
/// something happens to any of those that are watched.
package final class SourceLoop: @unchecked Sendable {
    /// Descriptors that wait at the same time, at most; what does not fit has a thread of its own.
    private static let capacity: UInt32 = 128

    private let poll: OpaquePointer
    /// Runs something on the loop.
    private let execute: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Has the loop watch the descriptor.
    private let watch: @Sendable (SourceLoop) -> Void
    private let hasFailed = Atomic<Bool>(false)
    // What follows is used on the loop alone.
    private var isWatched = false
    /// Who waits, by number.
    private var waiting: [UInt64: LoopWait] = [:]
    private var lastNumber: UInt64 = 0

    /// - Parameters:
    ///   - watch: called on the loop before the first wait, to watch ``wakeDescriptor()`` and to call ``turn()``, or ``fail()``.
    ///   - execute: runs what it is given on the loop, in order.
    package init(
        watch: @escaping @Sendable (SourceLoop) -> Void,
        execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) throws(DeviceLoopError) {
        guard let poll = source_poll_open(Self.capacity) else { throw DeviceLoopError(errno: errno) }
        self.poll = poll
        self.watch = watch
        self.execute = execute
    }

    /// For the loop to watch, and to close: while something can be read from it, ``turn()`` has something to do. Eight bytes,
    /// which mean nothing.
    package func wakeDescriptor() -> Int32 { source_poll_wake_descriptor(poll) }

    /// Tells who waits; what becomes ready meanwhile wakes the loop anew. On the loop.
    package func turn() {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Int(Self.capacity)) { numbers in
            var count = 0
            repeat {
                count = Int(source_poll_take(poll, numbers.baseAddress, Int32(Self.capacity)))
                for index in 0..<count { waiting.removeValue(forKey: numbers[index])?.ready() }
            } while count == Int(Self.capacity)
        }
    }

    /// The loop cannot watch. Who waits hears of it as an error, and comes again with a thread of its own. On the loop.
    package func fail() {
        hasFailed.store(true, ordering: .relaxed)
        let all = Array(waiting.values)
        for wait in all { wait.cancel() }
        for wait in all { wait.ready() }
    }

    fileprivate var isUsable: Bool { !hasFailed.load(ordering: .relaxed) }

    func run(_ body: @escaping @Sendable () -> Void) { execute(body) }

    /// 0, or an errno. On the loop.
    fileprivate func begin(_ wait: LoopWait, _ control: OpaquePointer, _ descriptor: Int32) -> Int32 {
        if !isWatched {
            isWatched = true
            watch(self)
        }
        guard isUsable else { return ENOSYS }
        // One is in the kernel once at most: it is known there by its place in memory.
        cancel(wait, control)
        lastNumber += 1
        let failure = source_wait_begin(poll, control, descriptor, lastNumber)
        if failure == 0 {
            wait.number = lastNumber
            waiting[lastNumber] = wait
        }
        return failure
    }

    fileprivate func cancel(_ wait: LoopWait, _ control: OpaquePointer) {
        guard waiting.removeValue(forKey: wait.number) != nil else { return }
        source_wait_cancel(poll, control)
    }
}

/// The kernel gives no asynchronous poll: it may be built without, or a container may forbid it.
package struct DeviceLoopError: Error {
    package var errno: Int32
}

/// Waits for one descriptor, as often as it is asked to. Made anywhere, used on the loop.
final class LoopWait: @unchecked Sendable {
    private let loop: SourceLoop
    private let control: OpaquePointer
    fileprivate var number: UInt64 = 0
    /// Called on the loop when something can be read, or the other end is gone; once for each ``begin(_:)``.
    var heard: () -> Void = {}

    /// Nil where the loop cannot watch, or memory is out.
    init?(_ loop: SourceLoop) {
        guard loop.isUsable, let control = source_wait_make() else { return nil }
        self.loop = loop
        self.control = control
    }

    deinit { source_wait_free(control) }

    /// 0, or an errno.
    func begin(_ descriptor: Int32) -> Int32 { loop.begin(self, control, descriptor) }

    /// The descriptor may be closed after it.
    func cancel() { loop.cancel(self, control) }

    fileprivate func ready() { heard() }
}
