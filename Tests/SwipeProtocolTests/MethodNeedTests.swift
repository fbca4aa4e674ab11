import FoundationEssentials
import SwipeProtocol
import Testing

/// The table of methods in docs/protocol.md held against the code.
@Suite struct MethodNeedTests {
    private let page: String

    init() throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        page = try String(contentsOfFile: root + "/docs/protocol.md", encoding: .utf8)
    }

    /// What a method needs is what the daemon looks at.
    @Test func whatAMethodNeedsIsThere() throws {
        let section = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("Methods\n") })
        var seen: Set<String> = []
        for row in try #require(section.split(separator: "\n\n").dropFirst().first).split(separator: "\n") {
            let columns = row.split(separator: "|").map { $0.drop { $0 == " " } }
            for name in columns[0].matches(of: /`([a-z_]+)`/).map({ String($0.1) }) {
                let need = try #require(Method(rawValue: name)).need
                #expect(columns[2].hasPrefix(need == .admin ? "admin" : "\(need.rawValue) "), "\(name)")
                seen.insert(name)
            }
        }
        #expect(seen == Set(Method.allCases.map(\.rawValue)))
    }
}
