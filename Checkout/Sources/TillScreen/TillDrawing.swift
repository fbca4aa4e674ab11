internal import Checkout

/// Draws a till's model as lines for a terminal of any size; made for 80 columns and 24 rows.
package struct TillDrawing: Sendable {
    /// Whether to colour (off with NO_COLOR, or a terminal that cannot); whether the terminal shows UTF-8.
    package var hasColour: Bool
    package var hasUnicode: Bool
    package var columns: Int
    package var rows: Int

    package init(hasColour: Bool, hasUnicode: Bool, columns: Int, rows: Int) {
        self.hasColour = hasColour
        self.hasUnicode = hasUnicode
        self.columns = columns
        self.rows = rows
    }

    /// A terminal that says less is taken for one that does not know.
    static let narrowest = 20
    /// From here on brand and verdict have room beside a field; below they are on a line of their own.
    static let roomy = 60
    private static let labelWidth = 12
    private static let textWidth = 24
    private static let brandWidth = 18

    private enum Paint: String { case none = "", green = "32", red = "31" }

    /// A line in pieces, each with its colour.
    private typealias Line = [(text: String, paint: Paint)]

    /// A screen while it is put together.
    private struct Page {
        var lines: [Line] = []
        var cursor: (row: Int, column: Int)?

        mutating func add(_ text: String, _ paint: Paint = .none) { lines.append([(text, paint)]) }
        mutating func gap() { lines.append([]) }

        /// Without gaps, for a screen that has no room for them.
        mutating func squeeze() {
            if let (row, column) = cursor {
                cursor = (row - lines.prefix(row).count { $0.isEmpty }, column)
            }
            lines.removeAll { $0.isEmpty }
        }
    }

    /// Lines, and where the cursor belongs: row and column from 0; nil for nowhere. No line is wider than the screen.
    package func draw(_ model: TillModel) -> (lines: [String], cursor: (row: Int, column: Int)?) {
        var page = Page()
        page.add(spread("till", plain(model.service)))
        page.add(String(repeating: hasUnicode ? "─" : "-", count: width))
        page.gap()
        page.add(spread("  " + plain(model.description), plain(model.amount)))
        page.gap()
        page.add("  " + pad("Reader") + plain(model.reader.words))
        page.gap()
        addForm(model, to: &page)
        addHelp(model, to: &page)
        page.gap()
        for line in wrap(plain(model.message)) { page.add("  " + line, model.isMessageGood ? .green : .red) }
        if page.lines.count > rows { page.squeeze() }
        return (page.lines.map(render), page.cursor.map { ($0.row, min($0.column, width - 1)) })
    }

    // MARK: The form

    private func addForm(_ model: TillModel, to page: inout Page) {
        guard model.options?.hasCreditCardForm == true else { return }
        for component in TillModel.order {
            let field = model.fields[component] ?? TillModel.Field()
            let hasFocus = component == model.focus && model.phase == .form
            if hasFocus { page.cursor = (page.lines.count, Self.labelWidth + field.caret) }
            page.lines.append(line(component, field, hasFocus))
            let (brand, verdict) = (component == .cardNumber ? model.brand?.title ?? "" : "", verdict(field))
            if width >= Self.roomy {
                let rest: Line = [(pad(brand, Self.brandWidth), .none), verdict]
                page.lines[page.lines.count - 1] += rest
            } else if !brand.isEmpty || !verdict.text.isEmpty {
                let between = brand.isEmpty || verdict.text.isEmpty ? "" : ", "
                page.lines.append([("    " + brand + between, .none), verdict])
            }
        }
        page.gap()
    }

    private func line(_ component: CardComponent, _ field: TillModel.Field, _ hasFocus: Bool) -> Line {
        let text = plain(field.covered)
        let room = String(repeating: " ", count: max(Self.textWidth - ScreenText.width(text), 1))
        return [
            ((hasFocus ? "> " : "  ") + pad(component.label), .none), (text, field.isGreen ? .green : .none),
            (room, .none),
        ]
    }

    private func verdict(_ field: TillModel.Field) -> (text: String, paint: Paint) {
        field.isGreen ? ("ok", .green) : (field.error ?? "", .red)
    }

    private func addHelp(_ model: TillModel, to page: inout Page) {
        switch model.phase {
        case .beginning: page.add("  Asking the payment service ...")
        case .form:
            let wallets = model.wallets.enumerated().map { "F\($0 + 1) \(plain($1))" }
            let form = model.options?.hasCreditCardForm == true ? ["Enter pays", "Tab next field"] : []
            for line in wrap((form + wallets + ["Esc gives up"]).joined(separator: ", ")) {
                page.add("  " + line)
            }
        case .paying(let words): page.add("  \(words) ... (Esc asks to stop)")
        case .over: break
        }
    }

    // MARK: Text

    private var width: Int { max(columns, Self.narrowest) }

    private func plain(_ text: String) -> String { ScreenText(hasUnicode: hasUnicode).plain(text) }

    /// One line as the terminal gets it, cut to the screen.
    private func render(_ line: Line) -> String {
        var room = width
        return line.map { piece in
            let text = ScreenText.cut(piece.text, to: room)
            room -= ScreenText.width(text)
            guard hasColour, piece.paint != .none, !text.isEmpty else { return text }
            return "\u{1B}[\(piece.paint.rawValue)m\(text)\u{1B}[0m"
        }.joined()
    }

    private func pad(_ text: String, _ columns: Int = TillDrawing.labelWidth - 2) -> String {
        text + String(repeating: " ", count: max(columns - ScreenText.width(text), 1))
    }

    private func spread(_ left: String, _ right: String) -> String {
        let start = ScreenText.cut(left, to: width - ScreenText.width(right) - 1)
        let gap = width - ScreenText.width(start) - ScreenText.width(right)
        return start + String(repeating: " ", count: max(gap, 1)) + right
    }

    /// Words in lines; a word that is longer than a line, an address for one, goes over several.
    private func wrap(_ text: String) -> [String] {
        let room = width - 4
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, ScreenText.width(line) + ScreenText.width(word) + 1 > room {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
            while ScreenText.width(line) > room {
                let start = ScreenText.cut(line, to: room)
                lines.append(start)
                line.removeFirst(start.count)
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}

extension CardComponent {
    /// The field's name on the screen.
    package var label: String {
        switch self {
        case .cardNumber: "Number"
        case .expiry: "Expiry"
        case .cvv: "CVV"
        case .swipe: "Swipe"
        }
    }
}
