import ReaderKit
import Testing

@testable import DeviceIO

@Suite("The table of what was told")
struct DeviceTableTests {
    private func device(_ syspath: String, serial: String = "1") -> DeviceIdentity {
        DeviceIdentity(readerID: serial, bus: .usb, serial: serial, node: "/dev/hidraw0", syspath: syspath)
    }

    @Test("a device that the monitor and the enumeration both show is told once")
    func once() {
        var table = DeviceTable()
        #expect(table.saw(device("a")) == [.added(device("a"))])
        #expect(table.scanned([device("a")]) == [.scanned])
        #expect(table.saw(device("a")) == [])
    }

    @Test("a removal is told once, and only of what was told")
    func removal() {
        var table = DeviceTable()
        _ = table.saw(device("a"))
        #expect(table.lost(syspath: "b") == [])
        #expect(table.lost(syspath: "a") == [.removed(syspath: "a")])
        #expect(table.lost(syspath: "a") == [])
    }

    @Test("another device under the same syspath means that a removal was missed")
    func swapped() {
        var table = DeviceTable()
        _ = table.saw(device("a", serial: "1"))
        let second = device("a", serial: "2")
        #expect(table.saw(second) == [.removed(syspath: "a"), .added(second)])
    }

    @Test("a rescan tells what went and what came")
    func rescan() {
        var table = DeviceTable()
        _ = table.scanned([device("a"), device("b")])
        #expect(
            table.scanned([device("b"), device("c")]) == [
                .removed(syspath: "a"), .added(device("c")), .scanned,
            ])
    }

    @Test("the table has a limit")
    func limit() {
        var table = DeviceTable()
        for index in 0..<DeviceTable.maximumDevices { #expect(table.saw(device("\(index)")).count == 1) }
        #expect(table.saw(device("one more")) == [])
        _ = table.lost(syspath: "0")
        #expect(table.saw(device("one more")).count == 1)
    }
}

@Suite("What sysfs says")
struct IdentityTests {
    @Test(
        "HID_ID is bus, vendor and product",
        arguments: [
            ("0003:00000801:00000011", DeviceIdentity.Bus.usb),
            ("0005:00000801:00000011", .bluetooth),
            ("0000:00000801:00000011", .other),
        ])
    func ids(text: String, bus: DeviceIdentity.Bus) throws {
        let ids = try #require(HIDBusIDs(text))
        #expect(ids.bus == bus)
        #expect(ids.vendor == 0x0801)
        #expect(ids.product == 0x0011)
    }

    @Test(
        "what is no HID_ID is refused",
        arguments: [
            nil, "", "0003", "0003:0801", "0003:00000801:00010011", "x:y:z", "0003:00000801:00000011:",
        ])
    func badIDs(text: String?) { #expect(HIDBusIDs(text) == nil) }

    @Test(
        "a reader is named by its serial number, else by its port, else by the kernel",
        arguments: [
            ("B0A1B2C3", "usb-0000:00:14.0-1/input0", "B0A1B2C3"),
            (nil, "usb-0000:00:14.0-1/input0", "usb-0000-00-14.0-1-input0"),
            (nil, nil, "0003-0801-0011.0001"),
            ("a b\u{7}ö", nil, "a-b--"),
        ])
    func names(serial: String?, port: String?, name: String) {
        #expect(ReaderName.make(serial: serial, port: port, syspath: "/sys/x/0003:0801:0011.0001") == name)
    }

    @Test("zeros are no serial number", arguments: [nil, "", "0", "00000000", " "])
    func noSerial(text: String?) { #expect(ReaderName.serial(text) == nil) }

    @Test("the lowest capture device of a card is the one to open")
    func capture() {
        #expect(SoundCardIdentity.captureDevice(names: ["pcmC1D0p", "pcmC1D2c", "pcmC1D10c", "id"]) == 2)
        #expect(SoundCardIdentity.captureDevice(names: ["pcmC1D0p", "controlC1"]) == nil)
    }
}
