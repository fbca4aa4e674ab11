import CUdev

/// One reference to a device of libudev's.
struct UdevDevice: ~Copyable {
    private let handle: OpaquePointer

    init?(owning handle: OpaquePointer?) {
        guard let handle else { return nil }
        self.handle = handle
    }

    deinit { udev_device_unref(handle) }

    /// Only valid while this reference is: do not let it escape.
    var node: UdevNode { UdevNode(handle: handle) }
}

/// A view of a device, or of a parent that the device keeps alive.
struct UdevNode {
    fileprivate let handle: OpaquePointer

    var action: String? { text(udev_device_get_action(handle)) }
    var syspath: String? { text(udev_device_get_syspath(handle)) }
    var sysname: String? { text(udev_device_get_sysname(handle)) }
    var devnode: String? { text(udev_device_get_devnode(handle)) }
    var subsystem: String? { text(udev_device_get_subsystem(handle)) }

    func property(_ key: String) -> String? { text(udev_device_get_property_value(handle, key)) }

    func attribute(_ name: String) -> String? { text(udev_device_get_sysattr_value(handle, name)) }

    /// The nearest parent of a subsystem. Wrong after a removal: sysfs is half gone by then.
    func parent(subsystem: String, type: String? = nil) -> UdevNode? {
        udev_device_get_parent_with_subsystem_devtype(handle, subsystem, type).map(UdevNode.init)
    }

    /// Blank is how devices say that they have none.
    private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer else { return nil }
        let text = String(cString: pointer).trimmingBlanks
        return text.isEmpty ? nil : text
    }
}

extension String {
    /// Without the spaces, tabs and line ends around it.
    var trimmingBlanks: String {
        let isBlank: (Character) -> Bool = { $0.isWhitespace || $0 == "\0" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
