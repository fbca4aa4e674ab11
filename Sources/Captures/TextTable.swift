/// Text with an offset before each line, as manuals print streams.
///
///     0 %B5452000000007189^HOGAN/PAUL      ^08040000000000
///     50 000000000?;5452000000007189=080400000000000000?+51
///
/// An offset says how long the line before is: blanks at a line's end, which nobody sees, are put back, or those behind a name,
/// which pages of the web show as one. All lines are equally long but for the last, so that a line that is missing is not taken
/// for blanks.
enum TextTable {
    /// No page is wider.
    private static let maximumColumns = 256
    /// What pads a name, the only field that is padded.
    private static let maximumBlanks = 26

    private struct Row {
        var offset: Int
        var text: ArraySlice<UInt8>
    }

    /// The tables' texts; empty where there is none.
    static func readings(_ lines: [ArraySlice<UInt8>]) -> [[[UInt8]]] {
        var tables: [[Row]] = []
        var table: [Row] = []
        for line in CaptureText.withOffsetsInFront(lines.filter { !$0.isEmpty }) {
            let row = row(line)
            let isNext = row.map {
                $0.offset == (table.count < 2 ? $0.offset : table.count * table[1].offset)
            }
            if let row, isNext == true, table.isEmpty == (row.offset == 0) {
                table.append(row)
            } else {
                tables.append(table)
                table = row?.offset == 0 ? [row].compactMap(\.self) : []
            }
        }
        let whole = (tables + [table]).filter { $0.count > 1 }
        let plain = whole.compactMap { text($0, inName: false) }
        let named = whole.compactMap { text($0, inName: true) }
        return (plain == named ? [plain] : [plain, named]).filter { !$0.isEmpty }
    }

    private static func text(_ table: [Row], inName: Bool) -> [UInt8]? {
        var text: [UInt8] = []
        for (row, next) in zip(table, table.dropFirst().map(\.offset) + [nil]) {
            let missing = next.map { $0 - row.offset - row.text.count } ?? 0
            guard (0...maximumBlanks).contains(missing) else { return nil }
            let name = inName ? row.text.firstRange(of: " ^".utf8)?.lowerBound : nil
            let place = name ?? row.text.endIndex
            text += row.text[..<place] + Array(repeating: 0x20, count: missing) + row.text[place...]
        }
        return text
    }

    private static func row(_ line: ArraySlice<UInt8>) -> Row? {
        let digits = line.prefix { (0x30...0x39).contains($0) }
        let rest = line[digits.endIndex...]
        guard !digits.isEmpty, rest.first == 0x20 || rest.first == 0x09, rest.count <= maximumColumns,
            let offset = Int(String(decoding: digits, as: UTF8.self)), offset <= HIDCapture.maximumBytes
        else { return nil }
        return Row(offset: offset, text: rest.dropFirst())
    }
}
