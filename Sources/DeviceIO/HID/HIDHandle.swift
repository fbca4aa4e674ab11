import CHIDAPI
import Glibc
import ReaderKit

/// One open hidapi device. Owned and used by one thread: hidapi 0.13 frees and replaces the text of the last error
/// in every call, so that two threads on one handle free it twice.
struct HIDHandle: ~Copyable {
    /// `hid_open_path` also replaces a text that the whole process shares.
    private static let openLock = Guarded(())

    private let device: OpaquePointer

    init(path: String) throws(DeviceError) {
        let (device, code) = Self.openLock.change { _ -> (OpaquePointer?, Int32) in
            errno = 0
            return (hid_open_path(path), errno)
        }
        guard let device else { throw Self.openError(code, path) }
        self.device = device
    }

    deinit { hid_close(device) }

    /// `report` starts with the id, or with zero.
    borrowing func setFeature(_ report: [UInt8]) throws(DeviceError) {
        try check(hid_send_feature_report(device, report, report.count), "hid_send_feature_report")
    }

    /// The feature report without its id; empty where the device has nothing to say.
    borrowing func getFeature(id: UInt8, length: Int) throws(DeviceError) -> [UInt8] {
        var report = [id] + [UInt8](repeating: 0, count: length)
        let count = try check(hid_get_feature_report(device, &report, report.count), "hid_get_feature_report")
        return Array(report.prefix(count).dropFirst())
    }

    borrowing func write(_ report: [UInt8]) throws(DeviceError) {
        try check(hid_write(device, report, report.count), "hid_write")
    }

    @discardableResult
    private borrowing func check(_ result: Int32, _ operation: String) throws(DeviceError) -> Int {
        if result >= 0 { return Int(result) }
        throw Self.commandError(errno, operation)
    }

    /// Source for the codes: the kernel's hidraw and usbhid, seen on a real kernel.
    static func openError(_ code: Int32, _ path: String) -> DeviceError {
        switch code {
        case EACCES, EPERM:
            .permissionDenied(
                detail: "\(path): the udev rule 70-swiped.rules gives it to user and group swiped; "
                    + "is the rule installed, and does the daemon run as that user?")
        case ENOENT, ENODEV, ENXIO: .gone
        case EBUSY: .busy(detail: path)
        case _: .system(errno: code, operation: "open")
        }
    }

    static func readError(_ code: Int32, _ operation: String) -> DeviceError {
        switch code {
        case EIO, ENODEV, ENXIO, ESHUTDOWN: .gone
        case _: .system(errno: code, operation: operation)
        }
    }

    /// A USB stall is EPIPE. A mute device is ETIMEDOUT from usbhid after 5 s, EIO from uhid: whether an EIO means
    /// that the device is gone is for the reading thread to find out.
    private static func commandError(_ code: Int32, _ operation: String) -> DeviceError {
        switch code {
        case EPIPE: .refused
        case ETIMEDOUT, EIO: .timedOut
        case ENODEV, ENXIO, ESHUTDOWN: .gone
        case _: .system(errno: code, operation: operation)
        }
    }
}
