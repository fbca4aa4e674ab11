import CardData
import ReaderKit
import ReaderTesting
import Testing

@testable import HIDReaders

@Suite struct ReportDescriptorTests {
    @Test func theManualsLayoutComesOutOfTheDescriptor() throws {
        let descriptor = try ReportDescriptor(TestDescriptors.vendor(TestDescriptors.magneSafe))
        let layout = try #require(MagTekLayout(descriptor, reportID: 0))
        #expect(layout == .magneSafe856)
        #expect(descriptor.byteLength(.feature, id: 0) == 60)
        #expect(descriptor.reportIDs(.input) == [0])
        let sureSwipe = try ReportDescriptor(
            TestDescriptors.vendor(TestDescriptors.sureSwipe, featureBytes: 24))
        #expect(MagTekLayout(sureSwipe, reportID: 0) == .sureSwipe)
        #expect(sureSwipe.byteLength(.feature, id: 0) == 24)
    }

    /// The makers warn that reports may grow: fields are found where the descriptor puts them.
    @Test func aFieldThatNobodyKnowsShiftsTheOthers() throws {
        let fields = [(usage: UInt8(0x70), bits: UInt8(8), count: UInt8(5))] + TestDescriptors.magneSafe
        let descriptor = TestDescriptors.vendor(fields)
        let layout = try #require(MagTekLayout(try ReportDescriptor(descriptor), reportID: 0))
        #expect(layout.length == 861)
        #expect(layout[.keySerialNumber] == 500..<510)
        var driver = MagneSafeDriver(
            DeviceIdentity(
                readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: 0x0011, node: "/dev/hidraw0",
                reportDescriptor: descriptor))
        let report = try Vector("MagTek/published/v5_hid856_level2.hex").bytes()
        let swipes = MagTekReports.swipes(driver.receive(HIDReport(bytes: [9, 9, 9, 9, 9] + report)))
        #expect(swipes.map(MagTekReports.clearTexts) == [MagTekReports.tracks])
        #expect(
            driver.receive(HIDReport(bytes: report)) == [
                .signal(.malformed("report of 856 bytes instead of 861"))
            ])
    }

    @Test func theEMVFamilyHasReportIDs() throws {
        var driver = MagneSafeDriver(
            DeviceIdentity(
                readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: 0x0019, node: "/dev/hidraw0",
                reportDescriptor: TestDescriptors.vendor(TestDescriptors.magneSafe, reportID: 1)))
        let command = driver.start().compactMap {
            if case .command(let command) = $0 { command } else { nil }
        }
        #expect(command == [.feature([0x15, 0x00] + Array(repeating: 0, count: 58), id: 1)])
        let report = try Vector("MagTek/published/v5_hid856_level2.hex").bytes()
        #expect(MagTekReports.swipes(driver.receive(HIDReport(id: 1, bytes: report))).count == 1)
        #expect(driver.receive(HIDReport(id: 2, bytes: [0, 1, 0, 0, 3, 1, 0, 1, 0xAA])).isEmpty)
        #expect(
            driver.receive(HIDReport(id: 2, bytes: [0, 9])) == [
                .signal(.malformed("notification: cut short"))
            ])
        // The second half of another one, behind a gap.
        #expect(driver.receive(HIDReport(id: 2, bytes: [0, 1, 0, 0, 3, 1, 0, 2, 0xAA])).isEmpty)
        #expect(driver.inputsLost().isEmpty)
        #expect(
            driver.receive(HIDReport(id: 2, bytes: [0, 1, 0, 1, 3, 1, 0, 2, 0xAA])) == [
                .signal(.malformed("notification: fragment out of order"))
            ])
    }

    @Test func aLastUsageStandsForTheRest() throws {
        // Usages 11 and 12 for five elements: one and four.
        let bytes: [UInt8] = [0x05, 0x8E, 0x09, 0x11, 0x09, 0x12, 0x75, 0x08, 0x95, 0x05, 0x81, 0x02]
        let fields = try ReportDescriptor(bytes).fields
        #expect(fields.map(\.usage) == [0x11, 0x12])
        #expect(fields.map(\.count) == [1, 4])
        #expect(fields.map(\.bitOffset) == [0, 8])
    }

    /// With ids, push and pop, and a long item, which is skipped.
    @Test func lengthsOfNumberedReports() throws {
        let descriptor = try ReportDescriptor([
            0x75, 0x08, 0x95, 0x04, 0x85, 0x01, 0x81, 0x02, 0xA4, 0x85, 0x02, 0x95, 0x09, 0x81, 0x02, 0xB4,
            0xB1, 0x02,
            0xFE, 0x02, 0x00, 0xAA, 0xBB, 0x75, 0x01, 0x95, 0x03, 0x91, 0x02,
        ])
        #expect(descriptor.isNumbered)
        #expect(descriptor.byteLength(.input, id: 1) == 4)
        #expect(descriptor.byteLength(.input, id: 2) == 9)
        #expect(descriptor.longestByteLength(.input) == 9)
        #expect(descriptor.byteLength(.feature, id: 1) == 4)
        #expect(descriptor.byteLength(.output, id: 1) == 1)
    }

    @Test func aDescriptorThatSaysNothing() {
        #expect(!ReportDescriptor.empty.isNumbered)
        #expect(ReportDescriptor.empty.longestByteLength(.input) == nil)
    }

    @Test func anUnnumberedReportHasNoID() throws {
        let descriptor = try ReportDescriptor(
            TestDescriptors.vendor(TestDescriptors.sureSwipe, featureBytes: 24))
        #expect(!descriptor.isNumbered)
        #expect(descriptor.longestByteLength(.input) == 337)
        #expect(descriptor.longestByteLength(.output) == nil)
    }

    @Test(
        arguments: [
            ([0x75], ReportDescriptor.Refusal.truncated), ([0xFE, 0x09, 0x00], .truncated),
            ([0xB4], .stackUnderflow),
            ([0xC0], .unbalancedCollections), ([0xA1, 0x01], .unbalancedCollections),
            ([0x97, 0xFF, 0xFF, 0xFF, 0xFF], .reportTooLong),
            ([0x76, 0xFF, 0xFF, 0x96, 0xFF, 0xFF, 0x81, 0x02], .reportTooLong),
            (Array(repeating: 0xA4, count: 20), .stackOverflow), (Array(repeating: 0, count: 5000), .tooLong),
        ] as [([UInt8], ReportDescriptor.Refusal)])
    func refusals(bytes: [UInt8], refusal: ReportDescriptor.Refusal) {
        #expect(throws: refusal) { try ReportDescriptor(bytes) }
    }

    @Test func theStripePageNeedsNoMakersIDs() throws {
        var driver = StripePageDriver(
            DeviceIdentity(
                readerID: "hid", bus: .usb, vendorID: 0x1234, productID: 0x5678, node: "/dev/hidraw0",
                reportDescriptor: TestDescriptors.vendor(TestDescriptors.stripePage, page: [0x05, 0x8E])))
        let track1 = Array(MagTekReports.tracks[0].utf8)
        let track2 = Array(MagTekReports.tracks[1].utf8)
        var report = [UInt8(track1.count), UInt8(track2.count), 0]
        report += track1 + [UInt8](repeating: 0, count: 80 - track1.count)
        report += track2 + [UInt8](repeating: 0, count: 41 - track2.count)
        report += [UInt8](repeating: 0, count: 108)
        let swipe = try #require(MagTekReports.swipes(driver.receive(HIDReport(bytes: report))).first)
        #expect(MagTekReports.clearTexts(swipe) == MagTekReports.tracks.dropLast() + [""])
        #expect(swipe.card?.kind == "payment")
    }
}
