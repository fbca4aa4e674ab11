import Glibc
import Synchronization
import UnixIO

/// A serial line of software: what is at the far end, a test says.
package final class PseudoTerminal: Sendable {
    package struct Failure: Error { package var operation: String }

    /// From asm-generic/ioctls.h; Swift does not import macros with types in them.
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    private let master: Atomic<Int32>
    /// What a program opens.
    package let path: String

    package init() throws {
        let file = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(operation: "open") }
        var (lock, number): (Int32, Int32) = (0, 0)
        guard ioctl(file, Self.unlock, &lock) == 0, ioctl(file, Self.number, &number) == 0 else {
            close(file)
            throw Failure(operation: "ioctl")
        }
        master = Atomic(file)
        path = "/dev/pts/\(number)"
    }

    deinit { hangUp() }

    package func send(_ bytes: [UInt8]) {
        let file = master.load(ordering: .acquiring)
        _ = Whole.write(bytes, to: file)
    }

    /// What came from the near end within that time; nil after a hang-up, and while nobody has it open.
    package func next(milliseconds: Int32) -> [UInt8]? {
        let file = master.load(ordering: .acquiring)
        var polled = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        guard file >= 0, poll(&polled, 1, milliseconds) >= 0 else { return nil }
        guard polled.revents & Int16(POLLIN) != 0 else { return polled.revents == 0 ? [] : nil }
        var chunk = [UInt8](repeating: 0, count: 256)
        let count = read(file, &chunk, chunk.count)
        return count > 0 ? Array(chunk.prefix(count)) : nil
    }

    /// Blocks until that many bytes came from the near end; fewer when nothing comes for ten seconds.
    package func heard(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = next(milliseconds: 10_000), !more.isEmpty else { break }
            bytes += more
        }
        return bytes
    }

    /// The far end goes: an unplug, or a hang-up.
    package func hangUp() {
        let file = master.exchange(-1, ordering: .acquiringAndReleasing)
        if file >= 0 { close(file) }
    }
}
