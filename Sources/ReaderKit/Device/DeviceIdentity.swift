/// A physical device as Linux shows it, before any driver has spoken to it.
package struct DeviceIdentity: Sendable, Hashable {
    /// The bus that a driver is written for.
    package enum Bus: String, Sendable, Hashable {
        case usb
        case bluetooth
        /// A HID device without a physical bus (uhid), or with one that this daemon does not name.
        case other
        case audio
        /// A serial line, or a USB device that the kernel shows as one.
        case serial
    }

    /// The stable name under which clients know the reader: from the serial number, else from the port.
    package var readerID: String
    package var bus: Bus
    package var vendorID: UInt16?
    package var productID: UInt16?
    package var serial: String?
    package var product: String?
    /// The physical place, which survives a replug: `usb-0000:00:14.0-1/input0`.
    package var port: String?
    /// What a transport opens: `/dev/hidraw3`, or an ALSA PCM name.
    package var node: String
    /// The kernel's name for the device; the only thing to match a removal by.
    package var syspath: String
    /// The HID report descriptor; empty for audio.
    package var reportDescriptor: [UInt8]
    /// A virtual reader: every event of it is marked.
    package var isSimulated: Bool
    /// What the configuration calls it; nil where it says nothing of it.
    package var name: String?

    package init(
        readerID: String, bus: Bus, vendorID: UInt16? = nil, productID: UInt16? = nil, serial: String? = nil,
        product: String? = nil, port: String? = nil, node: String,
        syspath: String = "", reportDescriptor: [UInt8] = [], isSimulated: Bool = false, name: String? = nil
    ) {
        self.readerID = readerID
        self.bus = bus
        self.vendorID = vendorID
        self.productID = productID
        self.serial = serial
        self.product = product
        self.port = port
        self.node = node
        self.syspath = syspath
        self.reportDescriptor = reportDescriptor
        self.isSimulated = isSimulated
        self.name = name
    }
}
