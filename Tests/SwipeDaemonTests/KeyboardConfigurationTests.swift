import DeviceIO
import FoundationEssentials
import ReaderKit
import Testing

@testable import SwipeDaemon

/// What the configuration says of keyboards, and what becomes of one that is there.
@Suite struct KeyboardConfigurationTests {
    private func load(_ text: String) async throws -> DaemonConfiguration {
        let path = FileManager.default.temporaryDirectory.appending(path: "swiped-\(UUID().uuidString).conf")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return try ConfigurationLoader.load(path: path, isRequired: true)
    }

    private func fault(_ text: String) async -> String {
        do {
            _ = try await load(text)
            return ""
        } catch {
            return "\(error)"
        }
    }

    private static let descriptor: [UInt8] = [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0xC0]

    private static func device(
        _ vendor: UInt16, _ product: UInt16, node: String = "/dev/input/event3", port: String? = nil
    ) -> DeviceIdentity {
        DeviceIdentity(
            readerID: "x", bus: .usb, vendorID: vendor, productID: product, port: port, node: node,
            syspath: "/sys/\(node)", reportDescriptor: node.contains("hidraw") ? descriptor : [])
    }

    private static func word(_ route: DeviceRoute) -> String {
        switch route {
        case .none: "none"
        case .keyboard(_, let match, let terms):
            "keyboard \(match.model) \(terms.consent) \(terms.name ?? "-")"
        case .unsupported(let descriptor, _, let remedy): "unsupported \(descriptor.name): \(remedy)"
        case .hid, .audio, .virtualHID, .serial, .virtualSerial, .virtualKeyboard: "other"
        }
    }

    /// Nothing is taken that nobody named; a reader of known ids is listed with what to write.
    @Test func nothingIsTakenUnasked() async throws {
        let plain = try await load("")
        for ids in [(0xC216, 0x0180), (0x0801, 0x0001), (0x1209, 0x0002)] as [(UInt16, UInt16)] {
            #expect(Self.word(.of(Self.device(ids.0, ids.1), plain)) == "none")
        }
        let hidraw = Self.word(.of(Self.device(0xC216, 0x0180, node: "/dev/hidraw3"), plain))
        #expect(hidraw.hasPrefix("unsupported keyboard: "))
        #expect(hidraw.contains("[keyboard-reader NAME] with keyboard = c216:0180"))
        let magtek = Self.word(.of(Self.device(0x0801, 0x0001, node: "/dev/hidraw3"), plain))
        #expect(magtek.hasPrefix("unsupported magtek-magnesafe: ") && magtek.contains("keyboard = 0801:0001"))
        #expect(Self.word(.of(Self.device(0x1209, 0x0002, node: "/dev/hidraw3"), plain)) == "none")
    }

    /// Once, by its input device.
    @Test func aNamedOneIsTaken() async throws {
        let named = try await load(
            "[keyboard-reader till]\nkeyboard = c216:0180\nport = usb-1\nlayout = de\nforce = yes\n")
        let here = Self.device(0xC216, 0x0180, port: "usb-1/input0")
        #expect(Self.word(.of(here, named)) == "keyboard MSR90 and clones section(isForced: true) till")
        #expect(named.name(of: here) == "till")
        #expect(named.keyboardReaders.first?.options.keyboard.layouts.first?.name == "de")
        #expect(Self.word(.of(Self.device(0xC216, 0x0180, port: "usb-2/input0"), named)) == "none")
        let hidraw = Self.device(0xC216, 0x0180, node: "/dev/hidraw3", port: "usb-1/input0")
        #expect(Self.word(.of(hidraw, named)) == "none")
        let plain = try await load("")
        #expect(plain.means(here, otherwiseThan: named) && plain.means(hidraw, otherwiseThan: named))
        #expect(!named.means(here, otherwiseThan: named))
    }

    /// By its reports, which go on while its input is inhibited.
    @Test func aSilentOneIsTakenByItsReports() async throws {
        let silent = try await load(
            "[keyboard-reader till]\nkeyboard = c216:0180\non_stop = silent\nforce = yes\n")
        #expect(Self.word(.of(Self.device(0xC216, 0x0180), silent)) == "none")
        let hidraw = Self.device(0xC216, 0x0180, node: "/dev/hidraw3")
        #expect(Self.word(.of(hidraw, silent)) == "keyboard MSR90 and clones section(isForced: true) till")
        #expect(Self.word(.of(Self.device(0x1209, 0x0002, node: "/dev/hidraw3"), silent)) == "none")
    }

