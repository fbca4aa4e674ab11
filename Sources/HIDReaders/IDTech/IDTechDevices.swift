package import ReaderKit

/// ID TECH's devices (vendor 0x0ACD), from manuals, usb.ids and open clients; see `docs/readers.md`.
extension IDTechDriver {
    package static let descriptor = DriverDescriptor(
        name: "idtech-hid", kind: "idtech", matches: readers + keyboards + chipKeyboards)

    private static let packetProof =
        "the packet is proven by a published swipe; the HID header around it is assumed in part, no capture"

    private static func match(_ productID: UInt16, _ model: String, _ support: DeviceMatch.Support)
        -> DeviceMatch
    {
        DeviceMatch(vendorID: IDTechVendor.id, productID: productID, model: model, support: support)
    }

    private static let readers = [
        match(0x2010, "SecureMag, SecureHead, MiniMag", .shouldWork(why: packetProof)),
        match(0x2610, "SecureKey M100 and M130", .shouldWork(why: packetProof)),
        match(0x2810, "SecuRED", .shouldWork(why: packetProof)),
        match(0x4520, "SREDKey 2", .shouldWork(why: packetProof)),
        match(0x3820, "Augusta", .unsupported(remedy: IDTechVendor.partsRemedy)),
        match(0x3920, "Augusta S", .unsupported(remedy: IDTechVendor.partsRemedy)),
    ]

    private static let keyboards = [
        (0x2030, "ID TECH reader"), (0x2620, "SecureKey"), (0x2820, "SecuRED"), (0x4521, "SREDKey 2"),
    ].map { match($0, "\($1) in keyboard mode", .unsupported(remedy: IDTechVendor.keyboardRemedy)) }

    private static let chipKeyboards = [(0x3810, "Augusta"), (0x3910, "Augusta S")].map {
        match($0, "\($1) in keyboard mode", .unsupported(remedy: IDTechVendor.chipKeyboardRemedy))
    }
}

enum IDTechVendor {
    static let id: UInt16 = 0x0ACD

    static let keyboardRemedy =
        "the reader types like a keyboard; set its interface to USB HID with the maker's configuration program and "
        + "plug it in again"

    /// Packets of such readers are read in captures; a driver that takes each report by itself would refuse every swipe.
    static let partsRemedy =
        "its packets come in parts of 64 bytes, and how those go together is not published; captures of it are read by "
        + "swipectl decode --hid"

    static let chipKeyboardRemedy =
        "the reader types like a keyboard, and its USB HID mode is not supported either; what it types is read by "
        + "swipectl decode --hid"
}

/// ID TECH readers set to the "other" HID structure: a SureSwipe report under the maker's own id.
package struct IDTechCompatibleDriver: ReaderDriver {
    private var reader: MagTekReader

    package static let descriptor = DriverDescriptor(
        name: "idtech-hid-compatible", kind: "idtech",
        matches: [
            DeviceMatch(
                vendorID: IDTechVendor.id, productID: 0x2020,
                model: "SecureMag, SecureHead, MiniMag (other structure)",
                support: .shouldWork(why: "the 337-byte layout by the maker's manual; no capture"))
        ])

    package init(_ device: DeviceIdentity) {
        let family = MagTekReader.Family(
            layouts: [.sureSwipe], questions: [], properties: [], featureLength: 8, encryption: .clear)
        reader = MagTekReader(device, match: Self.descriptor.match(device), family: family)
    }

    package mutating func start() -> [DriverAction] { reader.start() }
    package mutating func receive(_ input: HIDReport) -> [DriverAction] { reader.receive(input) }
    package mutating func inputsLost() -> [DriverAction] { reader.inputsLost() }
    package mutating func timerFired() -> [DriverAction] { reader.timerFired() }
    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] {
        reader.commandFailed(error)
    }
    package mutating func property(_ request: PropertyRequest) -> [DriverAction] { reader.property(request) }
}
