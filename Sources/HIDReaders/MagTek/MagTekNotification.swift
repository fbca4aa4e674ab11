/// Input report 2 of the EMV family: a notification in fragments. [1 source]
///
///     RC PP OO OO NN NN TT TT data…
///
/// RC: 00 · P: bytes of data in this fragment · O: offset of them · N: which notification · T: bytes in all
struct MagTekNotification: Sendable {
    static let reportID: UInt8 = 2
    static let headerBytes = 8
    /// A notification longer than this is refused; 16 bits of length allow more than any reader sends.
    static let maximumBytes = 16_384

    enum Refusal: String, Error, Sendable, Hashable {
        case truncated = "cut short"
        case tooLong = "too long"
        case overrun = "fragment goes over its end"
        case outOfOrder = "fragment out of order"
    }

    private var collected: [UInt8] = []

    /// Fragments were lost: what follows is of another notification.
    mutating func lose() { collected = [] }

    /// Takes a fragment; the whole notification with its last one, nil before.
    mutating func take(_ report: [UInt8]) throws(Refusal) -> (id: UInt16, data: [UInt8])? {
        guard report.count >= Self.headerBytes else { throw .truncated }
        let part = Int(report[1])
        let offset = Int(report[2]) << 8 | Int(report[3])
        let total = Int(report[6]) << 8 | Int(report[7])
        guard report.count - Self.headerBytes >= part else { throw .truncated }
        guard total <= Self.maximumBytes else { throw .tooLong }
        if offset == 0 { collected = [] }
        guard offset == collected.count else {
            collected = []
            throw .outOfOrder
        }
        guard offset + part <= total else {
            collected = []
            throw .overrun
        }
        collected += report[Self.headerBytes..<(Self.headerBytes + part)]
        guard collected.count == total else { return nil }
        defer { collected = [] }
        return (UInt16(report[4]) << 8 | UInt16(report[5]), collected)
    }
}
