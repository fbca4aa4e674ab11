import HIDReaders
import ReaderKit

/// Report descriptors, and a driver that believes them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDescriptor(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard let descriptor = try? ReportDescriptor(input) else { return 0 }
    let device = DeviceIdentity(
        readerID: "fuzz", bus: .usb, vendorID: 0x0801, productID: 0x0011, node: "/dev/null",
        reportDescriptor: input)
    var magTek = MagneSafeDriver(device)
    var generic = StripePageDriver(device)
    _ = magTek.start()
    _ = generic.start()
    for id in descriptor.reportIDs(.input).prefix(2) {
        let length = min(descriptor.byteLength(.input, id: id) ?? 0, 1024)
        // One of two contents an input: a run that tries both gets through half as many descriptors.
        let fill: UInt8 = input.count.isMultiple(of: 2) ? 1 : 0x25
        let report = HIDReport(id: id, bytes: Array(repeating: fill, count: length))
        _ = magTek.receive(report)
        _ = generic.receive(report)
    }
    return 0
}
