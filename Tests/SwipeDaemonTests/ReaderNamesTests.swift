import ReaderKit
import Testing

@testable import SwipeDaemon

/// Who is called what, plug by plug.
@Suite struct ReaderNamesTests {
    /// Readers at ports of one hub, by the ids that they have.
    private struct Hub {
        var names = ReaderNames()
        var present: [Int: String] = [:]

        mutating func plug(_ port: Int, _ serial: String = "A") -> String {
            let device = DeviceIdentity(
                readerID: "magtek-\(serial)", bus: .usb, port: "usb-0000:00:14.0-\(port)/input0",
                node: "/dev/hidraw\(port)")
            let name = names.name(for: device, taken: Set(present.values))
            #expect(!present.values.contains(name))
            present[port] = name
            return name
        }

        mutating func unplug(_ port: Int) { present[port] = nil }
    }

    private static func both(_ port: Int, _ serial: String = "A") -> String {
        "magtek-\(serial)-usb-0000-00-14.0-\(port)-input0"
    }

    @Test func aSerialNumberNamesItsReaderAtEveryPort() {
        var hub = Hub()
        for port in [1, 2, 1, 3] {
            #expect(hub.plug(port) == "magtek-A")
            #expect(hub.plug(port + 4, "B") == "magtek-B")
            hub.unplug(port)
            hub.unplug(port + 4)
        }
    }

    @Test func twoWithOneNumberKeepTheirPortsNames() {
        var hub = Hub()
        #expect(hub.plug(1) == "magtek-A")
        #expect(hub.plug(2) == Self.both(2))
        // In any order, one alone, and another beside them.
        for order in [[1, 2], [2, 1], [2], [1]] {
            for port in [1, 2] { hub.unplug(port) }
            for port in order { #expect(hub.plug(port) == (port == 1 ? "magtek-A" : Self.both(2))) }
        }
        #expect(hub.plug(3) == Self.both(3))
        hub.unplug(1)
        hub.unplug(3)
        #expect(hub.plug(3) == Self.both(3))
        #expect(hub.plug(1) == "magtek-A")
        #expect(hub.plug(5, "B") == "magtek-B")
    }

    /// Virtual readers have no port; equal names get a number.
    @Test func withoutAPort() {
        var names = ReaderNames()
        let device = DeviceIdentity(readerID: "virtual-v", bus: .usb, node: "v")
        #expect(names.name(for: device, taken: []) == "virtual-v")
        #expect(names.name(for: device, taken: ["virtual-v"]) == "virtual-v-2")
        #expect(names.name(for: device, taken: ["virtual-v", "virtual-v-2"]) == "virtual-v-3")
    }

    /// What is remembered is bounded, and a name that is there is never given again.
    @Test func manyNumbers() {
        var hub = Hub()
        for number in 0..<(2 * ReaderNames.maximumRemembered) {
            #expect(hub.plug(1, "\(number)") == "magtek-\(number)")
            #expect(hub.plug(2, "\(number)") == Self.both(2, "\(number)"))
            hub.unplug(1)
            hub.unplug(2)
        }
    }
}
