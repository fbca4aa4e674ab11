import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import HIDReaders

/// Readers whose report descriptor could not be read: the transport does not know that their reports begin with an id, and
/// leaves it in front.
@Suite struct UndescribedReaderTests {
    @Test(arguments: [0x0019, 0x001A, 0x001C, 0x001F] as [UInt16]) func theEMVFamily(product: UInt16) throws {
        for path in ["MagTek/published/v5_hid856_level2.hex", "MagTek/generated/v5_hid887_datavariant.hex"] {
            let bytes = try Vector(path).bytes()
            var described = MagTekReports.magneSafe()
            let right = MagTekReports.swipes(described.receive(HIDReport(bytes: bytes)))
            for report in [
                HIDReport(bytes: [1] + bytes), HIDReport(bytes: bytes), HIDReport(id: 1, bytes: bytes),
            ] {
                var driver = MagTekReports.magneSafe(productID: product)
                #expect(MagTekReports.swipes(driver.receive(report)) == right)
            }
        }
    }

    @Test(
        arguments: [
            ([3] + Array(repeating: 0, count: 887), "report with id 3"),
            ([1] + Array(repeating: 0, count: 885), "report of 885 bytes instead of 856, 887, 931"),
            ([], "report of 0 bytes instead of 856, 887, 931"),
            ([2, 0, 9], "notification: cut short"),
        ] as [([UInt8], String)])
    func whatIsWrongIsNamed(bytes: [UInt8], complaint: String) {
        var driver = MagTekReports.magneSafe(productID: 0x0019)
        #expect(driver.receive(HIDReport(bytes: bytes)) == [.signal(.malformed(complaint))])
    }

    @Test func aNotificationIsPassedBy() {
        var driver = MagTekReports.magneSafe(productID: 0x0019)
        #expect(driver.receive(HIDReport(bytes: [2, 0, 1, 0, 0, 0, 7, 0, 1, 0xA1])).isEmpty)
    }

    /// A reader without ids is as it was: its reports begin with a track's status.
    @Test func aReaderWithoutIDs() throws {
        let bytes = try Vector("MagTek/published/v5_hid856_level2.hex").bytes()
        var driver = MagTekReports.magneSafe()
        #expect(
            driver.receive(HIDReport(bytes: [1] + bytes))
                == [.signal(.malformed("report of 857 bytes instead of 856, 887, 931"))])
    }

    /// Where a descriptor names ids, a report without one is none of them.
    @Test func aDescribedReaderHasItsIDs() throws {
        var driver = MagneSafeDriver(
            DeviceIdentity(
                readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: 0x0019, node: "/dev/hidraw0",
                reportDescriptor: TestDescriptors.vendor(TestDescriptors.magneSafe, reportID: 1)))
        let bytes = try Vector("MagTek/published/v5_hid856_level2.hex").bytes()
        #expect(driver.receive(HIDReport(bytes: bytes)) == [.signal(.malformed("report with id 0"))])
        #expect(MagTekReports.swipes(driver.receive(HIDReport(id: 1, bytes: bytes))).count == 1)
    }

    @Test(arguments: [true, false]) func gen3(hasID: Bool) throws {
        var driver = Gen3Driver(
            DeviceIdentity(
                readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: 0x0020, node: "/dev/hidraw0"))
        let actions = Gen3Texts.packets(Gen3Texts.text).flatMap {
            driver.receive(HIDReport(bytes: hasID ? [1] + $0 : $0))
        }
        #expect(MagTekReports.swipes(actions).count == 1)
    }
}
