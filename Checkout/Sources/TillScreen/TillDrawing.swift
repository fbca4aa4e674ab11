internal import Checkout

/// Draws a till's model as lines for a terminal of any size; made for 80 columns and 24 rows.
package struct TillDrawing: Sendable {
    /// Whether to colour (off with NO_COLOR, or a terminal that cannot); whether the terminal shows UTF-8.
    package var hasColour: Bool
    package var hasUnicode: Bool
    package var columns: Int

    package init(hasColour: Bool, hasUnicode: Bool, columns: Int) {
        self.hasColour = hasColour
        self.hasUnicode = hasUnicode
        self.columns = max(columns, Self.narrowest)
    }

    static let narrowest = 40
    private static let labelWidth = 12

    /// Lines, and where the cursor belongs: row and column from 0; nil for nowhere.
    package func draw(_ model: TillModel) -> (lines: [String], cursor: (row: Int, column: Int)?) {
        var lines = [
            spread("till", model.service), rule, "",
            spread("  " + plain(model.description), plain(model.amount)), "",
            cut("  \(pad("Reader")) \(plain(model.reader.words))"), "",
        ]
        var cursor: (Int, Int)?
        if model.options?.hasCreditCardForm == true {
            for component in TillModel.order {
                let field = model.fields[component] ?? TillModel.Field()
                let hasFocus = component == model.focus && model.phase == .form
                if hasFocus { cursor = (lines.count, Self.labelWidth + field.caret) }
                lines.append(line(component, field, hasFocus, model))
            }
            lines.append("")
        }
        lines.append(cut("  " + help(model)))
        lines.append("")
        lines += wrap(plain(model.message)).map { "  " + paint($0, model.isMessageGood ? .green : .red) }
        return (lines, cursor)
    }

    private func line(
        _ component: CardComponent, _ field: TillModel.Field, _ hasFocus: Bool, _ model: TillModel
    ) -> String {
        var line = (hasFocus ? "> " : "  ") + pad(component.label)
        let text = plain(field.covered)
        line += paint(text, field.isGreen ? .green : .none)
        line += String(repeating: " ", count: max(24 - text.count, 1))
        let brand = component == .cardNumber ? model.brand?.title ?? "" : ""
        line += brand + String(repeating: " ", count: max(18 - brand.count, 1))
        if field.isGreen { return line + paint("ok", .green) }
        return line + paint(field.error.map { String($0.prefix(columns - 56)) } ?? "", .red)
    }

    private func help(_ model: TillModel) -> String {
        switch model.phase {
        case .beginning: "Asking the payment service ..."
        case .form: "Enter pays, Tab next field, Esc gives up"
        case .paying(let words): "\(words) ... (Esc asks to stop)"
        case .over: ""
        }
    }

    // MARK: Text

    private enum Paint: String { case none = "", green = "32", red = "31" }

    private func paint(_ text: String, _ paint: Paint) -> String {
        guard hasColour, paint != .none, !text.isEmpty else { return text }
        return "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m"
    }

    private var rule: String { String(repeating: hasUnicode ? "─" : "-", count: columns) }

    private func pad(_ label: String) -> String {
        label + String(repeating: " ", count: max(Self.labelWidth - 2 - label.count, 1))
    }

    private func spread(_ left: String, _ right: String) -> String {
        let room = columns - right.count - 1
        let start = String(left.prefix(max(room, 0)))
        return start + String(repeating: " ", count: max(columns - start.count - right.count, 1)) + right
    }

    private func cut(_ text: String) -> String { String(text.prefix(columns)) }

    /// Without what would steer the terminal, and without what it cannot show.
    private func plain(_ text: String) -> String {
        String(
            text.map { character in
                if character == "\u{A0}" || character == "\u{202F}" { return " " }
                let isControl = character.unicodeScalars.contains {
                    $0.value < 0x20 || (0x7F..<0xA0).contains($0.value)
                }
                if isControl { return "?" }
                if hasUnicode || character.isASCII { return character }
                return character == "•" ? "*" : "?"
            })
    }

    private func wrap(_ text: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.count + word.count + 1 > columns - 4, !line.isEmpty {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
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
