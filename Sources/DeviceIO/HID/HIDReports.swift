// poll(2): where a program is compiled as a whole, the compiler takes its types from the ALSA header.
import CALSA
import Glibc
import ReaderKit
import UnixIO

/// The reports of a device, from a descriptor of hidraw's own: hidapi 0.13 shows none to wait for, and would look five times a
/// second whether its thread is to end.
struct HIDReports: ~Copyable {
    private let descriptor: Int32

    init(path: String) throws(DeviceError) {
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw HIDHandle.openError(errno, path) }
        self.init(descriptor: descriptor)
    }

    /// An open one that does not block, to be closed with this.
    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Waits until there is a report, the device is gone, or the pipe wakes it; for as long as it takes.
    ///
    /// - Returns: whether there is something to read.
    borrowing func wait(_ wakePipe: WakePipe) throws(DeviceError) -> Bool {
        var polled = [descriptor, wakePipe.readEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&polled, nfds_t(polled.count), -1) < 0 {
            guard errno == EINTR else { throw .system(errno: errno, operation: "poll") }
        }
        // Of a device that is gone the last reports may still wait; behind them comes an error.
        if polled[0].revents & Int16(POLLIN) != 0 { return true }
        guard polled[0].revents == 0 else { throw .gone }
        return false
    }

    /// Reads one report, id first where the device numbers them. Zero where there is none.
    borrowing func read(into buffer: UnsafeMutableBufferPointer<UInt8>) throws(DeviceError) -> Int {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count > 0 { return count }
        guard count < 0 else { throw .gone }
        if errno == EAGAIN || errno == EINTR { return 0 }
        throw HIDHandle.readError(errno, "read")
    }
}
