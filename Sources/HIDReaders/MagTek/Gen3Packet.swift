/// Input report 1 of an iDynamo 5 Gen III: a message in fragments. [1 source]
///
///     LL OO OO II II TT TT data… 00…
///
/// L: bytes that follow it in this fragment, the six of the header included · O: offset of the data · I: which message ·
/// T: bytes in all; numbers high byte first
package struct Gen3Packets: Sendable {
    package static let reportID: UInt8 = 1
    package static let headerBytes = 7
    static let maximumBytes = 8192

    package enum Refusal: String, Error, Sendable, Hashable {
        case truncated = "packet is cut short"
        case noData = "packet that is shorter than its header says"
        case tooLong = "message is too long"
        case overrun = "packet goes over its message's end"
        case outOfOrder = "packet out of order"
    }

    package init() {}

    private var collected: [UInt8] = []
    private var message: UInt16 = 0

    /// Packets were lost: what follows goes on with another message, which may have the same number.
    mutating func lose() { collected = [] }

    /// Takes a packet; the whole message with its last one, nil before.
    package mutating func take(_ report: [UInt8]) throws(Refusal) -> [UInt8]? {
        guard report.count >= Self.headerBytes else { throw .truncated }
        let part = Int(report[0]) - (Self.headerBytes - 1)
        let offset = Int(report[1]) << 8 | Int(report[2])
        let identifier = UInt16(report[3]) << 8 | UInt16(report[4])
        let total = Int(report[5]) << 8 | Int(report[6])
        guard part >= 0 else { throw .noData }
        guard report.count - Self.headerBytes >= part else { throw .truncated }
        guard total <= Self.maximumBytes else { throw .tooLong }
        if offset == 0 { (collected, message) = ([], identifier) }
        guard offset == collected.count, message == identifier else {
            collected = []
            throw .outOfOrder
        }
        guard offset + part <= total else {
            collected = []
            throw .overrun
        }
        collected += report[Self.headerBytes..<(Self.headerBytes + part)]
        guard collected.count == total, total > 0 else { return nil }
        defer { collected = [] }
        return collected
    }
}
