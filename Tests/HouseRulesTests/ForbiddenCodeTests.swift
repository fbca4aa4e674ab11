import Foundation
import Testing

/// What would trap, or be left behind.
@Suite struct ForbiddenCodeTests {
    /// A pattern for a line of code, and what to write instead.
    struct Ban: CustomTestStringConvertible, Sendable {
        let name: String
        let pattern: String
        let instead: String

        var testDescription: String { name }
    }

    static let bans = [
        Ban(name: "try!", pattern: #"\btry!"#, instead: "Use try, or try? where the failure is data."),
        Ban(name: "as!", pattern: #"\bas!"#, instead: "Use as? and say what happens otherwise."),
        Ban(
            name: "force unwrap", pattern: #"[A-Za-z0-9_)\]}]!(?![=A-Za-z0-9_(])"#,
            instead: "Bind it with if let or guard let."),
        Ban(
            name: "a trap of our own",
            pattern: #"\b(fatalError|preconditionFailure|assertionFailure|precondition)\("#,
            instead: "Throw, or return a Result: the daemon outlives its inputs."),
        Ban(
            name: "unowned(unsafe)", pattern: #"unowned\(unsafe\)|\bunsafeBitCast\("#,
            instead: "Find a safe way."),
        Ban(
            name: "print to stdout", pattern: #"(^|[^.\w])print\("#,
            instead: "Log, or write to swipectl's Output."),
    ]

    /// On the line above, with the reason after it, this lifts a ban.
    static let exemption = "// Not reachable from input: "

    @Test(arguments: bans)
    func sourcesAreFree(of ban: Ban) throws {
        let found = try Tree.sourceFiles.flatMap { path in
            let text = (Tree.text(path) ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            return try matches(ban.pattern, in: CodeOnly.lines(of: Tree.text(path) ?? ""))
                .filter { $0 < 2 || !text[$0 - 2].contains(Self.exemption) }
                .map { Violation(path: path, line: $0, what: ban.name) }
        }
        #expect(found.isEmpty, "\(report(found, ban.instead))")
    }

    @Test func nothingIsLeftForLater() throws {
        // Spelled in two halves: this file is searched too.
        let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
        let pattern = #"\b("# + words.joined(separator: "|") + #")\b"#
        let found = try Tree.files.flatMap { path -> [Violation] in
            guard let text = Tree.text(path) else { return [] }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            return try matches(pattern, in: lines).map {
                Violation(path: path, line: $0, what: "left for later")
            }
        }
        #expect(found.isEmpty, "\(report(found, "Do it now, or open an issue and leave the code whole."))")
    }

    @Test func stringsAndCommentsAreNotCode() throws {
        let lines = CodeOnly.lines(
            of: #"let a = "no try! here" // nor as! here"# + "\nlet b = c!\nlet d = e != f")
        #expect(try matches(Self.bans[0].pattern, in: lines).isEmpty)
        #expect(try matches(Self.bans[1].pattern, in: lines).isEmpty)
        #expect(try matches(Self.bans[2].pattern, in: lines) == [2])
    }

    /// The numbers, from 1, of the lines that a pattern matches.
    private func matches(_ pattern: String, in lines: [String]) throws -> [Int] {
        let expression = try NSRegularExpression(pattern: pattern)
        return lines.enumerated().compactMap { index, line in
            let whole = NSRange(line.startIndex..., in: line)
            return expression.firstMatch(in: line, range: whole) == nil ? nil : index + 1
        }
    }
}
