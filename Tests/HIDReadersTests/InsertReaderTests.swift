import ReaderKit
import ReaderTesting
import Testing

@testable import HIDReaders

/// A card that is pushed in and drawn out is one swipe: the better of its two reads.
@Suite struct InsertReaderTests {
    static func driver() -> SureSwipeDriver {
        SureSwipeDriver(
            DeviceIdentity(
                readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: 0x0003, node: "/dev/hidraw0",
                reportDescriptor: TestDescriptors.vendor(
                    TestDescriptors.sureSwipe + [(0x39, 8, 1)], featureBytes: 24)))
    }

    static func report(good: Bool, inserting: Bool) throws -> HIDReport {
        let path =
            good ? "MagTek/generated/sureswipe_hid337.hex" : "MagTek/generated/sureswipe_hid337_allbad.hex"
        return HIDReport(bytes: try Vector(path).bytes() + [inserting ? 1 : 0])
    }

    @Test(arguments: [
        // Read well on the way in: told at once, and what comes on the way out changes nothing.
        (true, true, [3]), (true, false, [3]),
        // Read badly on the way in: the way out decides.
        (false, true, [3]), (false, false, [0]),
    ])
    func oneCardIsOneSwipe(first: Bool, second: Bool, readTracks: [Int]) throws {
        var driver = Self.driver()
        _ = driver.start()
        var actions = driver.receive(try Self.report(good: first, inserting: true))
        #expect(MagTekReportTests.swipes(actions).count == (first ? 1 : 0))
        actions += driver.receive(try Self.report(good: second, inserting: false))
        #expect(MagTekReportTests.swipes(actions).map(\.readTracks) == readTracks)
    }

    @Test func aReaderThatReadsOnlyOnWithdrawal() throws {
        var driver = Self.driver()
        let actions = driver.receive(try Self.report(good: true, inserting: false))
        #expect(MagTekReportTests.swipes(actions).count == 1)
    }

    @Test func aBadReadIsNotHeldForEver() throws {
        var driver = Self.driver()
        #expect(
            driver.receive(try Self.report(good: false, inserting: true)) == [
                .startTimer(InsertReads.patience)
            ])
        #expect(MagTekReportTests.swipes(driver.timerFired()).map(\.readTracks) == [0])
        #expect(
            MagTekReportTests.swipes(driver.receive(try Self.report(good: false, inserting: false))).isEmpty)
    }
}
