import Glibc
import ReaderKit

/// An open serial line, which nobody else may use meanwhile. It is left as it was found, but for its echo.
///
/// Two locks, for there are two customs: TIOCEXCL makes every later open fail with EBUSY but root's, and flock is what programs
/// ask that know each other. Whoever had the line open before is not noticed by the first.
struct SerialPort: ~Copyable {
    let descriptor: Int32
    private let before: termios
    private let path: String

    /// ASSUMPTION: a reader's last words leave within this; at 9600 baud they take 13 ms.
    private static let drainMilliseconds = 200

    init(_ line: SerialLineConfiguration) throws(DeviceError) {
        let file = open(line.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw Self.openError(errno, line.path) }
        var before = termios()
        let obstacle = Self.obstacle(file, line, &before)
        if let obstacle {
            Glibc.close(file)
            throw obstacle
        }
        (descriptor, self.before, path) = (file, before, line.path)
    }

    private static func obstacle(
        _ file: Int32, _ line: SerialLineConfiguration, _ before: inout termios
    ) -> DeviceError? {
        guard tcgetattr(file, &before) == 0 else {
            let advice = "ls -l /dev/serial/by-id/ lists the adapters that are there"
            return .unsupported(detail: "that is no serial line; \(advice)")
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            return busy(line.path, tried: file)
        }
        _ = ioctl(file, UInt(TIOCEXCL))
        var raw = before
        cfmakeraw(&raw)
        // The reader is there without a carrier.
        raw.c_cflag |= tcflag_t(CLOCAL) | tcflag_t(CREAD)
        raw.c_cflag &= ~(tcflag_t(CRTSCTS) | tcflag_t(CSTOPB))
        raw.c_iflag &= ~(tcflag_t(IXON) | tcflag_t(IXOFF))
        if line.frame == .sevenEven {
            raw.c_cflag = raw.c_cflag & ~tcflag_t(CSIZE) | tcflag_t(CS7) | tcflag_t(PARENB)
            // A character with wrong parity is read as zero, which no text holds.
            raw.c_iflag |= tcflag_t(INPCK)
        }
        guard let speed = code(line.speed), cfsetispeed(&raw, speed) == 0, cfsetospeed(&raw, speed) == 0
        else {
            return .unsupported(detail: "\(line.path) cannot run at \(line.speed) baud")
        }
        guard tcsetattr(file, TCSANOW, &raw) == 0 else {
            return .unsupported(
                detail: "\(line.path) does not take \(line.speed) baud, \(line.frame.rawValue)")
        }
        set(file, TIOCM_DTR, line.raisesDTR)
        set(file, TIOCM_RTS, line.raisesRTS)
        // What lies there came before anybody listened.
        tcflush(file, TCIOFLUSH)
        return nil
    }

    /// A line without such wires, as a terminal of software, has nothing to set.
    private static func set(_ file: Int32, _ wire: Int32, _ isRaised: Bool) {
        var bits = wire
        _ = ioctl(file, UInt(isRaised ? TIOCMBIS : TIOCMBIC), &bits)
    }

    private static func code(_ speed: Int) -> speed_t? {
        switch speed {
        case 1200: speed_t(B1200)
        case 2400: speed_t(B2400)
        case 4800: speed_t(B4800)
        case 9600: speed_t(B9600)
        case 19_200: speed_t(B19200)
        case 38_400: speed_t(B38400)
        case 57_600: speed_t(B57600)
        case 115_200: speed_t(B115200)
        case _: nil
        }
    }

    private static func openError(_ code: Int32, _ path: String) -> DeviceError {
        switch code {
        case EACCES, EPERM:
            .permissionDenied(
                detail: "\(path): serial lines belong to the group dialout, which the unit gives the daemon; "
                    + "a daemon started by hand needs that group, or another user")
        case EBUSY: busy(path)
        case ENOENT, ENODEV, ENXIO, EIO: .gone
        case _: .system(errno: code, operation: "open")
        }
    }

    private static func busy(_ path: String, tried file: Int32? = nil) -> DeviceError {
        guard let holder = LineHolder.name(of: path, besides: file) else {
            return .busy(
                detail: "another program has it; root sees which: fuser -v \(path). Does ModemManager run?")
        }
        return .busy(detail: "\(holder) has it; end that program, or name another line")
    }

    /// What came by now; nil when nothing did.
    ///
    /// Throws ``DeviceError/gone`` after a hang-up.
    borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(DeviceError) -> Int? {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count > 0 { return count }
        if count == 0 { throw .gone }
        switch errno {
        case EAGAIN, EINTR: return nil
        case EIO, ENXIO, ENODEV, EBADF: throw .gone
        case let code: throw .system(errno: code, operation: "read")
        }
    }

    /// Writes what goes out at once.
    ///
    /// - Returns: how many bytes went.
    borrowing func write(_ bytes: [UInt8]) throws(DeviceError) -> Int {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 { return count }
        switch errno {
        case EAGAIN, EINTR: return 0
        case EIO, ENXIO, ENODEV, EBADF: throw .gone
        case let code: throw .system(errno: code, operation: "write")
        }
    }

    /// Says the last words, waits until they have left, and gives the line back.
    consuming func close(saying words: [UInt8]) {
        let count = words.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        for _ in 0..<Self.drainMilliseconds where count > 0 {
            var waiting: Int32 = 0
            guard ioctl(descriptor, UInt(TIOCOUTQ), &waiting) == 0, waiting > 0 else { break }
            usleep(1000)
        }
    }

    /// A terminal's echo sends back what a device says. An encoder that answers late would hear its own words, and `ESC y`, "I am
    /// here", is "low coercivity" among its commands: the echo stays off.
    deinit {
        var settings = before
        settings.c_lflag &= ~tcflag_t(ECHO | ECHONL)
        tcsetattr(descriptor, TCSANOW, &settings)
        _ = ioctl(descriptor, UInt(TIOCNXCL))
        Glibc.close(descriptor)
    }
}
