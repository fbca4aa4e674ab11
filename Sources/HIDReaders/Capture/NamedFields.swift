import ReaderPackets

/// A swipe as MagTek's demonstration program shows it: a field a line, with its name.
///
///     DUKPT Key Serial Number = 9010010B0C247200001F
///     Track 1 Encrypted = CF BD 82 96 …
///     Track 1 Masked = %B4111…^…?
///
/// It is read as the text stream with the same fields, which has no CRC then.
enum NamedFields {
    /// What a page holds beside the swipe may be much; a swipe's own fields are some twenty.
    private static let maximumLines = 1_000

    /// The stream that these lines say; nil where they are no such page.
    static func stream(_ lines: [[UInt8]]) -> [UInt8]? {
        guard lines.count <= maximumLines else { return nil }
        var fields: [String: ArraySlice<UInt8>] = [:]
        for line in lines {
            guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = CaptureText.trimmed(line[..<sign])
            fields[String(decoding: name, as: UTF8.self).lowercased()] =
                CaptureText.trimmed(line[(sign + 1)...])
        }
        guard let keySerialNumber = fields["dukpt key serial number"] else { return nil }
        let hex = { (name: String) in (fields[name] ?? []).filter { $0 != 0x20 } }
        let shown = (1...3).flatMap { fields["track \($0) masked"] ?? [] }
        // A number here, whose bytes a stream has the other way round.
        let status = HexField.bytes(hex("magneprint status (hex)")).map { Array($0.reversed()) } ?? []
        let all: [[UInt8]] =
            [shown, encrypting] + (1...3).map { hex("track \($0) encrypted") }
            + [
                digits(status), hex("magneprint data (hex)"), Array(fields["device serial number"] ?? []),
                hex("encrypted session id (hex)"), keySerialNumber.filter { $0 != 0x20 }, [], [], [],
            ]
        return Array(all.joined(separator: [MagTekStream.defaultSeparator]))
    }

    /// The program shows encrypted fields of a reader that encrypts: bits 1 and 2 of the status, low byte first.
    private static let encrypting = Array("0600".utf8)

    private static func digits(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
