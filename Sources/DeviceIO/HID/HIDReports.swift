import Glibc
import ReaderKit

/// What a hidraw node gives to read: a report a call, as hidapi's own read takes it. hidapi 0.13 does not show the descriptor that
/// it reads from, and a loop needs one to wait for.
struct HIDReports: ~Copyable {
    let descriptor: Int32

    init(path: String) throws(DeviceError) {
        descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw HIDHandle.openError(errno, path) }
    }

    deinit { close(descriptor) }

    /// Reads one report, id first where the device numbers them. Zero when there is none.
    borrowing func read(into buffer: UnsafeMutableBufferPointer<UInt8>) throws(DeviceError) -> Int {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 { return count }
        if errno == EAGAIN || errno == EINTR { return 0 }
        throw HIDHandle.readError(errno)
    }
}
