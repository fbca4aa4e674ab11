import ReaderKit
import SwipeProtocol

extension PropertyValue {
    /// A text or a whole number; nil for anything else.
    init?(json: JSONValue) {
        if let text = json.string {
            self = .text(text)
        } else if let number = json.integer {
            self = .number(Int(number))
        } else {
            return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): .integer(Int64(number))
        case .bytes(let bytes): .string(Self.hexadecimal(bytes))
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}

extension ErrorReply {
    /// Why a property could not be read or set, for a client.
    init(_ error: PropertyError) {
        let code: ErrorCode
        switch error {
        case .unknown, .readOnly: code = .propertyUnknown
        case .badValue: code = .parameterInvalid
        case .needsAuthentication: code = .propertyNeedsAuthentication
        case .refused: code = .readerFailed
        case .timedOut: code = .readerTimeout
        case .busy: code = .readerBusy
        case .device(.gone), .device(.closed): code = .readerGone
        case .device: code = .readerFailed
        }
        self.init(code, error.sentence)
    }
}
