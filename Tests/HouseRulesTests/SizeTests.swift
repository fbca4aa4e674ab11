import Testing

/// Small files, small functions: the walls; the aims are lower (CONTRIBUTING.md).
@Suite struct SizeTests {
    static let fileLimit = 400
    static let functionLimit = 70
    /// The comment that lifts the file limit; a reason follows it on the line.
    static let reason = "// Longer than \(fileLimit) lines because "

    @Test func filesAreShort() {
        let long = Tree.swiftFiles.compactMap { path -> Violation? in
            guard let text = Tree.text(path) else { return nil }
            let count = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            guard count > Self.fileLimit, !text.contains(Self.reason) else { return nil }
            return Violation(path: path, line: count, what: "\(count) lines, the limit is \(Self.fileLimit)")
        }
        #expect(long.isEmpty, "\(report(long, "Split by idea, or say why not: '\(Self.reason)…'"))")
    }

    @Test func functionsAreShort() {
        let long = Tree.swiftFiles.flatMap { path in
            FunctionLengths.find(in: CodeOnly.lines(of: Tree.text(path) ?? ""))
                .filter { $0.bodyLines > Self.functionLimit }
                .map { Violation(path: path, line: $0.line, what: "\($0.name) has \($0.bodyLines) lines") }
        }
        #expect(long.isEmpty, "\(report(long, "The limit is \(Self.functionLimit): give the steps names."))")
    }

    @Test func lengthsAreFound() {
        let code = #"""
            protocol P {
                func required() async
                init(a: Int)
            }
            struct S {
                func one(_ f: () -> Void = { print("}") }) { f() }
                // func no() {
                func three(a: Int) -> [Int]
                    where A: B
                {
                    let text = "{ \(g("}")) {"
                    return .init(text)
                }
            }
            """#
        let found = FunctionLengths.find(in: CodeOnly.lines(of: code))
        #expect(found.map(\.name) == ["one", "three"])
        #expect(found.map(\.bodyLines) == [1, 4])
    }
}
