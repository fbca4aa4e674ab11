package import ReaderKit

/// MagTek readers without encryption: SureSwipe, Mini Swipe, and their insert reader. MagneSafe readers answer to the
/// same id when property 0x38 makes them work like one.
package struct SureSwipeDriver: ReaderDriver {
    private var reader: MagTekReader

    package init(_ device: DeviceIdentity) {
        reader = MagTekReader(device, match: Self.descriptor.match(device), family: Self.family)
    }

    private static let family = MagTekReader.Family(
        layouts: [.sureSwipe, .sureSwipeInsert], questions: MagTekExchange.sureSwipeQuestions,
        properties: MagTekProperty.sureSwipe, featureLength: 24, encryption: .clear)

    package static var properties: [PropertyDescriptor] { MagTekProperty.sureSwipe.map(\.descriptor) }

    /// As with MagneSafe: a reader that answers at all does so within some milliseconds.
    package static var identificationGrace: Duration? { .milliseconds(100) }

    package mutating func start() -> [DriverAction] { reader.start() }
    package mutating func receive(_ input: HIDReport) -> [DriverAction] { reader.receive(input) }
    package mutating func inputsLost() -> [DriverAction] { reader.inputsLost() }
    package mutating func timerFired() -> [DriverAction] { reader.timerFired() }
    package mutating func commandFailed(_ error: DeviceError) -> [DriverAction] {
        reader.commandFailed(error)
    }
    package mutating func property(_ request: PropertyRequest) -> [DriverAction] { reader.property(request) }
}

extension SureSwipeDriver {
    package static let descriptor = DriverDescriptor(
        name: "magtek-sureswipe", kind: "magtek",
        matches: [
            DeviceMatch(
                vendorID: MagTekVendor.id, productID: 0x0002, model: "SureSwipe",
                support: .shouldWork(
                    why: "layout of the maker's manual 99875191 and of three open clients; no capture")),
            // The MSR605X writer has the same ids: only a reader's descriptor has a decode status.
            DeviceMatch(
                vendorID: MagTekVendor.id, productID: 0x0003, usagePage: MagTekField.usagePage,
                usage: MagTekField.decodeStatus1.rawValue, model: "SureSwipe insert",
                support: .shouldWork(why: "layout of one source; no capture"),
                quirks: Quirks(isInsertReader: true)),
        ])
}
