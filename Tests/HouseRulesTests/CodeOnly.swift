/// Swift text with every comment and string literal blanked out: what is left is code, at its old place.
///
/// Newlines stay, so lines and columns keep their numbers. Interpolations in strings stay code.
/// Regex literals are not known here; the project writes regexes as strings.
struct CodeOnly {
    private enum Mode: Equatable {
        case code(parentheses: Int)
        case lineComment
        case blockComment(depth: Int)
        case string(quotes: Int, pounds: Int)
    }

    private var modes: [Mode] = [.code(parentheses: 0)]
    private var output: [UInt8] = []
    private let input: [UInt8]
    private var index = 0

    /// The blanked text, split in lines.
    static func lines(of text: String) -> [String] {
        var lexer = CodeOnly(input: Array(text.utf8))
        lexer.run()
        return String(decoding: lexer.output, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private init(input: [UInt8]) {
        self.input = input
        output.reserveCapacity(input.count)
    }

    private mutating func run() {
        while index < input.count {
            switch modes.last ?? .code(parentheses: 0) {
            case .code(let parentheses): code(parentheses)
            case .lineComment: lineComment()
            case .blockComment(let depth): blockComment(depth)
            case .string(let quotes, let pounds): string(quotes, pounds)
            }
        }
    }

    private func sees(_ text: String) -> Bool {
        input[index...].starts(with: text.utf8)
    }

    private mutating func keep(_ count: Int = 1) {
        output.append(contentsOf: input[index..<min(index + count, input.count)])
        index += count
    }

    private mutating func blank(_ count: Int = 1) {
        for byte in input[index..<min(index + count, input.count)] {
            output.append(byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " "))
        }
        index += count
    }

    private mutating func replaceMode(_ mode: Mode) {
        modes[modes.count - 1] = mode
    }

    private mutating func code(_ parentheses: Int) {
        if sees("//") {
            modes.append(.lineComment)
            blank(2)
        } else if sees("/*") {
            modes.append(.blockComment(depth: 1))
            blank(2)
        } else if let opening = openingQuote() {
            modes.append(.string(quotes: opening.quotes, pounds: opening.pounds))
            blank(opening.quotes + opening.pounds)
        } else if sees("(") {
            replaceMode(.code(parentheses: parentheses + 1))
            keep()
        } else if sees(")"), parentheses == 0, modes.count > 1 {
            modes.removeLast()
            blank()
        } else if sees(")") {
            replaceMode(.code(parentheses: parentheses - 1))
            keep()
        } else {
            keep()
        }
    }

    private func openingQuote() -> (quotes: Int, pounds: Int)? {
        var pounds = 0
        while index + pounds < input.count, input[index + pounds] == UInt8(ascii: "#") { pounds += 1 }
        let rest = input[(index + pounds)...]
        if rest.starts(with: "\"\"\"".utf8) { return (3, pounds) }
        return rest.starts(with: "\"".utf8) ? (1, pounds) : nil
    }

    private mutating func lineComment() {
        if sees("\n") { modes.removeLast() }
        blank()
    }

    private mutating func blockComment(_ depth: Int) {
        if sees("*/") {
            if depth == 1 { modes.removeLast() } else { replaceMode(.blockComment(depth: depth - 1)) }
            blank(2)
        } else if sees("/*") {
            replaceMode(.blockComment(depth: depth + 1))
            blank(2)
        } else {
            blank()
        }
    }

    private mutating func string(_ quotes: Int, _ pounds: Int) {
        let escape = "\\" + String(repeating: "#", count: pounds)
        if sees(escape + "(") {
            modes.append(.code(parentheses: 0))
            blank(escape.utf8.count + 1)
        } else if sees(escape) {
            blank(escape.utf8.count + 1)
        } else if sees(String(repeating: "\"", count: quotes) + String(repeating: "#", count: pounds)) {
            modes.removeLast()
            blank(quotes + pounds)
        } else {
            blank()
        }
    }
}
