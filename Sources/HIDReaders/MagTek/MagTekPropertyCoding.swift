import ReaderKit
import ReaderPackets

/// Between a property's value and the bytes of its command.
extension MagTekProperty {
    /// The command that reads it; nil where it can only be set.
    var getCommand: MagTekCommand? {
        switch source {
        case .number(let id): .getProperty(id)
        case .keySerialNumber: .getKeySerialNumber
        case .readerState: .getReaderState
        case .securityLevel: .getSecurityLevel
        case .encryptionCounter: .getEncryptionCounter
        case .battery: .getBatteryState
        case .sessionID, .reset, .clock: nil
        }
    }

    /// Whether the reader wants a MAC for setting it from security level 3 on.
    var needsAuthenticationToSet: Bool {
        switch source {
        case .number: true
        case .keySerialNumber, .readerState, .securityLevel, .encryptionCounter, .battery, .sessionID, .reset,
            .clock:
            false
        }
    }

    /// The command that sets it.
    func setCommand(_ value: PropertyValue) throws(PropertyError) -> MagTekCommand {
        guard isWritable else { throw .readOnly }
        let bytes = try encode(value)
        switch source {
        case .number(let id): return .setProperty(id, bytes)
        case .sessionID: return .setSessionID(bytes)
        case .reset: return .reset
        case .clock:
            return .extended(MagTekExtendedCommand(number: MagTekExtendedCommand.setDateAndTime, data: bytes))
        case .keySerialNumber, .readerState, .securityLevel, .encryptionCounter, .battery: throw .readOnly
        }
    }

    /// The value in an answer's data.
    func decode(_ data: [UInt8]) throws(PropertyError) -> PropertyValue {
        let malformed = PropertyError.refused(reason: "an answer of the wrong form")
        switch kind {
        case .text:
            guard data.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0 }) else { return .bytes(data) }
            return .text(String(decoding: data.prefix { $0 != 0 }, as: UTF8.self))
        case .number where source == .encryptionCounter:
            // The serial number, 16 bytes, then the counter, high byte first.
            guard data.count == 19 else { throw malformed }
            return .number(data.suffix(3).reduce(0) { $0 << 8 | Int($1) })
        case .number:
            guard data.count == 1 else { throw malformed }
            return .number(Int(data[0]))
        case .character:
            guard data.count == 1 else { throw malformed }
            return Self.isPrintable(data[0]) ? .text(String(UnicodeScalar(data[0]))) : .number(Int(data[0]))
        case .bytes(let count):
            guard data.count == count else { throw malformed }
            return .bytes(data)
        case .readerState:
            guard let words = MagTekReaderState.words(data) else { throw malformed }
            return .text(words)
        case .dateAndTime: throw malformed
        }
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

    private func encode(_ value: PropertyValue) throws(PropertyError) -> [UInt8] {
        switch (kind, value) {
        case (.text(let longest), .text(let text)):
            guard text.utf8.count <= longest, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
                throw .badValue("at most \(longest) ASCII characters")
            }
            return Array(text.utf8)
        case (.number(let range), .number(let number)):
            guard range.contains(number) else {
                throw .badValue("\(range.lowerBound) to \(range.upperBound)")
            }
            return [UInt8(truncatingIfNeeded: number)]
        case (.character, .text(let text)):
            guard text.utf8.count == 1, let byte = text.utf8.first, Self.isPrintable(byte) else {
                throw .badValue("one ASCII character, or its number")
            }
            return [byte]
        case (.character, .number(let number)):
            guard let byte = UInt8(exactly: number) else { throw .badValue("0 to 255") }
            return [byte]
        case (.bytes(let count), let value):
            guard let bytes = value.bytes(count) else { throw .badValue("\(count) bytes, as hex") }
            return bytes
        case (.dateAndTime, .text(let text)):
            guard let data = MagTekClock.data(text) else {
                throw .badValue("a date and time like \(MagTekClock.form)")
            }
            return data
        case (.readerState, _): throw .readOnly
        case (.character, _): throw .badValue("one ASCII character, or its number")
        case (.dateAndTime, _): throw .badValue("a date and time like \(MagTekClock.form)")
        case (.text(let longest), _): throw .badValue("a text of at most \(longest) characters")
        case (.number(let range), _): throw .badValue("a number, \(range.lowerBound) to \(range.upperBound)")
        }
    }
}
