import Foundation
import Testing

/// Links between the project's pages lead somewhere.
@Suite struct DocumentLinkTests {

    @Test(arguments: Pages.pages)
    func linksResolve(page: String) throws {
        let text = Tree.text(page) ?? ""
        let expression = try NSRegularExpression(pattern: #"\]\(([^)\s]+)\)"#)
        let folder = Tree.root.appending(path: page).deletingLastPathComponent()
        for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
            guard let range = Range(match.range(at: 1), in: text) else { continue }
            let link = String(text[range])
            if link.contains("://") || link.hasPrefix("mailto:") { continue }
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let target =
                parts[0].isEmpty ? Tree.root.appending(path: page) : folder.appending(path: String(parts[0]))
            #expect(FileManager.default.fileExists(atPath: target.path), "\(page): '\(link)' leads nowhere")
            if parts.count == 2, target.path.hasSuffix(".md") {
                let anchors = Self.anchors(in: (try? String(contentsOf: target, encoding: .utf8)) ?? "")
                #expect(anchors.contains(String(parts[1])), "\(page): no heading for '\(link)'")
            }
        }
    }

    /// The anchors that a Markdown page's headings give, as the usual viewers make them.
    static func anchors(in text: String) -> Set<String> {
        let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
        return Set(
            headings.map { heading in
                let words = heading.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
                return String(
                    words.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                )
                .replacingOccurrences(of: " ", with: "-")
            })
    }
}
