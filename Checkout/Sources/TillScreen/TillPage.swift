/// A colour on the screen: none, or its SGR code (ECMA-48).
enum TillPaint: String, Sendable { case none = "", green = "32", red = "31" }

/// A screen while it is put together.
struct TillPage {
    /// A line in pieces, each with its colour.
    typealias Line = [(text: String, paint: TillPaint)]

    var lines: [Line] = []
    var cursor: (row: Int, column: Int)?
    /// Where the head ends, which goes first where there is no room.
    var endOfHead = 0

    /// How many lines are shown above the one with the cursor where not all have room: the field's label and one more.
    private static let context = 2

    mutating func add(_ text: String, _ paint: TillPaint = .none) { lines.append([(text, paint)]) }
    mutating func gap() { lines.append([]) }

    /// Leaves out what has no room: gaps, then the head, then what is far from the cursor, or from the end where there is
    /// none. A terminal has one row at least.
    mutating func fit(_ rows: Int) {
        let rows = max(rows, 1)
        guard lines.count > rows else { return }
        if let (row, column) = cursor { cursor = (row - lines.prefix(row).count { $0.isEmpty }, column) }
        lines.removeAll { $0.isEmpty }
        if lines.count > rows { drop(min(endOfHead, lines.count - rows)) }
        guard lines.count > rows else { return }
        let end = lines.count - rows
        drop(cursor.map { min(max($0.row - min(Self.context, rows - 1), 0), end) } ?? end)
        lines = Array(lines.prefix(rows))
    }

    private mutating func drop(_ count: Int) {
        lines.removeFirst(count)
        if let (row, column) = cursor { cursor = (row - count, column) }
    }
}
