/// Where a terminal's own echo of keys has left the cursor.
package enum EchoedText {
    private static let tab = 8

    /// How many rows below the first one, of keys that were typed from the beginning of a line on.
    package static func rows(_ bytes: some Sequence<UInt8>, columns: Int) -> Int {
        var (row, column) = (0, 0)
        // The cursor waits at the end of a full line.
        func advance(_ width: Int) {
            for _ in 0..<width {
                if column >= columns { (row, column) = (row + 1, 0) }
                column += 1
            }
        }
        for byte in bytes {
            switch byte {
            case 0x0A, 0x0D: (row, column) = (row + 1, 0)
            case 0x09: column = min((column / tab + 1) * tab, max(columns - 1, 0))
            // A control character is shown as two: ^C.
            case 0..<0x20, 0x7F: advance(2)
            // A character of UTF-8 goes on.
            case 0x80..<0xC0: break
            default: advance(1)
            }
        }
        return row
    }
}
