/// A command to an ID TECH reader (SecureMag manual 80096504, "Commands").
///
///     read      02 52 ID 03 RR             set       02 53 ID LL data… 03 RR
///     defaults  02 53 18 03 RR             reset     02 49 03 RR
///     notice    02 38 03 RR, 02 39 03 RR
///     answer    06 [02 ID LL data… 03 RR]  refused   15, 16, 17 or 18
///
/// R: XOR of everything from 02 to 03
package enum IDTechCommand: Sendable, Hashable {
    case read(UInt8)
    case set(UInt8, [UInt8])
    /// A set without a length, for it has no value.
    case setDefaults
    /// ASSUMPTION: the manual has the letter alone; the frame is that of all commands.
    case reset
    /// A text that a command of its own brings: 38 the copyright notice, 39 the version.
    /// ASSUMPTION: the answer is framed as the firmware's is; the manual says that the notice has 31 bytes, and no more.
    case notice(UInt8)

    package static let firmwareID: UInt8 = 0x22
    package static let allSettingsID: UInt8 = 0x1F
    package static let defaultsID: UInt8 = 0x18

    package var bytes: [UInt8] {
        let body: [UInt8] =
            switch self {
            case .read(let id): [0x02, 0x52, id, 0x03]
            case .set(let id, let data):
                [0x02, 0x53, id, UInt8(truncatingIfNeeded: data.count)] + data + [0x03]
            case .setDefaults: [0x02, 0x53, Self.defaultsID, 0x03]
            case .reset: [0x02, 0x49, 0x03]
            case .notice(let letter): [0x02, letter, 0x03]
            }
        return body + [body.reduce(0, ^)]
    }
}

/// The answer to a command.
package enum IDTechResponse {
    package enum Refusal: String, Error, Sendable, Hashable {
        case notAcknowledged = "not acknowledged"
        case unknownSetting = "unknown setting"
        case pointOfSaleMode = "already in point-of-sale mode"
        case other = "refused without a reason"
        case malformed = "an answer of the wrong form"
    }

    private static let acknowledged: UInt8 = 0x06

    /// The data of a successful answer, collected frames with their padding: empty where the reader only agreed.
    package static func data(_ frames: [UInt8], to command: IDTechCommand) throws(Refusal) -> [UInt8] {
        guard let first = frames.first else { throw .malformed }
        switch first {
        case acknowledged: break
        case 0x15, 0xFD: throw .notAcknowledged
        case 0x16: throw .unknownSetting
        case 0x17: throw .pointOfSaleMode
        case 0x18: throw .other
        default: throw .malformed
        }
        guard let body = body(Array(frames.dropFirst())) else { throw .malformed }
        return try setting(body, of: command)
    }

    /// What stands between 02 and 03; empty for a bare acknowledgement, nil where the check byte is wrong.
    private static func body(_ padded: [UInt8]) -> [UInt8]? {
        guard let end = padded.lastIndex(where: { $0 != 0 }) else { return [] }
        let answer = Array(padded[...end])
        if let body = checked(answer) { return body }
        // A check byte of 00 looks like padding.
        return end + 1 < padded.count ? checked(answer + [0]) : nil
    }

    private static func checked(_ answer: [UInt8]) -> [UInt8]? {
        guard answer.count >= 3, answer.first == 0x02, answer[answer.count - 2] == 0x03,
            answer.dropLast().reduce(0, ^) == answer.last
        else { return nil }
        return Array(answer[1..<(answer.count - 2)])
    }

    /// An answer names the setting and the length of its value, but for the firmware's text.
    private static func setting(_ body: [UInt8], of command: IDTechCommand) throws(Refusal) -> [UInt8] {
        switch command {
        case .set, .setDefaults, .reset: return []
        case .read(IDTechCommand.firmwareID), .read(IDTechCommand.allSettingsID), .notice: return body
        case .read(let id):
            guard body.count >= 2, body[0] == id, Int(body[1]) == body.count - 2 else { throw .malformed }
            return Array(body.dropFirst(2))
        }
    }
}
