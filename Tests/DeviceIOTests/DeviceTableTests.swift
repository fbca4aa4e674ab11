import ReaderKit
import Testing

@testable import DeviceIO

@Suite("The table of what was told")
struct DeviceTableTests {
    private func device(_ syspath: String, serial: String = "1") -> DeviceIdentity {
        DeviceIdentity(readerID: serial, bus: .usb, serial: serial, node: "/dev/hidraw0", syspath: syspath)
    }

    private func sighting(_ syspath: String, inode: UInt64? = nil) -> DeviceTable.Sighting {
        DeviceTable.Sighting(device: device(syspath), object: inode.map(SysfsObject.init(inode:)))
    }

    @Test("a device that the monitor and the enumeration both show is told once")
    func once() {
        var table = DeviceTable()
        #expect(table.saw(device("a")) == [.added(device("a"))])
        #expect(table.scanned([sighting("a")]) == [.scanned])
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
        _ = table.scanned([sighting("a"), sighting("b")])
        #expect(
            table.scanned([sighting("b"), sighting("c")]) == [
                .removed(syspath: "a"), .added(device("c")), .scanned,
            ])
    }

    @Test(
        "what an enumeration passes over stays while the kernel has it, and goes when it has another one or none"
    )
    func passedOver() {
        let here = SysfsObject(inode: 7)
        for (present, isThere) in [(here, true), (SysfsObject(inode: 8), false), (nil, false)] {
            var table = DeviceTable()
            _ = table.scanned([sighting("a", inode: 7)])
            #expect(table.holds("a", present: present) == isThere)
            let events = table.scanned([]) { _ in present }
            #expect(events == (isThere ? [] : [.removed(syspath: "a")]) + [.scanned])
        }
    }

    @Test("an equal device that came back under the same syspath is another one")
    func cameBack() {
        var table = DeviceTable()
        _ = table.saw(device("a"), as: SysfsObject(inode: 7))
        #expect(table.saw(device("a"), as: SysfsObject(inode: 7)) == [])
        #expect(
            table.saw(device("a"), as: SysfsObject(inode: 8)) == [
                .removed(syspath: "a"), .added(device("a")),
            ])
    }

    @Test("the kernel does not know a virtual reader: it goes when that is told")
    func virtual() {
        var table = DeviceTable()
        _ = table.scanned([sighting("/tmp/none")])
        #expect(!table.holds("/tmp/none", present: SysfsObject(at: "/tmp/none")))
    }

    @Test("a doubted removal is looked at again after pauses that grow, until it is settled")
    func doubts() {
        var doubts = RemovalDoubts()
        let start = ContinuousClock.now
        #expect(doubts.milliseconds(from: start) == nil)
        for name in ["stays", "goes"] { doubts.add(name, at: start) }
        #expect(doubts.milliseconds(from: start) == 11)
        #expect(doubts.due(at: start + .milliseconds(9)) == [])
        var looks: [Int] = []
        for millisecond in 0...1_000 {
            let now = start + .milliseconds(millisecond)
            // Told once more, as each device is where everything is triggered: that does not put the end off.
            if millisecond == 25 { doubts.add("stays", at: now) }
            guard doubts.due(at: now).contains("stays") else { continue }
            looks.append(millisecond)
            doubts.isStillThere("stays", at: now)
        }
        #expect(looks == [10, 30, 70, 150, 310])
        doubts.settle("goes")
        #expect(doubts.milliseconds(from: start) == nil)
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
