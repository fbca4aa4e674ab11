package import ReaderKit

/// Readers that type, by their ids: for those that are certain, `keyboard_readers = known` is enough.
package enum KnownKeyboards {
    package struct Entry: Sendable, Hashable {
        package var vendorID: UInt16
        package var productID: UInt16
        package var model: String
        /// Whether nothing else has these ids.
        package var isCertain: Bool
    }

    /// Sources: Debian's usb.ids, makers' documents, public code (`docs/keyboards.md`).
    package static let all = [
        entry(0x0801, 0x0001, "MagTek reader in keyboard mode, and clones"),
        entry(0x0801, 0x0021, "iDynamo 5 Gen III in keyboard mode"),
        entry(0x0ACD, 0x2030, "ID TECH reader in keyboard mode"),
        entry(0x0ACD, 0x2620, "SecureKey in keyboard mode"),
        entry(0x0ACD, 0x2820, "SecuRED in keyboard mode"),
        entry(0x0ACD, 0x4521, "SREDKey 2 in keyboard mode"),
        entry(0x0ACD, 0x3810, "Augusta in keyboard mode"),
        entry(0x0ACD, 0x3910, "Augusta S in keyboard mode"),
        entry(0xC216, 0x0180, "MSR90 and clones"),
        entry(0x0404, 0x032A, "NCR K016"),
        entry(0x040B, 0x6543, "Manhattan card strip reader"),
        entry(0x0AA7, 0x0402, "Wincor Nixdorf MSRP-USB"),
        entry(0x0D3A, 0x0500, "Posiflex MSR"),
        // The id of cheap relays and pedals as well.
        entry(0x5131, 0x2007, "MSR-101U", isCertain: false),
        entry(0x6352, 0x213A, "Clone of the MSR90", isCertain: false),
    ]

    private static func entry(
        _ vendor: UInt16, _ product: UInt16, _ model: String, isCertain: Bool = true
    ) -> Entry {
        Entry(vendorID: vendor, productID: product, model: model, isCertain: isCertain)
    }

    package static func find(_ device: DeviceIdentity) -> Entry? {
        all.first { $0.vendorID == device.vendorID && $0.productID == device.productID }
    }
}
