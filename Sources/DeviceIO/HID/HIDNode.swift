import Glibc
import ReaderKit

/// A device's node, which is opened only while it is that device's.
///
///     /dev/hidraw3      /sys/class/hidraw/hidraw3 -> ../../devices/…/0003:0801:0011.0007/hidraw/hidraw3
///
/// The kernel gives a number out again as soon as it is free, and udev's `remove` may be late or lost: the node of a reader
/// that went may be another's by then. sysfs is asked before the open and after it. A syspath has the instance of the
/// HID device in it, or that of the input, which never comes again: who is there both times was there in between, and is who was
/// opened.
struct HIDNode: Sendable {
    /// udev may tell of a node while another program still looks at it, and a signal may end an open: a few tries, each after
    /// a pause.
    private static let openAttempts = 4
    private static let openPauseMicroseconds: UInt32 = 50_000

    let path: String
    /// Whose it has to be.
    let syspath: String

    init(_ device: DeviceIdentity) {
        path = device.node
        syspath = device.syspath
    }

    /// Opens the node, again where what is in the way may pass; blocks for up to 150 ms more than an open.
    ///
    /// Throws ``DeviceError/gone`` where the node is another device's, or nobody's.
    func openPatiently() throws(DeviceError) -> HIDHandle {
        try Self.patiently(pause: { usleep(Self.openPauseMicroseconds) }, open)
    }

    /// The same for reading its reports.
    func openForReading() throws(DeviceError) -> HIDReports {
        try Self.patiently(pause: { usleep(Self.openPauseMicroseconds) }) { () throws(DeviceError) in
            try check()
            let reports = try HIDReports(path: path)
            try check()
            return reports
        }
    }

    /// The same of a keyboard whose reports are read as they are.
    func openReports(number: UInt8?) throws(DeviceError) -> ReportKeyboard {
        try Self.patiently(pause: { usleep(Self.openPauseMicroseconds) }) { () throws(DeviceError) in
            try check()
            let keyboard = try ReportKeyboard(path: path, number: number)
            try check()
            return keyboard
        }
    }

    /// The same of a keyboard that is an event device.
    func openKeys() throws(DeviceError) -> EventKeyboard {
        try Self.patiently(pause: { usleep(Self.openPauseMicroseconds) }) { () throws(DeviceError) in
            try check()
            let keyboard = try EventKeyboard(path: path)
            try check()
            return keyboard
        }
    }

    /// The same with any opener and any pause.
    static func patiently<Handle: ~Copyable>(
        pause: () -> Void, _ open: () throws(DeviceError) -> Handle
    ) throws(DeviceError) -> Handle {
        for _ in 1..<openAttempts {
            do throws(DeviceError) {
                return try open()
            } catch {
                guard mayPass(error) else { throw error }
                pause()
            }
        }
        return try open()
    }

    private static func mayPass(_ error: DeviceError) -> Bool {
        switch error {
        case .busy, .timedOut, .suspended, .system: true
        case .gone, .permissionDenied, .refused, .closed, .unsupported: false
        case .volumeTooLow, .playbackMissing, .mixerMissing: false
        }
    }

    func open() throws(DeviceError) -> HIDHandle {
        try check()
        let handle = try HIDHandle(path: path)
        try check()
        return handle
    }

    private func check() throws(DeviceError) {
        guard let owner = Self.target(Self.link(path)), Self.isLink(owner, to: syspath) else { throw .gone }
    }

    /// Where sysfs says whose a node is.
    static func link(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return "/sys/class/\(path.hasPrefix("/dev/input/") ? "input" : "hidraw")/\(name)"
    }

    /// Whether a link in /sys/class leads to a syspath.
    static func isLink(_ target: String, to syspath: String) -> Bool {
        var rest = target[...]
        while rest.hasPrefix("../") { rest = rest.dropFirst(3) }
        return syspath == "/sys/" + rest
    }

    private static func target(_ link: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(link, start, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
