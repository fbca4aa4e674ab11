import HIDReaders
import MSRReaders
package import ReaderKit

/// The one list of drivers; daemon, command line and generators share it. A new HID reader is one line here.
package enum ReaderCatalog {
    /// In order: the first driver with a match takes a device, so ids stand before usage pages.
    package static let hid: [any ReaderDriver<HIDReport>.Type] = [
        MagneSafeDriver.self,
        SureSwipeDriver.self,
        MSR605XDriver.self,
        Gen3Driver.self,
        IDTechDriver.self,
        IDTechCompatibleDriver.self,
        StripePageDriver.self,
    ]

    /// Whether a device is an encoder, which can be read with in two ways (``ReaderOptions/encoderReading``).
    package static func isEncoder(_ device: DeviceIdentity) -> Bool {
        switch verdict(on: device) {
        case .reader(let driver, _): driver.descriptor.name == MSR605XDriver.descriptor.name
        case .unsupported, .stranger: false
        }
    }

    /// What is known of a HID device.
    package enum HIDVerdict: Sendable {
        /// This driver takes it.
        case reader(any ReaderDriver<HIDReport>.Type, DeviceMatch)
        /// A card reader that cannot be used as it is; the words tell what to do about it.
        case unsupported(DriverDescriptor, DeviceMatch, remedy: String)
        /// No card reader that anybody listed.
        case stranger
    }

    /// Tells whether a HID device is a card reader, and whose.
    package static func verdict(on device: DeviceIdentity) -> HIDVerdict {
        for driver in hid {
            guard let match = driver.descriptor.match(device) else { continue }
            switch match.support {
            case .supported, .shouldWork: return .reader(driver, match)
            case .unsupported(let remedy): return .unsupported(driver.descriptor, match, remedy: remedy)
            }
        }
        return .stranger
    }
}
