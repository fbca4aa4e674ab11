import FoundationEssentials
import SwipeProtocol
import Testing

/// docs/protocol.md says of each method what it answers.
@Suite struct AnswersPageTests {
    private static let heading = "| answer to | members |\n"

    private func rows() throws -> [Substring] {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = try String(contentsOfFile: root + "/docs/protocol.md", encoding: .utf8)
        let table = try #require(page.split(separator: Self.heading).last?.split(separator: "\n\n").first)
        return table.split(separator: "\n").filter { $0.hasPrefix("| `") }
    }

    /// Every method once, with the members that the schema has of its answer.
    @Test func everyAnswerIsThereWithItsMembers() throws {
        var seen: [String] = []
        for row in try rows() {
            let columns = row.split(separator: "|")
            for method in columns[0].matches(of: /`([a-z_]+)`/).map({ String($0.1) }) {
                seen.append(method)
                let schema = ProtocolSchema.document.object?["$defs"]?.object?["result_\(method)"]?.object
                if method == "schema" { continue }
                let members = try #require(schema?["properties"]?.object).members.map(\.name)
                for member in members { #expect(columns[1].contains("`\(member)`"), "\(method): \(member)") }
                if members.isEmpty { #expect(columns[1].hasPrefix(" none"), "\(method)") }
            }
        }
        #expect(seen.sorted() == Method.allCases.map(\.rawValue).sorted())
    }
}
