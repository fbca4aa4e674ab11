/// Rows of text in aligned columns.
struct Table {
    /// A cell, and the colour it gets after the widths are known.
    struct Cell {
        var text: String
        var color: Style.Color?

        init(_ text: String, _ color: Style.Color? = nil) {
            self.text = text.printable
            self.color = color
        }

        /// At least so wide.
        func painted(_ style: Style, _ width: Int) -> String {
            let text = text.padded(to: width)
            return color.map { style.paint(text, $0) } ?? text
        }
    }

    private var rows: [[Cell]]

    init(header: [String]) {
        rows = [header.map { Cell($0, .faint) }]
    }

    mutating func append(_ row: [Cell]) {
        rows.append(row)
    }

    private static let gap = "  "

    private var widths: [Int] {
        let columns = rows.map(\.count).max() ?? 0
        return (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].text.count : 0 }.max() ?? 0
        }
    }

    /// The lines; the last column is not filled up.
    func text(_ style: Style) -> String {
        let widths = widths
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let isLast = column == row.count - 1
                return cell.painted(style, isLast ? 0 : widths[column])
            }
            return cells.joined(separator: Self.gap) + "\n"
        }.joined()
    }

    /// The same where the rows fit into a window, else a line for each cell. Nil is no window, which everything fits into.
    func text(_ style: Style, within columns: Int?) -> String {
        let width = widths.reduce(-Self.gap.count) { $0 + Self.gap.count + $1 }
        guard let columns, width > columns, let names = rows.first else { return text(style) }
        let widest = names.map(\.text.count).max() ?? 0
        return rows.dropFirst().map { row in
            zip(names, row).map { name, cell in
                name.painted(style, widest) + Self.gap + cell.painted(style, 0) + "\n"
            }.joined() + "\n"
        }.joined()
    }
}
