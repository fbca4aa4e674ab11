import ReaderKit
import SystemPackage

/// What sysfs tells of a hidraw device.
///
///     …/usb1/1-1                                usb_device: product, serial
///     …/usb1/1-1/1-1:1.0/0003:0801:0011.0001    hid: HID_ID, HID_NAME, HID_PHYS, HID_UNIQ, report_descriptor
///     …                 /hidraw/hidraw3         hidraw: the device node
///
/// The ids come from the hid parent, not from the usb one: a uhid or Bluetooth device has no usb parent, and
/// libudev then finds the adapter's.
enum HIDIdentity {
    /// `HID_MAX_DESCRIPTOR_SIZE` of the kernel.
    private static let maximumDescriptorLength = 4_096

    /// Nil when the device is gone already, or is no hidraw device.
    static func read(_ device: UdevNode) -> DeviceIdentity? {
        guard
            device.subsystem == DeviceSubsystem.hidraw.rawValue,
            let syspath = device.syspath, let devnode = device.devnode,
            let hid = device.parent(subsystem: "hid"), let hidPath = hid.syspath,
            let ids = HIDBusIDs(hid.property("HID_ID"))
        else { return nil }
        let usb = ids.bus == .usb ? hid.parent(subsystem: "usb", type: "usb_device") : nil
        let serial =
            ReaderName.serial(hid.property("HID_UNIQ")) ?? ReaderName.serial(usb?.attribute("serial"))
        let port = hid.property("HID_PHYS")
        return DeviceIdentity(
            readerID: ReaderName.make(serial: serial, port: port, syspath: hidPath),
            bus: ids.bus, vendorID: ids.vendor, productID: ids.product, serial: serial,
            product: usb?.attribute("product") ?? hid.property("HID_NAME"),
            port: port, node: devnode, syspath: syspath,
            reportDescriptor: descriptor(at: hidPath + "/report_descriptor"))
    }

    /// Binary, so not through libudev, which cuts an attribute at its first zero byte.
    private static func descriptor(at path: String) -> [UInt8] {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec]) else {
            return []
        }
        let bytes = try? file.closeAfter { () throws in
            try [UInt8](unsafeUninitializedCapacity: maximumDescriptorLength) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        return bytes ?? []
    }
}

/// `HID_ID=0003:00000801:00000011`: bus, vendor and product in hexadecimal.
struct HIDBusIDs: Hashable {
    let bus: DeviceIdentity.Bus
    let vendor: UInt16
    let product: UInt16

    init?(_ text: String?) {
        let fields = (text ?? "").split(separator: ":", omittingEmptySubsequences: false)
        guard
            fields.count == 3,
            let bus = UInt16(fields[0], radix: 16),
            let vendor = UInt32(fields[1], radix: 16), let vendor = UInt16(exactly: vendor),
            let product = UInt32(fields[2], radix: 16), let product = UInt16(exactly: product)
        else { return nil }
        self.bus = Self.bus(bus)
        self.vendor = vendor
        self.product = product
    }

    /// `BUS_USB` and `BUS_BLUETOOTH` of linux/input.h.
    private static func bus(_ number: UInt16) -> DeviceIdentity.Bus {
        switch number {
        case 3: .usb
        case 5: .bluetooth
        case _: .other
        }
    }
}
