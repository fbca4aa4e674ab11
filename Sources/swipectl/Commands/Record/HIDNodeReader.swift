import Glibc

/// Reports from a hidraw node, beside whoever else reads it: the kernel gives each of them every report.
final class HIDNodeReader: Sendable {
    /// HID_MAX_BUFFER_SIZE of the kernel.
    private static let maximumReport = 16_384
    private static let pauseMilliseconds: Int32 = 100
    /// HIDRAW_BUFFER_SIZE of the kernel: so many reports wait for each reader of a node.
    private static let maximumWaiting = 64

    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(CommandFailure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        self.path = path
        guard descriptor < 0 else { return }
        switch errno {
        case EACCES, EPERM:
            throw CommandFailure(.denied, "\(path): only the daemon's user and root may open it; try sudo")
        case let code: throw CommandFailure(.failure, "\(path): \(String(cString: strerror(code)))")
        }
    }

    deinit { close(descriptor) }

    /// The reports that wait; none where none came for a moment. Those that wait when the reader is pulled out come before the failure.
    func next() throws(CommandFailure) -> [[UInt8]] {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, Self.pauseMilliseconds) > 0 else { return [] }
        var reports: [[UInt8]] = []
        var bytes = [UInt8](repeating: 0, count: Self.maximumReport)
        while reports.count < Self.maximumWaiting {
            let count = read(descriptor, &bytes, bytes.count)
            if count > 0 {
                reports.append(Array(bytes[..<count]))
            } else if !reports.isEmpty || count < 0 && (errno == EAGAIN || errno == EINTR) {
                break
            } else {
                throw CommandFailure(.noSuchReader, "\(path) is gone")
            }
        }
        return reports
    }
}
