import ReaderCatalog
import ReaderKit
import ReaderTesting
import Testing

@testable import HIDReaders

@Suite struct CatalogTests {
    static func device(_ vendor: UInt16, _ product: UInt16, _ descriptor: [UInt8] = []) -> DeviceIdentity {
        DeviceIdentity(
            readerID: "reader", bus: .usb, vendorID: vendor, productID: product, product: "Reader",
            node: "/dev/hidraw0",
            reportDescriptor: descriptor)
    }

    /// The name of the driver that takes a device; what to do about one that nobody takes.
    static func verdict(_ device: DeviceIdentity) -> (driver: String?, remedy: String?) {
        switch ReaderCatalog.verdict(on: device) {
        case .reader(let driver, _): (driver.descriptor.name, nil)
        case .unsupported(_, _, let remedy): (nil, remedy)
        case .stranger: (nil, nil)
        }
    }

    @Test(
        arguments: [
            (0x0801, 0x0011, "magtek-magnesafe"), (0x0801, 0x0013, "magtek-magnesafe"),
            (0x0801, 0x0019, "magtek-magnesafe"),
            (0x0801, 0x0002, "magtek-sureswipe"), (0x0801, 0x0020, "magtek-idynamo5-gen3"),
            (0x0ACD, 0x2010, "idtech-hid"),
            (0x0ACD, 0x2020, "idtech-hid-compatible"),
        ] as [(UInt16, UInt16, String)])
    func idsFindTheirDriver(vendor: UInt16, product: UInt16, driver: String) {
        #expect(Self.verdict(Self.device(vendor, product)).driver == driver)
    }

    @Test(arguments: [(0x0801, 0x0001), (0x0801, 0x0021), (0x0ACD, 0x2030)] as [(UInt16, UInt16)])
    func keyboardsAreRecognisedAndLeftAlone(vendor: UInt16, product: UInt16) {
        let verdict = Self.verdict(Self.device(vendor, product))
        #expect(verdict.driver == nil)
        #expect(verdict.remedy?.contains("types like a keyboard") == true)
    }

    /// Readers whose reports no driver puts together are not said to work.
    @Test(arguments: [0x3820, 0x3920, 0x3810, 0x3910] as [UInt16]) func augustasAreLeftAlone(product: UInt16)
    {
        let verdict = Self.verdict(Self.device(0x0ACD, product))
        #expect(verdict.driver == nil)
        #expect(verdict.remedy?.contains("swipectl decode --hid") == true)
    }

    @Test func aStrangerWithAReadersIDsIsLeftAlone() {
        let keyboard: [UInt8] = [
            0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x75, 0x08, 0x95, 0x08, 0x81, 0x02, 0xC0,
        ]
        #expect(Self.verdict(Self.device(0x0801, 0x0003, keyboard)).driver == nil)
        #expect(Self.verdict(Self.device(0x0801, 0x0003)).driver == nil)
        let numbered = TestDescriptors.vendor([(0x01, 8, 64)], reportID: 1)
        #expect(Self.verdict(Self.device(0x0801, 0x0003, numbered)).driver == nil)
    }

    /// Two makers gave their devices the same ids: the report descriptor tells the encoder from the insert reader.
    @Test func oneIDIsTwoReaders() {
        let encoder = TestDescriptors.vendor([(0x01, 8, 64)])
        #expect(Self.verdict(Self.device(0x0801, 0x0003, encoder)).driver == "msr605x")
        let reader = TestDescriptors.vendor(TestDescriptors.sureSwipe + [(0x39, 8, 1)])
        #expect(Self.verdict(Self.device(0x0801, 0x0003, reader)).driver == "magtek-sureswipe")
    }

    @Test func theStripePageIsTakenWhateverTheIDs() {
        let descriptor = TestDescriptors.vendor(TestDescriptors.stripePage, page: [0x05, 0x8E])
        #expect(Self.verdict(Self.device(0x1234, 0x5678, descriptor)).driver == "hid-stripe-page")
        #expect(Self.verdict(Self.device(0x1234, 0x5678)).driver == nil)
    }

    @Test func noDeviceHasTwoDrivers() {
        struct Match: Hashable {
            var ids: [UInt16]
            var usage: UInt16?
            var inputBytes: Int?
        }
        var seen: Set<Match> = []
        for driver in ReaderCatalog.hid {
            for match in driver.descriptor.matches {
                guard let vendor = match.vendorID, let product = match.productID else { continue }
                let new = Match(ids: [vendor, product], usage: match.usage, inputBytes: match.inputBytes)
                #expect(seen.insert(new).inserted, "\(vendor):\(product)")
            }
        }
    }

    @Test func everyDriverKeepsTheRules() {
        for driver in ReaderCatalog.hid {
            for match in driver.descriptor.matches {
                if case .unsupported = match.support { continue }
                let page = match.usagePage == StripePageLayout.usagePage
                let descriptor =
                    page ? TestDescriptors.vendor(TestDescriptors.stripePage, page: [0x05, 0x8E]) : []
                let device = Self.device(match.vendorID ?? 0x1234, match.productID ?? 0x5678, descriptor)
                #expect(Self.violations(driver, device).isEmpty, "\(driver.descriptor.name): \(match.model)")
            }
        }
    }

    static func violations<Driver: ReaderDriver>(
        _ driver: Driver.Type, _ device: DeviceIdentity
    ) -> [DriverConformance.Violation] where Driver.Input == HIDReport {
        DriverConformance.violations(of: driver, on: device)
    }

    /// Every file of the folders is a vector: one without an origin, or with another than its folder's, is found by walking them.
    @Test func everyVectorNamesItsOrigin() throws {
        let files = try Vector.paths()
        #expect(files.count >= 24)
        for path in files where path != "README.md" {
            let folder = path.split(separator: "/").dropLast().last.map(String.init)
            let origin = try #require(
                Vector.Origin(rawValue: folder ?? ""), "\(path): not in an origin's folder")
            #expect(try Vector.origin(of: path) == origin, "\(path)")
        }
    }
}
