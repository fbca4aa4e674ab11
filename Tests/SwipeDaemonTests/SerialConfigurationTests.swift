import DeviceIO
import FoundationEssentials
import ReaderKit
import Testing

@testable import SwipeDaemon

/// What the configuration says of serial lines and encoders, and what becomes of a line that is there.
@Suite struct SerialConfigurationTests {
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

    @Test func readsALine() async throws {
        let configuration = try await load(
            """
            [hid]
            reading = iso
            [serial-reader till]
            device = /dev/ttyS0
            type = text-line
            baud = 19200
            frame = 7E1
            dtr = no
            """)
        let reader = try #require(configuration.serialReaders.first)
        #expect(reader.type == "text-line")
        #expect(reader.line.path == "/dev/ttyS0")
        #expect(reader.line.speed == 19_200)
        #expect(reader.line.frame == .sevenEven)
        #expect(!reader.line.raisesDTR && reader.line.raisesRTS)
        #expect(reader.options.encoderReading == .raw)
        #expect(configuration.hidOptions.encoderReading == .iso)
        guard case .serial(let driver, _, let route) = DeviceRoute.of(reader.line.identity, configuration)
        else {
            Issue.record("no driver")
            return
        }
        #expect(driver.descriptor.name == "text-line")
        #expect(route == reader)
    }

    @Test(arguments: [
        ("type = text-line\n", "needs a device"), ("device = /dev/ttyS0\n", "needs a type"),
        ("device = ttyS0\ntype = text-line\n", "a path that begins with /"),
        (
            "device = /dev/ttyS0\ntype = teletype\n",
            "one of: text-line, msr-line, spectrum3-line, mrs100-line"
        ),
        ("device = /dev/ttyS0\ntype = text-line\nbaud = 9601\n", "one of: 1200"),
        ("device = /dev/ttyS0\ntype = text-line\nframe = 9N2\n", "one of: 8N1, 7E1"),
        ("device = /dev/ttyS0\ntype = msr-line\nreading = write\n", "one of: raw, iso"),
        (
            "device = /dev/ttyS0\ntype = text-line\nreading = iso\n",
            "is for encoders (type msr-line), not for text-line"
        ),
        // Other bytes would arrive than the list of an encoder's commands has.
        ("device = /dev/ttyS0\ntype = msr-line\nframe = 7E1\n", "has 8N1 and no other"),
        ("device = /dev/ttyS0\ntype = msr-line\nbaud = 19200\n", "has 9600 baud and no other"),
    ])
    func saysWhatIsWrong(lines: String, words: String) async {
        #expect(await fault("[serial-reader till]\n" + lines).contains(words))
    }

    /// A virtual line: through its driver, and meant otherwise once its section is.
    @Test func aVirtualLine() async throws {
        func virtual(_ lines: String) async throws -> DaemonConfiguration {
            try await load("[virtual-serial desk]\nsource = /tmp/line\n" + lines)
        }
        let old = try await virtual("type = msr-line\n")
        let device = try #require(old.virtualReaders.first).identity
        #expect(device.readerID == "virtual-desk" && device.bus == .serial && device.isSimulated)
        guard case .virtualSerial(let driver, _, _, let options) = DeviceRoute.of(device, old) else {
            Issue.record("no driver")
            return
        }
        #expect(driver.descriptor.name == "msr-line" && options.encoderReading == .raw)
        for other in ["type = text-line\n", "type = msr-line\nreading = iso\n"] {
            #expect(try await virtual(other).means(device, otherwiseThan: old))
        }
        #expect(!old.means(device, otherwiseThan: old))
        #expect(await fault("[virtual-serial desk]\nsource = /tmp/line\n").contains("needs a type"))
        #expect(await fault("[virtual-serial desk]\ntype = text-line\n").contains("needs a source"))
    }

    @Test func aLineHasOneReader() async {
        let one = "device = /dev/ttyS0\ntype = text-line\n"
        let words = await fault("[serial-reader a]\n\(one)[serial-reader b]\n\(one)")
        #expect(words.contains("[serial-reader a] has the line /dev/ttyS0 already"))
    }

    /// Each pair of kinds whose readers would be called alike; the name of a `[reader]` may be that of the section that it names.
    @Test(arguments: [
        ("virtual-hid", "virtual-serial", "is the reader virtual-a already"),
        ("virtual-hid", "virtual-audio", "is the reader virtual-a already"),
        ("virtual-audio", "virtual-serial", "is the reader virtual-a already"),
        ("audio-reader", "serial-reader", "calls its reader 'a' already"),
        ("reader", "serial-reader", nil), ("reader", "audio-reader", nil), ("reader", "virtual-serial", nil),
        ("serial-reader", "virtual-serial", nil), ("audio-reader", "virtual-audio", nil),
    ])
    func namesAreNotShared(first: String, second: String, words: String?) async {
        let body = [
            "reader": "serial = X\n", "audio-reader": "device = hw:CARD=Head\n",
            "serial-reader": "device = /dev/ttyS0\ntype = text-line\n", "virtual-hid": "source = /x/h\n",
            "virtual-audio": "source = /x/a\n", "virtual-serial": "source = /x/s\ntype = text-line\n",
        ]
        for (one, other) in [(first, second), (second, first)] {
            let text = "[\(one) a]\n\(body[one] ?? "")[\(other) a]\n\(body[other] ?? "")"
            let told = await fault(text)
            #expect(
                told.contains(words.map { "[\(one) a] \($0)" } ?? "") && told.isEmpty == (words == nil),
                "\(told)")
            let others = "[\(one) a]\n\(body[one] ?? "")[\(other) b]\n\(body[other] ?? "")"
            #expect(await fault(others).isEmpty)
        }
    }

    @Test func aSourceIsOneReaders() async {
        let words = await fault(
            "[virtual-hid a]\nsource = /tmp/pipe\n[virtual-serial b]\ntype = text-line\nsource = /tmp/pipe\n")
        #expect(words.contains("[virtual-hid a] has the source /tmp/pipe already"))
    }

    /// A reload concerns the lines whose sections changed, and no others.
    @Test func aReloadChangesWhatIsMeantOtherwise() async throws {
        let old = try await load("[serial-reader a]\ndevice = /dev/ttyS0\ntype = text-line\n")
        let new = try await load("[serial-reader a]\ndevice = /dev/ttyS0\ntype = msr-line\n")
        let line = try #require(old.serialReaders.first).line.identity
        #expect(new.means(line, otherwiseThan: old))
        #expect(!old.means(line, otherwiseThan: old))
    }
}
