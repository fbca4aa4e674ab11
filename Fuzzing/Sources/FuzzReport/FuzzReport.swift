import CardData
import HIDReaders
import ReaderKit

/// HID reports, as a transport hands them to the drivers.
///
///     first byte   which driver, and whether the report answers a command
///     the rest     the report; where a swipe takes several, one behind the other
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReport(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let device = DeviceIdentity(
        readerID: "fuzz", bus: .usb, vendorID: 0x0801, productID: 0x0019, node: "/dev/null")
    let kind = choice & 0x80 == 0 ? HIDReport.Kind.input : .feature
    let report = HIDReport(kind: kind, id: choice >> 4 & 3, bytes: bytes)
    switch choice & 7 {
    case 0: drive(MagneSafeDriver(device), report)
    case 1: drive(SureSwipeDriver(device), report)
    case 2: drive(Gen3Driver(device), report)
    case 3: drive(IDTechDriver(device), report)
    case 4: drive(IDTechCompatibleDriver(device), report)
    case 6: driveReports(bytes)
    default: drive(StripePageDriver(stripeDevice), report)
    }
    return 0
}

/// A reader that nobody listed: lengths and data of three tracks and of a JIS II stripe.
private let stripeDevice = DeviceIdentity(
    readerID: "fuzz", bus: .usb, vendorID: 1, productID: 1, node: "/dev/null",
    reportDescriptor: [
        0x05, 0x8E, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x01, 0x09, 0x11,
        0x09,
        0x12, 0x09, 0x13, 0x09, 0x14, 0x95, 0x04, 0x81, 0x02, 0x95, 0x50, 0x09, 0x21, 0x82, 0x02, 0x01, 0x09,
        0x22,
        0x82, 0x02, 0x01, 0x09, 0x23, 0x82, 0x02, 0x01, 0x09, 0x24, 0x82, 0x02, 0x01, 0xC0,
    ])

/// A reader that nobody listed: tracks 1 to 3 in reports 1 to 3, each of ten bytes behind its length.
private let stripesDevice = DeviceIdentity(
    readerID: "fuzz", bus: .usb, vendorID: 1, productID: 1, node: "/dev/null",
    reportDescriptor: [0x05, 0x8E, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08]
        + (1...3).flatMap { track -> [UInt8] in
            [
                0x85, track, 0x95, 1, 0x09, 0x10 + track, 0x81, 0x02, 0x95, 10, 0x09, 0x20 + track, 0x82,
                0x02, 0x01,
            ]
        } + [0xC0])

/// Reports of eleven bytes behind their ids; id 0 is a pause, and the last one may be shorter.
private func driveReports(_ bytes: [UInt8]) {
    var driver = StripePageDriver(stripesDevice)
    _ = driver.start()
    var rest = bytes[...]
    while let id = rest.popFirst() {
        guard id & 3 != 0 else {
            _ = driver.timerFired()
            continue
        }
        for action in driver.receive(HIDReport(id: id & 3, bytes: Array(rest.prefix(11)))) {
            if case .signal(.swiped(let swipe)) = action { for track in swipe.tracks { _ = track.masked } }
        }
        rest = rest.dropFirst(11)
    }
}

private func drive<Driver: ReaderDriver>(_ driver: Driver, _ report: HIDReport)
where Driver.Input == HIDReport {
    var driver = driver
    _ = driver.start()
    for action in driver.receive(report) + driver.receive(report) {
        if case .signal(.swiped(let swipe)) = action { for track in swipe.tracks { _ = track.masked } }
    }
    _ = driver.timerFired()
}
