import DeviceIO
import KeyboardReaders
import ReaderKit
import SwipeProtocol

/// What the configuration says of a keyboard.
struct KeyboardTerms: Sendable, Hashable {
    /// The section that names it; nil where `keyboard_readers = known` does.
    var name: String?
    var consent: KeyboardTaking.Consent
    var options: ReaderOptions
    /// It is taken by its reports, with its input inhibited.
    var isSilent = false

    var hold: ReaderHold { isSilent ? .inhibited : .grabbed }
}

extension DaemonConfiguration {
    /// What is said of an input device, or of the hidraw node of the same; nil where nothing is.
    func keyboardTerms(of device: DeviceIdentity) -> KeyboardTerms? {
        guard !device.isSimulated else { return nil }
        if let reader = keyboardReaders.first(where: { $0.names(device) }) {
            return KeyboardTerms(
                name: reader.name, consent: .section(isForced: reader.isForced), options: reader.options,
                isSilent: reader.isSilent)
        }
        guard takesKnownKeyboards, KnownKeyboards.find(device)?.isCertain == true else { return nil }
        return KeyboardTerms(name: nil, consent: .knownID, options: ReaderOptions())
    }
}

extension DaemonConfiguration.KeyboardReader {
    /// All has to fit that is written.
    func names(_ device: DeviceIdentity) -> Bool {
        device.vendorID == vendorID && device.productID == productID && ReaderPlace(self).fits(device)
    }
}

extension DeviceIdentity {
    /// Whether a HID device's first collection is a keyboard (usage page "generic desktop", usage 6).
    var isHIDKeyboard: Bool { reportDescriptor.starts(with: [0x05, 0x01, 0x09, 0x06]) }

    /// Whether a keyboard is one of several things that a HID device is, and not the first.
    var isHIDKeyboardAmongOthers: Bool {
        guard !isHIDKeyboard, let descriptor = try? ReportDescriptor(reportDescriptor) else { return false }
        return descriptor.applications.contains(0x0001_0006)
    }

    /// What takes it out of the focus, for an operator to write.
    var linesToTake: String? {
        guard let vendorID, let productID else { return nil }
        let ids = "\(vendorID.usbNumber()):\(productID.usbNumber())"
        return
            "[keyboard-reader NAME] with keyboard = \(ids) in swiped.conf takes it out of the focus: docs/keyboards.md"
    }
}
