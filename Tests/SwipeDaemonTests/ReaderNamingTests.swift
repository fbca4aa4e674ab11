import DeviceIO
import ReaderKit
import Testing

@testable import SwipeDaemon

/// What the configuration calls a reader.
@Suite struct ReaderNamingTests {
    private func load(_ text: String) async throws -> DaemonConfiguration {
        try await withConfiguration(text) { try ConfigurationLoader.load(path: $0, isRequired: true) }
    }

    private func device(
        serial: String? = nil, port: String? = "usb-0000:00:14.0-2/input0", bus: DeviceIdentity.Bus = .usb,
        id: String = "x"
    ) -> DeviceIdentity {
        DeviceIdentity(
            readerID: id, bus: bus, serial: serial, port: port, node: "/dev/hidraw0", syspath: "/sys/x")
    }

    @Test func byNumberByPlaceAndByBoth() async throws {
        let configuration = try await load(
            """
            [reader counter]
            serial = B05A9C4
            [reader office]
            port = usb-0000:00:14.0-2
            [reader twin]
            serial = TWIN
            port = usb-0000:00:14.0-3/input0
            """)
        #expect(configuration.name(of: device(serial: "B05A9C4", port: nil)) == "counter")
        #expect(configuration.name(of: device(serial: "other")) == "office")
        // A port is not the beginning of another's number.
        #expect(configuration.name(of: device(port: "usb-0000:00:14.0-21/input0")) == nil)
        #expect(configuration.name(of: device(serial: "TWIN", port: "usb-0000:00:14.0-3/input0")) == "twin")
        #expect(configuration.name(of: device(serial: "TWIN", port: "usb-0000:00:14.0-4/input0")) == nil)
        #expect(configuration.name(of: device(serial: nil, port: nil)) == nil)
    }

    @Test func theSectionOfASoundCardNamesWhatIsAtItUnlessItsPortDoes() async throws {
        var configuration = try await load("[audio-reader desk]\ndevice = hw:CARD=Device\n")
        let card = DeviceIdentity(
            readerID: "audio-Device", bus: .audio, port: "pci-0000:00:14.0-usb-0:2:1.0",
            node: "hw:CARD=Device,DEV=0",
            syspath: "/sys/card1")
        #expect(configuration.name(of: card) == "desk")
        configuration.namedReaders = [.init(name: "left", serial: "", port: "pci-0000:00:14.0-usb-0:2:1.0")]
        #expect(configuration.name(of: card) == "left")
        let old = try await load("[audio-reader desk]\ndevice = hw:CARD=Device\n")
        #expect(configuration.means(card, otherwiseThan: old), "clients have to be told the new name")
        #expect(!old.means(card, otherwiseThan: old))
    }

    @Test(arguments: [
        "[reader x]\nserial =\n", "[reader x]\nport =\n", "[reader]\nport = y\n", "[reader x]\nmodel = y\n",
    ])
    func whatNamesNothingIsRefused(text: String) async {
        await #expect(throws: ConfigurationError.self) { try await load(text) }
    }
}
