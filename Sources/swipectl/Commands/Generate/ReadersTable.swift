import ReaderKit

/// The table of readers for people: what is driven, and how anybody knows that it works.
enum ReadersTable {
    static func text(for descriptors: [DriverDescriptor], drivenOnly: Bool) -> String {
        let rows = descriptors.flatMap { descriptor in
            descriptor.matches.filter { !drivenOnly || isDriven($0) }.map { row(descriptor, $0) }
        }
        return """
            | reader | USB id | driver | works | because |
            |---|---|---|---|---|

            """ + rows.joined()
    }

    private static func row(_ descriptor: DriverDescriptor, _ match: DeviceMatch) -> String {
        let (word, reason) = verdict(match.support)
        return "| \(match.model) | \(id(match)) | \(descriptor.name) | \(word) | \(reason) |\n"
    }

    private static func isDriven(_ match: DeviceMatch) -> Bool {
        switch match.support {
        case .supported, .shouldWork: true
        case .unsupported: false
        }
    }

    private static func verdict(_ support: DeviceMatch.Support) -> (word: String, reason: String) {
        switch support {
        case .supported(let proof): ("yes", proof)
        case .shouldWork(let why): ("should", why)
        case .unsupported(let remedy): ("no", remedy)
        }
    }

    private static func id(_ match: DeviceMatch) -> String {
        guard let vendor = match.vendorID else { return "–" }
        return "`\(hex(vendor)):\(match.productID.map(hex) ?? "*")`"
    }

    private static func hex(_ value: UInt16) -> String { value.usbNumber() }
}
