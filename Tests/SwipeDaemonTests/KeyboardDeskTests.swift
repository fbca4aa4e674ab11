import FoundationEssentials
import KeyboardReaders
import ReaderKit
import Testing

@testable import SwipeDaemon

/// Which keyboards are taken, among those that are there.
@Suite struct KeyboardDeskTests {
    private static let usb = "/sys/devices/pci/usb1"

    /// An interface of a USB device, as an input with keys or as a hidraw node.
    private static func device(_ ids: UInt16, _ place: String, _ interface: Int, isRaw: Bool = false)
        -> DeviceIdentity
    {
        let hid = "\(usb)/\(place)/\(place):1.\(interface)/0003:C216:0180.000\(interface)"
        let node = isRaw ? "hidraw\(interface)" : "event\(interface)"
        return DeviceIdentity(
            readerID: "x", bus: .usb, vendorID: ids, productID: 0x0180,
            port: "usb-\(place)/input\(interface)", node: isRaw ? "/dev/\(node)" : "/dev/input/\(node)",
            syspath: "\(hid)/\(isRaw ? "hidraw" : "input/input\(interface)")/\(node)")
    }

    private func configuration(_ lines: String = "") async throws -> DaemonConfiguration {
        try await withConfiguration("[keyboard-reader till]\nkeyboard = c217:0180\n" + lines) {
            try ConfigurationLoader.load(path: $0, isRequired: true)
        }
    }

    private static let reader = device(0xC217, "1-1", 0)

    private func refusal(beside others: [DeviceIdentity], _ configuration: DaemonConfiguration) throws
        -> KeyboardTaking.Refusal?
    {
        var desk = KeyboardDesk()
        desk.hasPointer = { _ in false }
        let terms = try #require(configuration.keyboardTerms(of: Self.reader))
        return desk.refusal(of: Self.reader, terms, among: [Self.reader] + others, configuration)
    }

    /// Another interface of the reader is nothing to type on, also where the section names one of them.
    @Test func aPartOfTheSameDeviceIsNoOtherKeyboard() async throws {
        for lines in ["", "port = usb-1-1/input0\n"] {
            let configuration = try await configuration(lines)
            let (part, other) = (Self.device(0xC217, "1-1", 1), Self.device(0x1209, "1-2", 0))
            #expect(try refusal(beside: [], configuration) == .onlyKeyboard)
            #expect(try refusal(beside: [part], configuration) == .onlyKeyboard)
            #expect(try refusal(beside: [part, other], configuration) == nil)
        }
    }

    /// A mouse's interface binds once the keyboard's was taken.
    @Test func aPointerThatComesLater() async throws {
        let configuration = try await configuration()
        let mouse = Self.device(0xC217, "1-1", 1, isRaw: true)
        let stranger = Self.device(0x1209, "1-2", 0)
        let devices = [Self.reader, mouse, stranger]
        var desk = KeyboardDesk()
        desk.hasPointer = { _ in true }
        #expect(desk.pointers(beside: mouse, among: devices, configuration) == [])
        desk.decided(Self.reader.syspath, nil)
        #expect(desk.pointers(beside: mouse, among: devices, configuration) == [Self.reader])
        #expect(desk.pointers(beside: stranger, among: devices, configuration) == [])
        #expect(desk.pointers(beside: Self.reader, among: devices, configuration) == [])
        let forced = try await self.configuration("force = yes\n")
        #expect(desk.pointers(beside: mouse, among: devices, forced) == [])
        desk.hasPointer = { _ in false }
        #expect(desk.pointers(beside: mouse, among: devices, configuration) == [])
        desk.decided(Self.reader.syspath, .onlyKeyboard)
        desk.hasPointer = { _ in true }
        #expect(desk.pointers(beside: mouse, among: devices, configuration) == [])
    }

    /// The kernel makes the hidraw node once the input is there: what was deaf until then is no more.
    @Test func reportsThatComeLater() {
        let raw = Self.device(0xC217, "1-1", 0, isRaw: true)
        let devices = [Self.reader.syspath: Self.reader]
        var desk = KeyboardDesk()
        desk.hasReports = { _ in true }
        #expect(desk.heard(with: raw, among: devices) == [])
        desk.deaf = [Self.reader.syspath]
        #expect(desk.heard(with: raw, among: devices) == [Self.reader.syspath])
        #expect(desk.heard(with: Self.device(0xC217, "1-2", 0, isRaw: true), among: devices) == [])
        #expect(desk.heard(with: Self.device(0xC217, "1-1", 1), among: devices) == [])
        desk.hasReports = { _ in false }
        #expect(desk.heard(with: raw, among: devices) == [])
    }

    /// One that udev left inhibited is deaf to the daemon as well: not held, but told with what to do.
    @Test(arguments: [false, true], [false, true])
    func anInputThatIsNotAsItShouldBe(isInhibited: Bool, isSilent: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: "\(folder)/input/input7/capabilities", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (file, text) in [
            ("inhibited", isInhibited ? "1" : "0"), ("capabilities/key", "fffffffffffffffe"),
        ] {
            try text.write(toFile: "\(folder)/input/input7/\(file)", atomically: true, encoding: .utf8)
        }
        let device = DeviceIdentity(
            readerID: "a", bus: .usb, node: isSilent ? "/dev/hidraw3" : "/dev/input/event3",
            syspath: "\(folder)/\(isSilent ? "hidraw/hidraw3" : "input/input7/event3")")
        let obstacle = DeviceWatch.obstacle(device, isSilent: isSilent)
        #expect((obstacle == nil) == (isInhibited == isSilent))
        if let obstacle {
            #expect("\(obstacle)".contains(isSilent ? "is not inhibited" : "input is inhibited"))
            #expect("\(obstacle)".contains("sudo udevadm trigger"))
        }
    }
}
