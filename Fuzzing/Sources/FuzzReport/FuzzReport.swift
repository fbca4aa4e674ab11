import CardData
import HIDReaders
import ReaderKit

/// HID reports, as a transport hands them to the drivers, and as captures.
///
///     first byte   which driver, and whether the report answers a command
///     the rest     the report
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
    default: _ = HIDCapture.outcomes(in: bytes)
    }
    return 0
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
