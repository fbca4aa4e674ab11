/// A command to a MagTek reader, carried by its feature report (99875475, "Commands").
///
///     request   CC LL data… 00…          response   RR LL data… 00…
///
/// C: command · R: result code · L: length of the data; the rest of the feature report is zero
enum MagTekCommand: Sendable, Hashable {
    case getProperty(UInt8)
    /// From security level 3 on the reader wants a MAC behind the value.
    case setProperty(UInt8, [UInt8])
    /// The device leaves the bus and comes back after some seconds.
    case reset
    case getKeySerialNumber
    /// Eight bytes that the reader encrypts into every swipe until it loses power.
    case setSessionID([UInt8])
    case getReaderState
    case getSecurityLevel
    case getEncryptionCounter
    case getBatteryState
    /// A command of the EMV family, which may be longer than a feature report: see ``MagTekExtendedCommand``.
    case extended(MagTekExtendedCommand)

    /// The bytes without padding; of an extended command, those of the first fragment.
    var bytes: [UInt8] {
        switch self {
        case .getProperty(let id): Self.frame(0x00, [id])
        case .setProperty(let id, let value): Self.frame(0x01, [id] + value)
        case .reset: Self.frame(0x02, [])
        case .getKeySerialNumber: Self.frame(0x09, [])
        case .setSessionID(let id): Self.frame(0x0A, id)
        case .getReaderState: Self.frame(0x14, [])
        case .getSecurityLevel: Self.frame(0x15, [])
        case .getEncryptionCounter: Self.frame(0x1C, [])
        case .getBatteryState: Self.frame(0x29, [])
        case .extended(let command): command.fragments.first ?? []
        }
    }

    /// The bytes of a whole feature report; nil where the command does not fit in.
    static func padded(_ bytes: [UInt8], length: Int) -> [UInt8]? {
        guard bytes.count <= length else { return nil }
        return bytes + Array(repeating: 0, count: length - bytes.count)
    }

    private static func frame(_ command: UInt8, _ data: [UInt8]) -> [UInt8] {
        [command, UInt8(truncatingIfNeeded: data.count)] + data
    }
}

/// Why a reader did not do what a command asks.
enum MagTekResultCode: Error, Sendable, Hashable {
    case failed
    case badParameter
    case redundant
    case badData
    /// After failed authentications the reader waits before it takes the next.
    case delayed
    /// Not in this state or security level, or the MAC is missing or wrong.
    case invalidOperation
    /// The fragment is not the last (extended commands).
    case moreData
    /// The reader waits for more fragments (extended commands).
    case buffering
    case counterExpired
    case unknown(UInt8)

    /// Nil for success.
    init?(_ code: UInt8) {
        switch code {
        case 0x00: return nil
        case 0x01: self = .failed
        case 0x02: self = .badParameter
        case 0x03: self = .redundant
        case 0x04: self = .badData
        case 0x05: self = .delayed
        case 0x07: self = .invalidOperation
        case 0x0A: self = .moreData
        case 0x0B: self = .buffering
        case 0x80: self = .counterExpired
        default: self = .unknown(code)
        }
    }

    /// The name that clients see.
    var name: String {
        switch self {
        case .failed: "failed"
        case .badParameter: "bad parameter"
        case .redundant: "redundant"
        case .badData: "bad data"
        case .delayed: "delayed after failed authentication"
        case .invalidOperation: "invalid operation or MAC missing"
        case .moreData: "more data"
        case .buffering: "buffering"
        case .counterExpired: "encryption counter expired"
        case .unknown(let code): "result code \(code)"
        }
    }
}

/// The answer to a command.
enum MagTekResponse {
    enum Refusal: Error, Sendable, Hashable {
        case result(MagTekResultCode)
        /// An extended command came through, and was refused with a code of its own.
        case extended(UInt16)
        /// The answer contradicts itself.
        case malformed
        /// The reader had no answer as often as it was asked for one.
        case stillBusy
    }

    /// The data of a successful answer.
    static func data(_ report: [UInt8]) throws(Refusal) -> [UInt8] {
        guard report.count >= 2 else { throw .malformed }
        if let code = MagTekResultCode(report[0]) { throw .result(code) }
        let length = Int(report[1])
        guard report.count - 2 >= length else { throw .malformed }
        return Array(report[2..<(2 + length)])
    }
}
