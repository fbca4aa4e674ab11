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
    private let speed: Int

    /// ASSUMPTION: a reader's last words leave within this; at 9600 baud they take 13 ms.
    private static let drainMilliseconds = 200
    /// CMSPAR, which Glibc's header hides from Swift.
    private static let stickParity: tcflag_t = 0o10_000_000_000
    /// TIOCGEXCL: `_IOR('T', 0x40, int)`.
    private static let getExclusive: UInt = 0x8004_5440
    /// Of the kernel's list of devices: Unix98 pseudo-terminals.
    private static let pseudoMajors: ClosedRange<UInt64> = 136...143

    init(_ line: SerialLineConfiguration) throws(DeviceError) {
        let file = open(line.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw Self.openError(errno, line.path) }
        var before = termios()
        let obstacle = Self.obstacle(file, line, &before)
        if let obstacle {
            Glibc.close(file)
            throw obstacle
        }
        (descriptor, self.before, path, speed) = (file, before, line.path, line.speed)
    }

    private static func obstacle(
        _ file: Int32, _ line: SerialLineConfiguration, _ before: inout termios
    ) -> DeviceError? {
        guard tcgetattr(file, &before) == 0 else {
            let advice = "ls -l /dev/serial/by-id/ lists the adapters that are there"
            return .unsupported(detail: "that is no serial line; \(advice)")
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0, !isTaken(file) else {
            return busy(line.path, tried: file)
        }
        _ = ioctl(file, UInt(TIOCEXCL))
        if let refusal = set(file, line, before) {
            tcsetattr(file, TCSANOW, &before)
            _ = ioctl(file, UInt(TIOCNXCL))
            return refusal
        }
        set(file, TIOCM_DTR, line.raisesDTR)
        set(file, TIOCM_RTS, line.raisesRTS)
        // What lies there came before anybody listened.
        tcflush(file, TCIOFLUSH)
        return nil
    }

    /// Another program's TIOCEXCL, which the kernel does not hold against root.
    private static func isTaken(_ file: Int32) -> Bool {
        var isExclusive: Int32 = 0
        return ioctl(file, getExclusive, &isExclusive) == 0 && isExclusive != 0
    }

    private static func set(
        _ file: Int32, _ line: SerialLineConfiguration, _ before: termios
    ) -> DeviceError? {
        guard var raw = settings(line, before) else {
            return .unsupported(detail: "\(line.path) cannot run at \(line.speed) baud")
        }
        let refusal = DeviceError.unsupported(
            detail: "\(line.path) does not take \(line.speed) baud, \(line.frame.rawValue)")
        guard tcsetattr(file, TCSANOW, &raw) == 0 else { return refusal }
        // tcsetattr succeeds where any of it was taken.
        var taken = termios()
        guard tcgetattr(file, &taken) == 0 else { return refusal }
        return isPseudo(file) || isAlike(raw, taken) ? nil : refusal
    }

    /// What a line is to be set to; nil where there is no such speed.
    static func settings(_ line: SerialLineConfiguration, _ before: termios) -> termios? {
        var raw = before
        cfmakeraw(&raw)
        // The reader is there without a carrier.
        raw.c_cflag |= tcflag_t(CLOCAL) | tcflag_t(CREAD)
        raw.c_cflag &= ~(tcflag_t(CRTSCTS) | tcflag_t(CSTOPB) | tcflag_t(PARODD) | stickParity)
        raw.c_iflag &= ~(tcflag_t(IXON) | tcflag_t(IXOFF) | tcflag_t(INPCK) | tcflag_t(IGNPAR))
        if line.frame == .sevenEven {
            raw.c_cflag = raw.c_cflag & ~tcflag_t(CSIZE) | tcflag_t(CS7) | tcflag_t(PARENB)
            // A character with wrong parity is read as zero, which no text holds.
            raw.c_iflag |= tcflag_t(INPCK)
        }
        guard let speed = code(line.speed), cfsetispeed(&raw, speed) == 0, cfsetospeed(&raw, speed) == 0
        else { return nil }
        return raw
    }

    /// Whether bytes come as they are meant to with these settings as with those.
    static func isAlike(_ one: termios, _ other: termios) -> Bool {
        let frame =
            tcflag_t(CSIZE) | tcflag_t(PARENB) | tcflag_t(PARODD) | stickParity | tcflag_t(CSTOPB)
            | tcflag_t(CRTSCTS)
        let input = tcflag_t(INPCK) | tcflag_t(IGNPAR) | tcflag_t(ISTRIP) | tcflag_t(ICRNL) | tcflag_t(INLCR)
        let local = tcflag_t(ICANON) | tcflag_t(ECHO)
        var (one, other) = (one, other)
        return one.c_cflag & frame == other.c_cflag & frame && one.c_iflag & input == other.c_iflag & input
            && one.c_lflag & local == other.c_lflag & local && cfgetospeed(&one) == cfgetospeed(&other)
    }

    /// A terminal of software has neither bits nor parity, and says so.
    private static func isPseudo(_ file: Int32) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && pseudoMajors.contains(UInt64(status.st_rdev) >> 8 & 0xFFF)
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
        let isOwn = holder == LineHolder.ownName
        let advice = isOwn ? "name another line in one of the two" : "end that program, or name another line"
        return .busy(detail: "\(holder) has it; \(advice)")
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
            guard ioctl(descriptor, UInt(TIOCOUTQ), &waiting) == 0, waiting > 0 else {
                // What an adapter has taken still goes out of it, at the speed that is set now.
                usleep(UInt32(10 * 1_000_000 * count / max(speed, 1)))
                return
            }
            usleep(1000)
        }
        // A line that takes nothing would hold close(2) for half a minute.
        tcflush(descriptor, TCOFLUSH)
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
