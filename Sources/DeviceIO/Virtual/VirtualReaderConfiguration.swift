import Glibc
package import ReaderKit

/// A reader of software, for machines without one: its input is what is written to a FIFO, everything from the
/// transport on is real, and every event of it is marked.
///
/// It is attached while its source exists: `mkfifo` plugs it in, `rm` pulls it out.
package struct VirtualReaderConfiguration: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A sound card whose samples come through libasound: raw S16LE mono, or WAV, is written to the source.
        case audio
        /// Reports, written to the source as lines of hexadecimal or as bytes. The ids say whose reader it is.
        case hid(vendorID: UInt16, productID: UInt16, reportDescriptor: [UInt8] = [])
        /// Bytes of a serial line, written to the source as the line would carry them.
        case line
        /// Boot reports of a reader that types, written to the source as lines of hexadecimal or as bytes.
        case keyboard
    }

    /// The reader's id towards clients.
    package var name: String
    package var kind: Kind
    /// The path of a FIFO, or of a file that is read once.
    package var source: String
    /// Audio: how many seconds pass on the card's clock in one of ours. 1 is what a real card does.
    package var speed: Double
    /// Audio: the plugin, `libasound_module_pcm_swiped.so`; nil: beside the program, else where packages put it.
    package var plugin: String?

    package init(name: String, kind: Kind, source: String, speed: Double = 1, plugin: String? = nil) {
        self.name = name
        self.kind = kind
        self.source = source
        self.speed = speed
        self.plugin = plugin
    }

    package var identity: DeviceIdentity {
        var identity = DeviceIdentity(
            readerID: ReaderName.plain(name), bus: .audio, product: "virtual reader", port: "virtual",
            node: "swiped_" + ReaderName.plain(name), syspath: "virtual:" + name, isSimulated: true)
        switch kind {
        case .audio: break
        case .hid(let vendorID, let productID, let reportDescriptor):
            identity.bus = .usb
            identity.vendorID = vendorID
            identity.productID = productID
            identity.reportDescriptor = reportDescriptor
            identity.node = source
        case .line:
            identity.bus = .serial
            identity.node = source
        case .keyboard:
            identity.bus = .usb
            identity.node = source
        }
        return identity
    }

    /// Whether it is plugged in.
    var isPresent: Bool { access(source, F_OK) == 0 }

    /// The transport of an audio reader. `wanted` says what is asked of the card; its PCM and definition are
    /// replaced by this reader's.
    package func openCapture(_ wanted: CaptureConfiguration? = nil) async throws(DeviceError)
        -> CaptureTransport
    {
        let node = identity.node
        var configuration = wanted ?? CaptureConfiguration(pcm: node)
        configuration.pcm = node
        configuration.definition = VirtualSoundCard(source: source, speed: speed, plugin: plugin).definition(
            of: node)
        return try await CaptureTransport.open(configuration)
    }

    /// The transport of a HID reader. `complain` hears of lines that are no reports, without their bytes.
    ///
    /// - Parameter loop: where the reader's session runs; nil for a thread of the reader's own.
    package func openHID(
        on loop: SourceLoop? = nil, complain: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(DeviceError) -> any ReaderTransport<HIDReport> {
        let descriptor = (try? ReportDescriptor(identity.reportDescriptor)) ?? .empty
        return try await open(ReportScript(descriptor: descriptor), loop, complain)
    }

    /// The transport of a reader that types. `loop` and `complain` as above.
    package func openKeyboard(
        on loop: SourceLoop? = nil, complain: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(DeviceError) -> any ReaderTransport<KeyInput> {
        try await open(KeyScript(), loop, complain)
    }

    /// The transport of a reader on a line. `loop` as above.
    package func openLine(
        on loop: SourceLoop? = nil
    ) async throws(DeviceError) -> any ReaderTransport<SerialBytes> {
        try await open(LineScript(), loop) { _ in }
    }

    private func open<Input: Sendable>(
        _ script: any SourceScript<Input>, _ loop: SourceLoop?,
        _ complain: @escaping @Sendable (String) -> Void
    ) async throws(DeviceError) -> any ReaderTransport<Input> {
        if let loop,
            let transport = try await LoopTransport.open(source, script, on: loop, complain: complain)
        {
            return transport
        }
        return try VirtualTransport(source, script, complain: complain)
    }
}
