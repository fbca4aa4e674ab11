import Testing

/// What several suites need stands in a `Support` folder: who looks for it, or changes a suite, need not know the others.
@Suite struct SuiteTests {
    @Test func noSuiteUsesAnother() {
        let files = Tree.files.filter { $0.contains("Tests/") && $0.hasSuffix(".swift") }
        let suites = Dictionary(grouping: files) { Self.target(of: $0) }.mapValues { paths in
            Set(paths.flatMap { Self.suites(in: Tree.text($0) ?? "") })
        }
        #expect(suites.values.joined().count > 100)
        let found = files.flatMap { path -> [Violation] in
            let others = suites[Self.target(of: path), default: []].subtracting(
                Self.types(in: Tree.text(path) ?? ""))
            return CodeOnly.lines(of: Tree.text(path) ?? "").enumerated().flatMap { index, line in
                line.matches(of: /\b([A-Z]\w+)\./).map { String($0.1) }.filter(others.contains).map {
                    Violation(path: path, line: index + 1, what: "uses the suite \($0)")
                }
            }
        }
        #expect(found.isEmpty, "\(report(found, "Move what both need into a Support folder."))")
    }

    /// `Tests/HIDReadersTests`.
    private static func target(of path: String) -> String {
        path.split(separator: "/").prefix(path.hasPrefix("Checkout") ? 3 : 2).joined(separator: "/")
    }

    private static func suites(in text: String) -> [String] {
        text.matches(of: /@Suite[^{]*?\b(?:struct|class|actor|enum) (\w+)/).map { String($0.1) }
    }

    /// Those that it declares or extends.
    private static func types(in text: String) -> [String] {
        text.matches(of: /\b(?:struct|class|actor|enum|extension) (\w+)/).map { String($0.1) }
    }
}
