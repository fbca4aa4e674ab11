import Glibc
import ReaderKit
import SystemPackage

/// An event device of the kernel's that is a keyboard (linux/input.h).
struct EventKeyboard: ~Copyable, KeySource {
    /// Events that are fetched at once.
    private static let batch = 64
    /// `struct input_event`: seconds, microseconds, type, code, value.
    private static let eventBytes = 24
    private static let synchronization: UInt16 = 0
    private static let key: UInt16 = 1
    private static let report: UInt16 = 0
    private static let dropped: UInt16 = 3

    // _IOC(direction, 'E', number, size): direction 1 writes, 2 reads.
    /// EVIOCGRAB.
    private static let grabRequest: UInt = 1 << 30 | 4 << 16 | 0x45 << 8 | 0x90
    /// EVIOCSCLOCKID, by which events have the times of a clock that only goes on.
    private static let clockRequest: UInt = 1 << 30 | 4 << 16 | 0x45 << 8 | 0xA0
    /// EVIOCGKEY: a bit for each of 768 keys.
    private static let keysBytes = 96
    private static let keysRequest: UInt = 2 << 30 | 96 << 16 | 0x45 << 8 | 0x18

    private let file: FileDescriptor
    /// Changes since the last report's end.
    private var changes: [KeyChange]
    private var isPassingBy: Bool

    // Nothing has a value before the call that may throw: the oldest compiler does not take that of one that is not copied.
    init(path: String) throws(DeviceError) {
        let opened = try Self.open(path)
        file = opened
        (changes, isPassingBy) = ([], false)
        var clock = CLOCK_MONOTONIC
        _ = ioctl(file.rawValue, Self.clockRequest, &clock)
    }

    static func open(_ path: String) throws(DeviceError) -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.nonBlocking, .closeOnExec])
        } catch {
            let code = (error as? Errno) ?? .ioError
            if code == .noSuchFileOrDirectory || code == Errno(rawValue: ENODEV) { throw .gone }
            if code == .permissionDenied || code == .notPermitted { throw .permissionDenied(detail: path) }
            throw .system(errno: code.rawValue, operation: "open")
        }
    }

    deinit { try? file.close() }

    var descriptor: Int32 { file.rawValue }

    /// Whether a key is held now.
    borrowing func isAnyKeyDown() throws(DeviceError) -> Bool {
        var bits = [UInt8](repeating: 0, count: Self.keysBytes)
        guard ioctl(file.rawValue, Self.keysRequest, &bits) >= 0 else { throw Self.failure("EVIOCGKEY") }
        return bits.contains { $0 != 0 }
    }

    /// From now on, nobody else gets a key.
    borrowing func grab() throws(DeviceError) {
        // The argument itself is the flag.
        guard ioctl(file.rawValue, Self.grabRequest, 1) >= 0 else {
            throw errno == EBUSY ? .busy(detail: "another program has grabbed it") : Self.failure("EVIOCGRAB")
        }
    }

    borrowing func release() { _ = ioctl(file.rawValue, Self.grabRequest, 0) }

    mutating func read() throws(DeviceError) -> [KeyInput] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.batch * Self.eventBytes, alignment: 8)
        defer {
            // They held a card.
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
            buffer.deallocate()
        }
        let count = Glibc.read(file.rawValue, buffer.baseAddress, buffer.count)
        guard count >= 0 else {
            if errno == EAGAIN || errno == EINTR { return [] }
            throw Self.failure("read")
        }
        var inputs: [KeyInput] = []
        for start in stride(from: 0, to: count - Self.eventBytes + 1, by: Self.eventBytes) {
            let event = UnsafeRawBufferPointer(rebasing: buffer[start..<(start + Self.eventBytes)])
            if let input = take(event) { inputs.append(input) }
        }
        return inputs
    }

    private mutating func take(_ event: UnsafeRawBufferPointer) -> KeyInput? {
        let type = event.loadUnaligned(fromByteOffset: 16, as: UInt16.self)
        let code = event.loadUnaligned(fromByteOffset: 18, as: UInt16.self)
        let time =
            Duration.seconds(event.loadUnaligned(fromByteOffset: 0, as: Int64.self))
            + .microseconds(event.loadUnaligned(fromByteOffset: 8, as: Int64.self))
        switch (type, code) {
        case (Self.synchronization, Self.dropped):
            // What stands up to the next report's end is a part of something (Documentation/input/event-codes.rst).
            (changes, isPassingBy) = ([], true)
            return KeyInput(.lost, at: time)
        case (Self.synchronization, Self.report):
            defer { (changes, isPassingBy) = ([], false) }
            return changes.isEmpty || isPassingBy ? nil : KeyInput(.keys(changes), at: time)
        case (Self.key, _):
            let value = event.loadUnaligned(fromByteOffset: 20, as: Int32.self)
            changes.append(KeyChange(code, value == 0 ? .up : value == 1 ? .down : .repeated))
            return nil
        case _: return nil
        }
    }

    private static func failure(_ operation: String) -> DeviceError {
        errno == ENODEV ? .gone : .system(errno: errno, operation: operation)
    }
}
