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
    }

    private var rows: [[Cell]]

    init(header: [String]) {
        rows = [header.map { Cell($0, .faint) }]
    }

    mutating func append(_ row: [Cell]) {
        rows.append(row)
    }

    /// The lines; the last column is not filled up.
    func text(_ style: Style) -> String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].text.count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let isLast = column == row.count - 1
                let text = isLast ? cell.text : cell.text.padded(to: widths[column])
                return cell.color.map { style.paint(text, $0) } ?? text
            }
            return cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}
