import Inspection
import ReaderCatalog
import ReaderKit
import ReaderRecordings

/// A HID reader's node.
struct RecordedNode: RecordedDevice {
    let head: ReaderRecording.Head
    let words: String
    let close: @Sendable () async -> Void = {}
    /// An encoder says a card in several reports.
    var counted: String { encoder == nil ? "report" : "swipe" }

    private let device: HIDNodeReader
    private let begin = ContinuousClock.now
    private var encoder: TimedReading<HIDReport>?

    init(
        _ node: HIDNode, _ reading: EncoderReading, _ content: ReaderRecording.Content
    ) throws(CommandFailure) {
        device = try HIDNodeReader(node.node)
        encoder = Self.encoder(node, reading)
        var head = ReaderRecording.Head(
            ids: node.ids, product: node.name, descriptor: node.descriptor, content: content)
        head.reading = encoder == nil ? nil : reading
        self.head = head
        words = "\(node.node) (\(node.ids))"
    }

    mutating func next() async throws -> [RecordedPiece] {
        let reports = try device.next()
        let age = ContinuousClock.now - begin
        let time = begin.microseconds(to: begin + age)
        guard var encoder else {
            return reports.map {
                RecordedPiece(report: ReaderRecording.report($0, at: time, head.content))
            }
        }
        let late = encoder.pass(to: age)
        var pieces = late.isEmpty ? [] : [piece([], late, at: time)]
        for bytes in reports {
            pieces.append(piece(bytes, encoder.take(HIDReport(bytes: bytes), at: age), at: time))
        }
        self.encoder = encoder
        return pieces
    }

    private func piece(_ bytes: [UInt8], _ swipes: [Swipe], at time: Int) -> RecordedPiece {
        RecordedPiece(
            report: ReaderRecording.report(bytes, with: swipes, at: time, head.content),
            counts: !swipes.isEmpty)
    }

    /// What an encoder's driver makes of the reports, where it is one: the daemon asks, and this hears the answers.
    private static func encoder(_ node: HIDNode, _ reading: EncoderReading) -> TimedReading<HIDReport>? {
        let identity = node.identity
        guard ReaderCatalog.isEncoder(identity),
            case .reader(let driver, _) = ReaderCatalog.verdict(on: identity)
        else { return nil }
        var options = ReaderOptions()
        options.encoderReading = reading
        return TimedReading(made(driver, identity, options))
    }

    private static func made<Driver: ReaderDriver<HIDReport>>(
        _ driver: Driver.Type, _ device: DeviceIdentity, _ options: ReaderOptions
    ) -> any DeviceReading<HIDReport> {
        DrivenReading.of(driver, device, options)
    }
}

extension HIDNode {
    /// As what can be sent nothing.
    fileprivate var identity: DeviceIdentity {
        DeviceIdentity(
            readerID: node, bus: .usb, vendorID: vendor, productID: product, node: node,
            reportDescriptor: descriptor, isSimulated: true)
    }
}
