import Testing

/// Who may use whom: the tables in the packages' pages are the rule, the sources must follow them.
@Suite struct ImportTests {
    static let pages = ["ARCHITECTURE.md", "Checkout/README.md"]
    /// The columns of a table: target, what it is, may use, may not use.
    static let header = "| target | what it is | may use | may not use |"

    @Test func everyTargetHasARow() {
        let targets = Set(Tree.files.compactMap(Tree.target(of:)))
        let rows = Set(Self.rows().keys)
        let missing = targets.subtracting(rows).sorted()
        let idle = rows.subtracting(targets).sorted()
        #expect(missing.isEmpty && idle.isEmpty, "\(Self.pages): give a row to \(missing); take out \(idle).")
    }

    @Test func importsFollowTheTable() {
        let rows = Self.rows()
        let found = Tree.sourceFiles.flatMap { path -> [Violation] in
            let target = Tree.target(of: path) ?? ""
            return Self.imports(path).filter { rows[target]?.contains($0.module) != true }.map {
                Violation(path: path, line: $0.line, what: "\(target) may not import \($0.module)")
            }
        }
        #expect(found.isEmpty, "\(report(found, "Move the code, or argue for a change of \(Self.pages)."))")
    }

    /// The targets whose last column says "any effect".
    @Test func pureTargetsStayPure() {
        let pure = Set(Self.cells().filter { $0[3] == "any effect" }.map { $0[0] })
        let effects: Set<Substring> = [
            "Task", "actor", "ContinuousClock", "SuspendingClock", "readLine",
        ]
        let files = Tree.sourceFiles.filter { pure.contains(Tree.target(of: $0) ?? "") }
        let found = files.flatMap { path in
            CodeOnly.lines(of: Tree.text(path) ?? "").enumerated().flatMap { index, line in
                effects.intersection(line.split { !$0.isLetter })
                    .map { Violation(path: path, line: index + 1, what: "\($0) in a pure target") }
            }
        }
        #expect(!pure.isEmpty)
        #expect(found.isEmpty, "\(report(found, "Return an action and let the owner act."))")
    }

    /// The modules each target may import, from the table.
    static func rows() -> [String: Set<String>] {
        cells().reduce(into: [:]) { rows, cells in
            rows[cells[0]] = Set(cells[2].split(separator: ",").map { $0.trimmed }.filter { $0 != "–" })
        }
    }

    /// The tables' cells, a row each.
    static func cells() -> [[String]] { pages.flatMap { cells(page: $0) } }

    private static func cells(page: String) -> [[String]] {
        let lines = (Tree.text(page) ?? "").split(separator: "\n").map(String.init)
        guard let start = lines.firstIndex(of: header) else { return [] }
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }
            .map { $0.split(separator: "|").map { $0.trimmed } }.filter { $0.count == 4 }
    }

    private static let modifiers: Set<Substring> = [
        "package", "public", "internal", "private", "fileprivate",
    ]

    /// The modules that a file imports, and where.
    static func imports(_ path: String) -> [(module: String, line: Int)] {
        CodeOnly.lines(of: Tree.text(path) ?? "").enumerated().compactMap { index, line in
            let words = line.split(separator: " ")
            guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
                words[..<keyword].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") })
            else { return nil }
            let kinds: Set<Substring> = [
                "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
            ]
            let name = kinds.contains(words[keyword + 1]) ? words[keyword + 2] : words[keyword + 1]
            return (String(name.split(separator: ".")[0]), index + 1)
        }
    }
}

extension StringProtocol {
    /// Without the blanks and backquotes around it.
    fileprivate var trimmed: String {
        String(drop { " `".contains($0) }.reversed().drop { " `".contains($0) }.reversed())
    }
}
