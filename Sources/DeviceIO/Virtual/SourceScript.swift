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

/// A line carries bytes of any kind, as they are written: text, frames, an encoder's answers.
struct LineScript: SourceScript {
    mutating func receive(_ bytes: [UInt8]) -> [SerialBytes] { [SerialBytes(bytes)] }
    mutating func end() -> [SerialBytes] { [] }
    mutating func takeComplaints() -> [String] { [] }
}
