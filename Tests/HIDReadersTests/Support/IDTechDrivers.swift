import CardData
import FoundationEssentials
import ReaderKit
import ReaderPackets
import ReaderTesting

@testable import HIDReaders

/// Drivers of ID TECH's readers that were started.
enum IDTechDrivers {
    static func driver() -> IDTechDriver {
        IDTechDriver(
            DeviceIdentity(
                readerID: "idtech", bus: .usb, vendorID: 0x0ACD, productID: 0x2010, node: "/dev/hidraw1"))
    }

    static func commands(_ actions: [DriverAction]) -> [TransportCommand] {
        actions.compactMap { if case .command(let command) = $0 { command } else { nil } }
    }
}
