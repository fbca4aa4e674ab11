import Inspection
import KeyboardReaders
import ReaderKit
import ReaderRecordings

/// The node of a reader that types: its keys, whoever has taken it, or a line for each swipe.
struct RecordedKeys: RecordedDevice {
    let head: ReaderRecording.Head
    let words: String
    let close: @Sendable () async -> Void = {}

    private let device: HIDNodeReader
    private let begin = ContinuousClock.now
    private var shapes: KeyShapes

    init(
        _ node: HIDNode, _ keyboard: KeyboardOptions, _ content: ReaderRecording.Content
    ) throws(CommandFailure) {
        device = try HIDNodeReader(node.node)
        head = ReaderRecording.Head(
            ids: node.ids, product: node.name, descriptor: node.descriptor, content: content)
        var options = ReaderOptions()
        options.keyboard = keyboard
        let identity = DeviceIdentity(readerID: node.node, bus: .usb, node: node.node)
        shapes = KeyShapes(DrivenReading.of(KeyboardReader.self, identity, options))
        words = "the keys of \(node.node) (\(node.ids))"
    }

    mutating func next() async throws -> [RecordedPiece] {
        let reports = try device.next()
        let now = ContinuousClock.now
        var pieces = written(shapes.pass(to: now - begin), nil, at: now)
        for report in reports {
            guard let keys = head.keys(in: report) else { continue }
            pieces += written(shapes.take(keys, at: now - begin), report, at: now)
        }
        return pieces
    }

    /// Shapes, or the report; one without bytes says that silence ended a swipe.
    private func written(
        _ swipes: [ReaderRecording.Report], _ report: [UInt8]?, at instant: ContinuousClock.Instant
    ) -> [RecordedPiece] {
        switch head.content {
        case .shapes: return swipes.map { RecordedPiece(report: $0) }
        case .testCard:
            guard report != nil || !swipes.isEmpty else { return [] }
            let bytes = report ?? []
            return [
                RecordedPiece(
                    report: ReaderRecording.Report(
                        time: begin.microseconds(to: instant), length: bytes.count, bytes: bytes),
                    counts: !swipes.isEmpty)
            ]
        }
    }
}
