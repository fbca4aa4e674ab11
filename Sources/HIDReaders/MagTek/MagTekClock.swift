/// The date and time that an EMV reader is given: months to seconds, a byte each, and years since 2008.
enum MagTekClock {
    private static let firstYear = 2008
    /// What stands before the date: room for a MAC's key and a serial number, which the maker's client leaves at zero.
    private static let leadingZeros = 17
    static let form = "2026-01-31 09:30:00"

    /// The command's data for a text like `2026-01-31 09:30:00`; nil for anything else.
    static func data(_ text: String) -> [UInt8]? {
        let pattern = Array(form.utf8)
        let bytes = Array(text.utf8)
        guard bytes.count == pattern.count,
            zip(bytes, pattern).allSatisfy({ isDigit($1) ? isDigit($0) : $0 == $1 })
        else { return nil }
        let fields = bytes.split { !isDigit($0) }.map { $0.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        let ranges = [firstYear...(firstYear + 0xFF), 1...12, 1...31, 0...23, 0...59, 0...59]
        guard fields.count == ranges.count, zip(fields, ranges).allSatisfy({ $1.contains($0) }) else {
            return nil
        }
        let date = (fields[1...] + [0, fields[0] - firstYear]).map { UInt8(truncatingIfNeeded: $0) }
        return Array(repeating: 0, count: leadingZeros) + date
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
