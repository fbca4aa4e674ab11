import Diagnosis
import Foundation
import Testing

/// docs/troubleshooting.md and the doctor know the same complaints.
@Suite struct PageTests {
    /// Rows that are no complaint.
    private static let exempt: Set<String> = ["your reader, `ready`", "Still nothing"]

    @Test func everyRowHasACheckAndEveryCheckARow() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../docs/troubleshooting.md")
            .standardized
        let rows = Self.rows(of: try String(contentsOf: page, encoding: .utf8))
        #expect(rows.count > 30)
        let answered = Set(Check.allCases.flatMap(\.rows))
        #expect(
            rows.subtracting(answered).subtracting(Self.exempt).sorted() == [], "these have no check")
        #expect(answered.subtracting(rows).sorted() == [], "these are in no row")
        #expect(Check.allCases.allSatisfy { !$0.rows.isEmpty })
    }

    /// The bench with a kernel breaks every cause, but for these.
    @Test func everyCauseIsBrokenOnTheBench() throws {
        let leftOut: [Check: String] = [
            .noProc: "swipectl itself says it, before the doctor can begin; 33 sees that",
            .suspended: "the kernel's virtual USB refuses to sleep with a reader in it",
        ]
        let folder = URL(filePath: #filePath).appending(path: "../../VM/scenarios").standardized
        let lines = try ["32-doctor", "33-doctor-of-readers"].flatMap { name in
            try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n")
        }
        let named = lines.filter { $0.contains(#/(^| )(names "|explains )/#) }.flatMap { line in
            line.split(separator: "\"").last.map { $0.split(separator: " ") } ?? []
        }
        let broken = Set(named.compactMap { Check(rawValue: String($0)) })
        #expect(Check.allCases.filter { !broken.contains($0) && leftOut[$0] == nil } == [])
        #expect(leftOut.keys.filter(broken.contains) == [])
    }

    @Test func rowsAreFound() {
        let page = """
            # T
            ## One
            | it says | do |
            |---|---|
            | no | yes |
            **Bold.** Words
            - The plug: words
            ## Two
            Words
            """
        #expect(Self.rows(of: page) == ["no", "Bold.", "The plug", "Two"])
    }

    /// First cells, bold beginnings, bullets up to their colon; the heading of a section that has none of these.
    private static func rows(of page: String) -> Set<String> {
        var (rows, heading, isEmpty): (Set<String>, String?, Bool) = ([], nil, true)
        var isTable = false
        func end() { if let heading, isEmpty { rows.insert(heading) } }
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            var row: String?
            if line.hasPrefix("## ") {
                end()
                (heading, isEmpty) = (String(line.dropFirst(3)), true)
            } else if line.hasPrefix("|---") {
                isTable = true
            } else if line.hasPrefix("| ") {
                if isTable { row = line.dropFirst(2).components(separatedBy: " | ").first }
            } else if line.hasPrefix("**") {
                row = line.dropFirst(2).components(separatedBy: "**").first
            } else if line.hasPrefix("- ") {
                row = line.dropFirst(2).components(separatedBy: ":").first
            }
            if !line.hasPrefix("|") { isTable = false }
            if let row {
                rows.insert(row)
                isEmpty = false
            }
        }
        end()
        return rows
    }
}