    /// Its input is inhibited like the others': whoever looks for it finds it, with what to write. What has no keys is not meant.
    @Test(arguments: [(0xC216, 0x0180), (0x0801, 0x0001)] as [(UInt16, UInt16)])
    func aSilentOneThatBeginsWithSomethingElse(vendor: UInt16, product: UInt16) async throws {
        let ids = "\(vendor.usbNumber()):\(product.usbNumber())"
        let section = "[keyboard-reader till]\nkeyboard = \(ids)\nforce = yes\n"
        let silent = try await load(section + "on_stop = silent\n")
        let volume: [UInt8] = [0x05, 0x0C, 0x09, 0x01, 0xA1, 0x01, 0xC0]
        var device = Self.device(vendor, product, node: "/dev/hidraw3")
        device.reportDescriptor = volume + Self.descriptor
        #expect(Self.word(.of(device, silent)).contains("makes it deaf; write on_stop = type"))
        #expect(!Self.word(.of(device, try await load(section))).contains("deaf"))
        device.reportDescriptor = volume
        #expect(!Self.word(.of(device, silent)).contains("deaf"))
    }

    /// An input of which no reports come, were it inhibited: listed, with what to write.
    @Test func aSilentOneWithoutReports() async throws {
        let section = "[keyboard-reader till]\nkeyboard = c216:0180\nforce = yes\n"
        let silent = try await load(section + "on_stop = silent\n")
        let input = Self.device(0xC216, 0x0180)
        let word = try #require(DeviceRoute.deafKeyboard(input, silent).map(Self.word))
        #expect(word.contains("no hidraw node") && word.contains("write on_stop = type"))
        #expect(DeviceRoute.deafKeyboard(input, try await load(section)) == nil)
        let other = Self.device(0x1209, 0x0002)
        #expect(DeviceRoute.deafKeyboard(other, silent) == nil)
        #expect(
            DeviceRoute.deafKeyboard(Self.device(0xC216, 0x0180, node: "/dev/hidraw3"), silent) == nil)
        let off = try await load("[hid]\nenabled = no\n" + section + "on_stop = silent\n")
        #expect(DeviceRoute.deafKeyboard(input, off) == nil)
    }

    @Test func knownOnesAreTaken() async throws {
        let known = try await load("[hid]\nkeyboard_readers = known\n")
        #expect(Self.word(.of(Self.device(0xC216, 0x0180), known)).contains("knownID"))
        for ids in [(0x5131, 0x2007), (0x1209, 0x0002)] as [(UInt16, UInt16)] {
            #expect(Self.word(.of(Self.device(ids.0, ids.1), known)) == "none")
        }
        let off = try await load("[hid]\nenabled = no\nkeyboard_readers = known\n")
        #expect(Self.word(.of(Self.device(0xC216, 0x0180), off)) == "none")
    }

    @Test(arguments: [
        ("serial = 1\n", "needs a keyboard"), ("keyboard = c216\n", "write VENDOR:PRODUCT"),
        ("keyboard = c216:0180\nlayout = klingonese\n", "no layout 'klingonese'"),
        ("keyboard = c216:0180\nforce = maybe\n", "yes or no"),
        ("keyboard = c216:0180\non_stop = silent\n", "on_stop = silent needs force = yes"),
        ("keyboard = c216:0180\non_stop = loud\n", "one of: type, silent"),
    ])
    func saysWhatIsWrong(lines: String, words: String) async {
        #expect(await fault("[keyboard-reader till]\n" + lines).contains(words))
    }

    @Test func aVirtualOne() async throws {
        let old = try await load("[virtual-keyboard desk]\nsource = /tmp/keys\n")
        let new = try await load("[virtual-keyboard desk]\nsource = /tmp/keys\nlayout = fr\n")
        let device = try #require(old.virtualReaders.first).identity
        #expect(Self.word(.of(device, old)) == "other")
        #expect(new.means(device, otherwiseThan: old) && !old.means(device, otherwiseThan: old))
        #expect(await fault("[virtual-keyboard desk]\nlayout = us\n").contains("needs a source"))
    }
}
