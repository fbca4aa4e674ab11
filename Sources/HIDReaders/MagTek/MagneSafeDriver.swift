package import ReaderKit

/// MagTek readers that can encrypt: MagneSafe V5 (Dynamag and its kin), insert readers, and the swipe side of the EMV
/// family, whose report has the same layout under report id 1.
package struct MagneSafeDriver: ReaderDriver {
    private var reader: MagTekReader

    /// A reader that answers at all answers the first questions within some milliseconds; one that is mute is ready
    /// without an answer.
    package static var identificationGrace: Duration? { .milliseconds(100) }

    package init(_ device: DeviceIdentity) {
        reader = MagTekReader(device, match: Self.descriptor.match(device), family: Self.family)
    }

    private static let family = MagTekReader.Family(
        layouts: [.magneSafe887, .magneSafe856, .magneSafe931], questions: MagTekExchange.magneSafeQuestions,
        properties: MagTekProperty.magneSafe, featureLength: 60)

    package static var properties: [PropertyDescriptor] { MagTekProperty.magneSafe.map(\.descriptor) }

    package mutating func start() -> [DriverAction] { reader.start() }
    package mutating func receive(_ input: HIDReport) -> [DriverAction] { reader.receive(input) }
    package mutating func inputsLost() -> [DriverAction] { reader.inputsLost() }
    package mutating func timerFired() -> [DriverAction] { reader.timerFired() }
    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] {
        reader.commandFailed(error)
    }
    package mutating func property(_ request: PropertyRequest) -> [DriverAction] { reader.property(request) }
}

extension MagneSafeDriver {
    package static let descriptor = DriverDescriptor(
        name: "magtek-magnesafe", kind: "magtek", matches: magneSafe + emvFamily + unsupported)

    private static func match(
        _ productID: UInt16, _ model: String, _ support: DeviceMatch.Support, quirks: Quirks = Quirks()
    ) -> DeviceMatch {
        DeviceMatch(
            vendorID: MagTekVendor.id, productID: productID, model: model, support: support, quirks: quirks)
    }

    private static let magneSafe = [
        match(
            0x0011, "MagneSafe V5 swipe (Dynamag, DynaPAD, Flash, BulleT)",
            .supported(proof: "published report of the maker's manual 99875475, example 3")),
        match(
            0x0013, "MagneSafe V5 insert", .shouldWork(why: "same report by the maker's manual; no capture"),
            quirks: Quirks(isInsertReader: true)),
        match(
            0x0017, "uDynamo on USB", .shouldWork(why: "same report by the maker's web client; no capture")),
    ]

    private static let emvFamily = [
        (0x0019, "eDynamo"), (0x001A, "mDynamo"), (0x001C, "tDynamo"), (0x001D, "kDynamo"),
        (0x001E, "DynaWave"),
        (0x001F, "iDynamo 6"),
    ].map { productID, model in
        match(
            productID, model,
            .shouldWork(why: "same report under report id 1 by the maker's web client; swipes only, no chip"),
            quirks: Quirks(reportID: 1))
    }

    private static let unsupported = [
        match(0x0001, "MagTek reader in keyboard mode", .unsupported(remedy: MagTekVendor.keyboardRemedy)),
        match(0x0012, "MagTek boot loader", .unsupported(remedy: "finish or repeat the firmware update")),
        match(
            0x0014, "MagTek wireless reader on its charging cable",
            .unsupported(remedy: "swipes come over the reader's own receiver, not over this cable")),
        match(0x2020, "DynaFlex", .unsupported(remedy: MagTekVendor.mmsRemedy)),
        match(0x2021, "DynaFlex boot loader", .unsupported(remedy: "finish or repeat the firmware update")),
        match(0x2022, "DynaFlex boot loader", .unsupported(remedy: "finish or repeat the firmware update")),
        match(0x2023, "DynaProx", .unsupported(remedy: MagTekVendor.mmsRemedy)),
        match(0x2024, "DynaFlex II Go", .unsupported(remedy: MagTekVendor.mmsRemedy)),
        match(0x3004, "DynaPro Mini", .unsupported(remedy: "a PIN pad with a protocol of its own")),
        match(0x3009, "DynaPro", .unsupported(remedy: "a PIN pad with a protocol of its own")),
        match(0x5357, "MagTek boot loader", .unsupported(remedy: "finish or repeat the firmware update")),
    ]
}

enum MagTekVendor {
    static let id: UInt16 = 0x0801

    static let keyboardRemedy =
        "the reader types like a keyboard; set its interface type to HID (property 0x10 to 0: feature report "
        + "01 02 10 00, then reset with 02 00, or the maker's configuration program) and plug it in again"

    static let mmsRemedy = "speaks MagTek's MMS protocol, which swiped does not know"
}
