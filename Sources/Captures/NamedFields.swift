import HIDReaders
import ReaderPackets

/// A swipe as the programs of MagTek show it: a field a line, with its name.
///
///     DUKPT Key Serial Number = 9010010B0C247200001F        KSN=9010010B0C247200001F
///     Track 1 Encrypted = CF BD 82 96 …                     Track1.Encrypted: CFBD8296…
///     Track 1 Masked = %B4111…^…?                           "Track1.Masked" = "%B4111…^…?";
///
/// On the left the demonstration program for Windows, on the right those of the SDK (MTSCRA). It is read as the text stream with
/// the same fields, which has no CRC then.
enum NamedFields {
    /// What a page holds beside the swipe may be much; a swipe's own fields are some twenty.
    private static let maximumLines = 1_000

    private static let keySerialNumber = ["dukpt key serial number", "ksn"]
    private static let status = ["encryption.status", "encryptionstatus"]
    private static let magnePrintStatus = [
        "magneprint status (hex)", "magneprint.status", "magneprintstatus",
    ]
    private static let magnePrint = ["magneprint data (hex)", "magneprint.encrypted", "magneprint"]
    private static let serial = ["device serial number", "device.serialnumber", "device.serial"]
    private static let session = ["encrypted session id (hex)", "sessionid", "session.id"]
    private static func encrypted(_ track: Int) -> [String] {
        ["track \(track) encrypted", "track\(track).encrypted"]
    }
    private static func masked(_ track: Int) -> [String] {
        ["track \(track) masked", "track\(track).masked"]
    }

    /// The stream that these lines say; nil where they are no such page.
    static func stream(_ lines: [[UInt8]]) -> [UInt8]? {
        guard lines.count <= maximumLines else { return nil }
        var fields: [String: [UInt8]] = [:]
        for line in lines { if let (name, value) = field(line) { fields[name] = value } }
        let value = { (names: [String]) in names.lazy.compactMap { fields[$0] }.first ?? [] }
        let number = withoutBlanks(value(keySerialNumber))
        guard !number.isEmpty, (1...3).contains(where: { !value(encrypted($0)).isEmpty }) else { return nil }
        let shown = (1...3).flatMap { value(masked($0)) }
        let given = value(status)
        let all: [[UInt8]] =
            [shown, HexField.bytes(given)?.count == 2 ? given : encrypting]
            + (1...3).map { withoutBlanks(value(encrypted($0))) }
            + [
                inStreamsOrder(withoutBlanks(value(magnePrintStatus))), withoutBlanks(value(magnePrint)),
                value(serial), withoutBlanks(value(session)), number, [], [], [],
            ]
        return Array(all.joined(separator: [MagTekStream.defaultSeparator]))
    }

    /// A line's name in small letters and its value, both without the quotes that a dictionary's have.
    private static func field(_ line: [UInt8]) -> (String, [UInt8])? {
        guard let sign = line.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) else {
            return nil
        }
        let name = unquoted(CaptureText.trimmed(line[..<sign]))
        return (
            String(decoding: name, as: UTF8.self).lowercased(),
            Array(unquotedValue(CaptureText.trimmed(line[(sign + 1)...])))
        )
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let quote = UInt8(ascii: "\"")
        guard text.first == quote, let end = text.dropFirst().firstIndex(of: quote) else { return text }
        return text[(text.startIndex + 1)..<end]
    }

    /// A value ends with the line's last quote: a track may have some of its own.
    private static func unquotedValue(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let quote = UInt8(ascii: "\"")
        guard text.first == quote, let end = text.dropFirst().lastIndex(of: quote) else { return text }
        return text[(text.startIndex + 1)..<end]
    }

    /// Hex in groups as one word; a clear text keeps its blanks.
    private static func withoutBlanks(_ text: [UInt8]) -> [UInt8] {
        let word = text.filter { $0 != 0x20 }
        return HexField.bytes(word) == nil ? text : word
    }

    /// A number's bytes the other way round, as a stream has them: the highest is always zero, and the lowest bit is set where
    /// there is a MagnePrint. What has the stream's order already stays as it is.
    private static func inStreamsOrder(_ status: [UInt8]) -> [UInt8] {
        guard let bytes = HexField.bytes(status), bytes.count == 4, bytes[0] == 0 else { return status }
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes.reversed().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// The programs show encrypted fields of a reader that encrypts: bits 1 and 2 of the status, low byte first.
    private static let encrypting = Array("0600".utf8)
}
