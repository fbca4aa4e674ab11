/// A hidraw node as sysfs tells of it, whatever is behind it.
package struct HIDNode: Sendable, Equatable {
    /// `/dev/hidraw3`.
    package var node: String
    /// Its folder in sysfs.
    var folder: String
    /// Numbers of linux/input.h.
    var bus: UInt32
    package var vendor: UInt16
    package var product: UInt16
    package var name: String
    package var serial: String?
    package var port: String?
    package var descriptor: [UInt8]

    /// `0801:0011`.
    package var ids: String { "\(Self.hex(vendor)):\(Self.hex(product))" }

    private static func hex(_ value: UInt16) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension Inspection {
    /// Every hidraw node.
    package func hidNodes() -> [HIDNode] {
        tree.names(in: "/sys/class/hidraw").compactMap { name in
            let folder = "/sys/class/hidraw/\(name)/device"
            let event = Settings(tree.lines("\(folder)/uevent"))
            let ids = (event["HID_ID"] ?? "").split(separator: ":").map { UInt32($0, radix: 16) }
            guard ids.count == 3, let bus = ids[0], let vendor = ids[1].flatMap(UInt16.init(exactly:)),
                let product = ids[2].flatMap(UInt16.init(exactly:))
            else { return nil }
            func word(_ key: String) -> String? { event[key].flatMap { $0.isEmpty ? nil : $0 } }
            return HIDNode(
                node: "/dev/\(name)", folder: folder, bus: bus, vendor: vendor, product: product,
                name: word("HID_NAME") ?? "", serial: word("HID_UNIQ"), port: word("HID_PHYS"),
                descriptor: tree.bytes("\(folder)/report_descriptor") ?? [])
        }
    }
}
