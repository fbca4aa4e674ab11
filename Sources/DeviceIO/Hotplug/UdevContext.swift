import CUdev
import Glibc
import ReaderKit

/// libudev's library context. libudev is not thread-safe: everything made from one context stays on its thread.
struct UdevContext: ~Copyable {
    private let handle: OpaquePointer

    init() throws(DeviceError) {
        guard let handle = udev_new() else { throw .udevFailed("udev_new") }
        self.handle = handle
    }

    deinit { udev_unref(handle) }

    /// A monitor of the messages that udevd sends after it has run its rules.
    borrowing func monitor(_ subsystems: [DeviceSubsystem]) throws(DeviceError) -> UdevMonitor {
        try UdevMonitor(owning: udev_monitor_new_from_netlink(handle, "udev"), subsystems)
    }

    borrowing func device(syspath: String) -> UdevDevice? {
        UdevDevice(owning: udev_device_new_from_syspath(handle, syspath))
    }

    /// The syspaths of what is there now.
    borrowing func syspaths(_ subsystems: [DeviceSubsystem]) throws(DeviceError) -> [String] {
        guard let enumeration = udev_enumerate_new(handle) else { throw .udevFailed("udev_enumerate_new") }
        defer { udev_enumerate_unref(enumeration) }
        for subsystem in subsystems { udev_enumerate_add_match_subsystem(enumeration, subsystem.rawValue) }
        guard udev_enumerate_scan_devices(enumeration) >= 0 else {
            throw .udevFailed("udev_enumerate_scan_devices")
        }
        var paths: [String] = []
        var entry = udev_enumerate_get_list_entry(enumeration)
        while let current = entry, paths.count < DeviceTable.maximumDevices {
            if let name = udev_list_entry_get_name(current) { paths.append(String(cString: name)) }
            entry = udev_list_entry_get_next(current)
        }
        return paths
    }
}

/// A netlink socket with a filter on it.
struct UdevMonitor: ~Copyable {
    /// Room for a hub with dozens of devices to come and go while the thread waits for a slow consumer.
    private static let receiveBufferBytes: Int32 = 1 << 20

    private let handle: OpaquePointer

    fileprivate init(owning handle: OpaquePointer?, _ subsystems: [DeviceSubsystem]) throws(DeviceError) {
        guard let handle else { throw .udevFailed("udev_monitor_new_from_netlink") }
        for subsystem in subsystems {
            udev_monitor_filter_add_match_subsystem_devtype(handle, subsystem.rawValue, nil)
        }
        udev_monitor_set_receive_buffer_size(handle, Self.receiveBufferBytes)
        guard udev_monitor_enable_receiving(handle) >= 0 else {
            let error = DeviceError.udevFailed("udev_monitor_enable_receiving")
            udev_monitor_unref(handle)
            throw error
        }
        self.handle = handle
    }

    deinit { udev_monitor_unref(handle) }

    /// Owned by the monitor: to poll, never to close.
    var descriptor: Int32 { udev_monitor_get_fd(handle) }

    /// The next message; nil when there is none. `hasLost` becomes true where the kernel has dropped messages (`ENOBUFS`):
    /// it says so once, to whoever asks first, which may be this call and not poll(2).
    borrowing func receive(_ hasLost: inout Bool) -> UdevDevice? {
        errno = 0
        let device = udev_monitor_receive_device(handle)
        if device == nil, errno == ENOBUFS { hasLost = true }
        return UdevDevice(owning: device)
    }
}

extension DeviceError {
    static func udevFailed(_ call: String) -> DeviceError {
        .system(errno: errno, operation: call)
    }
}
