import Foundation
import ReaderKit
import Testing

@testable import DeviceIO

/// Which input devices are parts of one, and whether it moves a pointer.
@Suite struct InputSurroundingsTests {
    private static let keyboard = "pci0000:00/usb1/1-1/1-1:1.0/0003:C216:0180.0001/input/input7"

    /// - Parameter parts: other inputs, with their `rel` and `abs`.
    private func hasPointer(_ parts: [(path: String, rel: String, abs: String)]) throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "inputs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let links = folder.appending(path: "class")
        try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
        for part in parts + [(Self.keyboard, "0", "0")] {
            let place = folder.appending(path: "devices/\(part.path)")
            let capabilities = place.appending(path: "capabilities")
            try FileManager.default.createDirectory(at: capabilities, withIntermediateDirectories: true)
            try Data("\(part.rel)\n".utf8).write(to: capabilities.appending(path: "rel"))
            try Data("\(part.abs)\n".utf8).write(to: capabilities.appending(path: "abs"))
            try FileManager.default.createSymbolicLink(
                at: links.appending(path: place.lastPathComponent), withDestinationURL: place)
        }
        let real = folder.resolvingSymlinksInPath().path
        let device = DeviceIdentity(
            readerID: "a", bus: .usb, node: "/dev/input/event3",
            syspath: "\(real)/devices/\(Self.keyboard)/event3")
        return InputSurroundings.hasPointer(device, inputs: links.path)
    }

    @Test func partsOfTheSameDevice() throws {
        let sibling = "pci0000:00/usb1/1-1/1-1:1.1/0003:C216:0180.0002/input/input8"
        #expect(try !hasPointer([]))
        #expect(try hasPointer([(sibling, "903", "0")]), "a mouse")
        #expect(try hasPointer([(sibling, "0", "1000003")]), "a tablet")
        #expect(try hasPointer([(sibling, "0", "260800000000003 100000003")]), "a touch pad")
        #expect(try !hasPointer([(sibling, "1040", "100000000")]), "a wheel and a volume of a keyboard's own")
        #expect(
            try !hasPointer([("pci0000:00/usb1/1-2/1-2:1.0/0003:046D:C077.0003/input/input9", "903", "0")]))
        #expect(
            try !hasPointer([("pci0000:00/usb1/1-1.1/1-1.1:1.0/0003:046D:C077.0003/input/input9", "903", "0")]
            ))
    }

    /// What `capabilities/key` has of a keyboard, and of a consumer control.
    private static let keys = "1000000000007 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe"
    private static let volume =
        "3f000301ff 0 0 483ffff17aff32d bfd4444600000000 1 130ff38b17c000 677bfad9415fed"

    /// All of its inputs that type, or it would type all the same; udev inhibits no others.
    @Test(arguments: [
        (["1"], [], true), (["0"], [], false), (["1", "0"], [], false), (["1", "1"], [], true),
        ([], [], false), (["1"], ["0"], true), (["0"], ["1"], false), ([], ["1"], false),
    ])
    func inhibitedInputs(keyboards: [String], controls: [String], isInhibited: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hid-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let inputs = keyboards.map { ($0, Self.keys) } + controls.map { ($0, Self.volume) }
        for (number, (state, keys)) in inputs.enumerated() {
            let input = folder.appending(path: "input/input\(number)")
            let capabilities = input.appending(path: "capabilities")
            try FileManager.default.createDirectory(at: capabilities, withIntermediateDirectories: true)
            try Data("\(state)\n".utf8).write(to: input.appending(path: "inhibited"))
            try Data("\(keys)\n".utf8).write(to: capabilities.appending(path: "key"))
            // Its event device: of this input alone.
            let event = DeviceIdentity(
                readerID: "a", bus: .usb, node: "/dev/input/event\(number)",
                syspath: "\(input.path)/event\(number)")
            #expect(InputSurroundings.isInhibited(event) == (state == "1"))
        }
        let device = DeviceIdentity(
            readerID: "a", bus: .usb, node: "/dev/hidraw0", syspath: "\(folder.path)/hidraw/hidraw0")
        #expect(InputSurroundings.isInhibited(device) == isInhibited)
    }

    /// The hidraw node of its own HID device, and no other's.
    @Test func reportsBesideAnInput() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hid-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for path in [
            "0003:A.1/input/input7/event3", "0003:A.1/hidraw/hidraw3", "0003:A.2/input/input8/event4",
            "0003:A.4/hidraw", "0003:A.4/input/input10/event6", "serio0/input/input9/event5",
        ] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: path), withIntermediateDirectories: true)
        }
        for (path, hasReports) in [
            ("0003:A.1/input/input7/event3", true), ("0003:A.2/input/input8/event4", false),
            ("0003:A.4/input/input10/event6", false), ("serio0/input/input9/event5", false),
        ] {
            let device = DeviceIdentity(
                readerID: "a", bus: .usb, node: "/dev/input/event3", syspath: folder.path + "/" + path)
            #expect(InputSurroundings.hasReports(device) == hasReports, "\(path)")
        }
    }

    @Test(arguments: [
        ("/sys/devices/pci/usb1/1-1/1-1:1.0/0003:A.1/input/input7/event3", "/sys/devices/pci/usb1/1-1"),
        ("/sys/devices/platform/i8042/serio0/input/input3/event2", "/sys/devices/platform/i8042/serio0"),
        (
            "/sys/devices/virtual/misc/uhid/0005:A.7/input/input9/event4",
            "/sys/devices/virtual/misc/uhid/0005:A.7"
        ),
        (
            "/sys/devices/virtual/misc/uhid/0005:A.7/hidraw/hidraw4",
            "/sys/devices/virtual/misc/uhid/0005:A.7"
        ),
        (
            "/sys/devices/pci/usb1/1-4/1-4:1.0/bluetooth/hci0/hci0:256/0005:A.7/input/input9/event4",
            "/sys/devices/pci/usb1/1-4/1-4:1.0/bluetooth/hci0/hci0:256/0005:A.7"
        ),
        ("/sys/devices/virtual/input/input9/event4", "/sys/devices/virtual/input/input9"),
    ])
    func wholeDevices(path: String, whole: String) { #expect(InputSurroundings.whole(path) == whole) }
}
