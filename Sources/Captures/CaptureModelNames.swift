import ReaderCatalog
import ReaderKit

extension HIDCapture.Model {
    /// The models that a name means: a model's own, a part of several (`magtek`, `keyboard`), a reader's name (`dynamag`) or
    /// its USB id (`0801:0011`). Empty where nobody is called so.
    package static func named(_ name: String) -> [Self] {
        let name = name.lowercased().replacing("0x", with: "")
        guard !name.isEmpty else { return [] }
        if let exact = Self(rawValue: name) { return [exact] }
        let parts = allCases.filter { $0.rawValue.contains(name) }
        if !parts.isEmpty { return parts + (otherNames[name] ?? []) }
        let drivers = ReaderCatalog.hid.map { $0.descriptor }.filter { descriptor in
            descriptor.matches.contains {
                $0.model.lowercased().contains(name) || $0.isOf(usbID: name)
            }
        }
        return drivers.flatMap { models(ofDriver: $0.name) } + (otherNames[name] ?? [])
    }

    /// A reader's captures come from other channels of it as well.
    private static func models(ofDriver name: String) -> [Self] {
        switch Self(rawValue: name) {
        case .magneSafe: [.magneSafe, .magTekStream]
        case .sureSwipe: [.sureSwipe, .magTekStream]
        case .idTechReport: [.idTechReport, .idTechPacket, .idTechKeyboard]
        case .gen3: [.gen3]
        case .magTekStream: [.magTekStream]
        case .idTechCompatible: [.idTechCompatible]
        case .idTechPacket: [.idTechPacket]
        case .idTechKeyboard: [.idTechKeyboard]
        case nil: []
        }
    }

    /// Readers that no HID driver takes, but whose swipes have one of these forms.
    private static let otherNames: [String: [Self]] = [
        "idynamo": [.magTekStream, .gen3], "unimag": [.idTechPacket], "shuttle": [.idTechPacket],
    ]
}

extension DeviceMatch {
    /// Whether its ids are these, or its vendor's is this.
    fileprivate func isOf(usbID name: String) -> Bool {
        name.utf8.count >= 4 && usbID?.hasPrefix(name) == true
    }

    /// `0801:0011`; nil where the match names no ids.
    private var usbID: String? {
        guard let vendorID, let productID else { return nil }
        return "\(vendorID.usbNumber()):\(productID.usbNumber())"
    }
}
