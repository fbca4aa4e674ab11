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
    /// From here on a field's text has room beside its label; below it is on a line of its own.
    static let labelled = 36
    /// From here on brand and verdict have room beside a field; below, a verdict alone that fits goes right behind the text, and
    /// all else on a line of its own.
    static let roomy = 60
    private static let labelWidth = 12
    private static let textWidth = 24
    private static let brandWidth = 18

    /// Lines, and where the cursor belongs: row and column from 0; nil for nowhere. No line is wider than the screen, and no
    /// word is cut that is not wider.
    package func draw(_ model: TillModel) -> (lines: [String], cursor: (row: Int, column: Int)?) {
        var page = TillPage()
        addHead(model, to: &page)
        page.gap()
        addSides(plain(model.description), plain(model.amount), indent: "  ", to: &page)
        page.gap()
        addReader(model.reader, to: &page)
        page.gap()
        addForm(model, to: &page)
        addHelp(model, to: &page)
        page.gap()
        addWords(plain(model.message), model.isMessageGood ? .green : .red, to: &page)
        page.fit(rows)
        return (page.lines.map(render), page.cursor.map { ($0.row, min($0.column, width - 1)) })
    }

    // MARK: Above the form

    private func addHead(_ model: TillModel, to page: inout TillPage) {
        addSides("till", plain(model.service), indent: "", to: &page)
        page.add(String(repeating: hasUnicode ? "─" : "-", count: width))
        page.endOfHead = page.lines.count
    }

    /// Two texts at the two sides of a line; in lines of their own where one has no room for both.
    private func addSides(_ left: String, _ right: String, indent: String, to page: inout TillPage) {
        let room = width - indent.count
        let gap = room - ScreenText.width(left) - ScreenText.width(right)
        if gap > 0 {
            return page.add(indent + left + String(repeating: " ", count: gap) + right)
        }
        for line in ScreenText.wrap(left, to: room) { page.add(indent + line) }
        for line in ScreenText.wrap(right, to: room) {
            page.add(String(repeating: " ", count: width - ScreenText.width(line)) + line)
        }
    }

    private func addReader(_ news: ReaderNews, to page: inout TillPage) {
        let isBeside = width >= Self.labelled
        let indent = isBeside ? Self.labelWidth : 2
        if !isBeside { page.add("  Reader") }
        for (row, line) in ScreenText.wrap(plain(news.words), to: width - indent).enumerated() {
            let label = row == 0 && isBeside ? "  Reader" : ""
            page.add(pad(label, indent) + line)
        }
    }

    // MARK: The form

    private func addForm(_ model: TillModel, to page: inout TillPage) {
        guard model.options?.hasCreditCardForm == true else { return }
        for component in TillModel.order {
            let field = model.fields[component] ?? TillModel.Field()
            addField(component, field, hasFocus: component == model.focus && model.phase == .form, to: &page)
            addVerdict(component == .cardNumber ? model.brand?.title ?? "" : "", field, to: &page)
        }
        page.gap()
    }

    private func addField(
        _ component: CardComponent, _ field: TillModel.Field, hasFocus: Bool, to page: inout TillPage
    ) {
        let label = (hasFocus ? "> " : "  ") + component.label
        let isBeside = width >= Self.labelled
        let indent = isBeside ? Self.labelWidth : 0
        let (text, caret) = fitted(field, to: width - indent)
        if !isBeside { page.add(label) }
        if hasFocus { page.cursor = (page.lines.count, indent + caret) }
        page.lines.append([
            (isBeside ? pad(label, indent) : "", .none), (text, field.isGreen ? .green : .none),
        ])
    }

    /// A field's text and caret; without its gaps where there is no room for them.
    private func fitted(_ field: TillModel.Field, to room: Int) -> (text: String, caret: Int) {
        let text = plain(field.covered)
        guard ScreenText.width(text) >= room else { return (text, field.caret) }
        let gaps = text.prefix(field.caret).count { $0 == " " }
        return (text.filter { $0 != " " }, field.caret - gaps)
    }

    /// The brand, and whether the field is good: beside it where they have room, else below.
    private func addVerdict(_ brand: String, _ field: TillModel.Field, to page: inout TillPage) {
        let (words, paint): (String, TillPaint) = field.isGreen ? ("ok", .green) : (field.error ?? "", .red)
        guard !brand.isEmpty || !words.isEmpty, let last = page.lines.indices.last else { return }
        let start = Self.labelWidth + Self.textWidth
        let used = page.lines[last].reduce(0) { $0 + ScreenText.width($1.text) }
        if width >= Self.roomy, start + Self.brandWidth + ScreenText.width(words) <= width {
            page.lines[last].append((String(repeating: " ", count: max(start - used, 1)), .none))
            page.lines[last].append((pad(brand, Self.brandWidth), .none))
            return page.lines[last].append((words, paint))
        }
        if brand.isEmpty, used + 2 + ScreenText.width(words) <= width {
            page.lines[last].append(("  ", .none))
            return page.lines[last].append((words, paint))
        }
        let separator = brand.isEmpty || words.isEmpty ? "" : ", "
        if 4 + ScreenText.width(brand + separator + words) <= width {
            return page.lines.append([("    " + brand + separator, .none), (words, paint)])
        }
        for line in ScreenText.wrap(brand, to: width - 4) { page.add("    " + line) }
        for line in ScreenText.wrap(words, to: width - 4) { page.add("    " + line, paint) }
    }

    // MARK: Below the form

    private func addHelp(_ model: TillModel, to page: inout TillPage) {
        switch model.phase {
        case .beginning: addWords("Asking the payment service ...", .none, to: &page)
        case .form:
            let wallets = model.wallets.enumerated().map { "F\($0 + 1) \(plain($1))" }
            let form = model.options?.hasCreditCardForm == true ? ["Enter pays", "Tab next field"] : []
            // Each hint stays in one line.
            let hints = (form + wallets + ["Esc gives up"]).map {
                String($0.map { $0 == " " ? "\u{A0}" : $0 })
            }
            addWords(hints.joined(separator: ", "), .none, to: &page)
        case .paying(let words): addWords("\(words) ... (Esc asks to stop)", .none, to: &page)
        case .over: break
        }
    }

    private func addWords(_ text: String, _ paint: TillPaint, to page: inout TillPage) {
        for line in ScreenText.wrap(text, to: width - 4) {
            page.add("  " + String(line.map { $0 == "\u{A0}" ? " " : $0 }), paint)
        }
    }

    // MARK: Text

    private var width: Int { max(columns, Self.narrowest) }

    private func plain(_ text: String) -> String { ScreenText(hasUnicode: hasUnicode).plain(text) }

    /// One line as the terminal gets it.
    private func render(_ line: TillPage.Line) -> String {
        var room = width
        return line.map { piece in
            let text = ScreenText.cut(piece.text, to: room)
            room -= ScreenText.width(text)
            guard hasColour, piece.paint != .none, !text.isEmpty else { return text }
            return "\u{1B}[\(piece.paint.rawValue)m\(text)\u{1B}[0m"
        }.joined()
    }

    private func pad(_ text: String, _ columns: Int) -> String {
        text + String(repeating: " ", count: max(columns - ScreenText.width(text), 0))
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
