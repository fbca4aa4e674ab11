/// The reports in which an MSR605X packs the bytes that its elder sisters send over a line.
///
///      0      1 …                       63
///     head   payload, as many bytes as head says; what follows is old memory
///
/// head: bit 7 first report of a message · bit 6 last one · bits 5-0 bytes used, 0 to 63. `ESC r` is `C2 1B 72`; a message of
/// 140 bytes is `BF …`, `3F …`, `4E …`. Without report ids. Source: open clients; the MSR606's manual knows no reports.
enum MSRReport {
    static let bytes = 64
    static let capacity = 63
    private static let first: UInt8 = 0x80
    private static let last: UInt8 = 0x40
    private static let used: UInt8 = 0x3F

    struct Piece: Sendable, Hashable {
        var payload: ArraySlice<UInt8>
        var isFirst: Bool
        var isLast: Bool
    }

    /// The payload of a report; nil where it is too short for what its head says.
    static func piece(of report: [UInt8]) -> Piece? {
        guard let head = report.first else { return nil }
        let count = Int(head & used)
        guard report.count > count else { return nil }
        return Piece(
            payload: report[1...].prefix(count), isFirst: head & first != 0, isLast: head & last != 0)
    }

    /// A command as one report: no command of ours is longer.
    static func report(_ command: MSRCommand) -> [UInt8] {
        let payload = command.bytes.prefix(capacity)
        let padding = Array(repeating: UInt8(0), count: capacity - payload.count)
        return [first | last | UInt8(truncatingIfNeeded: payload.count)] + payload + padding
    }
}
