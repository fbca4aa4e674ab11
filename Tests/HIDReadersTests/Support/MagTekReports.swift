import CardData
import ReaderKit
import ReaderTesting

@testable import Captures
@testable import HIDReaders

/// The tracks of MagTek's published example, readers that get reports, and what came out of them.
enum MagTekReports {
    static let tracks = [
        "%B5452300551227189^HOGAN/PAUL      ^08043210000000725000000?",
        ";5452300551227189=080432100000007250?",
        ";5163499080020445=000000000000?",
    ]

    static func swipes(_ actions: [DriverAction]) -> [Swipe] {
        actions.compactMap { if case .signal(.swiped(let swipe)) = $0 { swipe } else { nil } }
    }

    static func magneSafe(productID: UInt16 = 0x0011) -> MagneSafeDriver {
        MagneSafeDriver(
            DeviceIdentity(
                readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: productID, node: "/dev/hidraw0"))
    }

    static func sureSwipe(productID: UInt16 = 0x0002) -> SureSwipeDriver {
        SureSwipeDriver(
            DeviceIdentity(
                readerID: "magtek", bus: .usb, vendorID: 0x0801, productID: productID, node: "/dev/hidraw0"))
    }

    static func clearTexts(_ swipe: Swipe) -> [String] { swipe.tracks.map { $0.text?.reveal() ?? "" } }
}
