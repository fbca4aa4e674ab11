import ReaderKit

/// Turns what is written to a virtual reader's source into its driver's inputs.
protocol SourceScript<Input>: Sendable {
    associatedtype Input: Sendable
    mutating func receive(_ bytes: [UInt8]) -> [Input]
    /// The writer has closed.
    mutating func end() -> [Input]
    /// What was refused since the last call, in words without its bytes.
    mutating func takeComplaints() -> [String]
}

extension ReportScript {
    mutating func takeComplaints() -> [String] { takeRefusals().map(\.sentence) }
}

/// Boot reports of a reader that types, as a HID reader's: lines of hexadecimal, or eight bytes each.
struct KeyScript: SourceScript {
    /// A boot keyboard's (HID 1.11, E.6), without its lights.
    private static let descriptor: [UInt8] = [
        0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01, 0x75,
        0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x01, 0x95, 0x06, 0x75, 0x08, 0x15, 0x00,
        0x25, 0x65, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00, 0xC0,
    ]

    private var reports = ReportScript(
        descriptor: (try? ReportDescriptor(Self.descriptor)) ?? ReportDescriptor.empty)
    private let start = ContinuousClock.now
    private var complaints: [String] = []

    mutating func receive(_ bytes: [UInt8]) -> [KeyInput] { inputs(reports.receive(bytes)) }
    mutating func end() -> [KeyInput] { inputs(reports.end()) }
    mutating func takeComplaints() -> [String] {
        defer { complaints = [] }
        return complaints
    }

    /// A line that is none is a loss: what was typed around it is not known.
    private mutating func inputs(_ received: [HIDReport]) -> [KeyInput] {
        let now = ContinuousClock.now - start
        let refused = reports.takeComplaints()
        complaints += refused
        let lost = refused.isEmpty ? [] : [KeyInput(.lost, at: now)]
        return lost + received.map { KeyInput(.report($0.bytes), at: now) }
    }
}

/// A line carries bytes of any kind, as they are written: text, frames, an encoder's answers.
struct LineScript: SourceScript {
    /// In pieces as small as reports: what a driver makes of one is done before others have their turn.
    static let pieceBytes = 64

    mutating func receive(_ bytes: [UInt8]) -> [SerialBytes] {
        stride(from: 0, to: bytes.count, by: Self.pieceBytes).map {
            SerialBytes(Array(bytes[$0...].prefix(Self.pieceBytes)))
        }
    }

    mutating func end() -> [SerialBytes] { [] }
    mutating func takeComplaints() -> [String] { [] }
}
