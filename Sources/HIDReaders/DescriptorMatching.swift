package import ReaderKit

extension DriverDescriptor {
    /// The match that takes a device; nil where none does.
    package func match(_ device: DeviceIdentity) -> DeviceMatch? {
        guard device.bus.isHID else { return nil }
        let descriptor = try? ReportDescriptor(device.reportDescriptor)
        return matches.first { $0.accepts(device, descriptor) }
    }
}

extension DeviceMatch {
    /// Ids where the match names them, and usages where it names those. The bus does not matter: the same reader behind
    /// uhid is the same reader.
    fileprivate func accepts(_ device: DeviceIdentity, _ descriptor: ReportDescriptor?) -> Bool {
        guard bus.isHID, vendorID == nil || vendorID == device.vendorID,
            productID == nil || productID == device.productID
        else { return false }
        if let inputBytes, !device.isUndescribed {
            guard let descriptor, !descriptor.isNumbered,
                descriptor.longestByteLength(.input) == inputBytes
            else { return false }
        }
        guard let usagePage else { return vendorID != nil }
        return descriptor?.hasInput(usagePage: usagePage, usage: usage) ?? false
    }
}

extension DeviceIdentity {
    /// A virtual reader has no report descriptor: its ids are all that is known of it.
    fileprivate var isUndescribed: Bool { isSimulated && reportDescriptor.isEmpty }
}

extension DeviceIdentity.Bus {
    /// Whether HID reports come over it.
    fileprivate var isHID: Bool {
        switch self {
        case .usb, .bluetooth, .other: true
        case .audio, .serial: false
        }
    }
}
