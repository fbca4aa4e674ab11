package import ReaderKit

/// What sysfs tells of an input device that udev calls a keyboard.
///
///     …/1-1:1.0/0003:C216:0180.0001/input/input7            input: name, phys, uniq, id/vendor, id/product, id/bustype
///     …                                  /event3            input: the device node
enum KeyboardIdentity {
    /// `BUS_USB` and `BUS_BLUETOOTH` of linux/input.h.
    private static let busses: [String: DeviceIdentity.Bus] = ["0003": .usb, "0005": .bluetooth]

    /// Nil when the device is gone already, or is none that types.
    static func read(_ device: UdevNode) -> DeviceIdentity? {
        guard
            device.subsystem == DeviceSubsystem.input.rawValue, device.sysname?.hasPrefix("event") == true,
            device.property("ID_INPUT_KEYBOARD") == "1", let syspath = device.syspath,
            let node = device.devnode, let input = device.parent(subsystem: DeviceSubsystem.input.rawValue)
        else { return nil }
        let bus = input.attribute("id/bustype").flatMap { busses[$0] } ?? .other
        let usb = bus == .usb ? input.parent(subsystem: "usb", type: "usb_device") : nil
        let serial =
            ReaderName.serial(input.attribute("uniq")) ?? ReaderName.serial(usb?.attribute("serial"))
        let port = input.attribute("phys")
        return DeviceIdentity(
            readerID: ReaderName.make(serial: serial, port: port, syspath: input.syspath ?? syspath),
            bus: bus, vendorID: number(input.attribute("id/vendor")),
            productID: number(input.attribute("id/product")), serial: serial,
            product: input.attribute("name"), port: port, node: node, syspath: syspath)
    }

    private static func number(_ text: String?) -> UInt16? { text.flatMap { UInt16($0, radix: 16) } }
}

extension DeviceIdentity {
    /// Whether it is an input device of the kernel's; its hidraw node is another device, with the same ids, number and port.
    package var isEventDevice: Bool { node.hasPrefix("/dev/input/event") }
}
