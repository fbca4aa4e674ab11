import FoundationEssentials
import Testing

/// What the daemon logs has names that operators search by and alert on: docs/observability.md lists them, and this
/// holds the list against the sources.
@Suite struct LogNameTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private static let logging = ["Sources/SwipeDaemon", "Sources/EventServer"]

    private func sources() throws -> [(path: String, text: String)] {
        var sources: [(String, String)] = []
        for folder in Self.logging {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: "\(Self.root)/\(folder)")
            for path in paths.filter({ $0.hasSuffix(".swift") }) {
                let file = "\(folder)/\(path)"
                sources.append((file, try String(contentsOfFile: "\(Self.root)/\(file)", encoding: .utf8)))
            }
        }
        return sources
    }

    private func documented() throws -> Set<String> {
        let page = try String(contentsOfFile: "\(Self.root)/docs/observability.md", encoding: .utf8)
        return Set(page.matches(of: /(?m)^\| `([a-z]+\.[a-z_]+)` \|/).map { String($0.1) })
    }

    @Test func theListIsWhatTheSourcesSay() throws {
        var used: Set<String> = []
        for (_, text) in try sources() {
            for match in text.matches(of: /"((?:daemon|client|reader|hotplug|metrics)\.[a-z_]+)"/) {
                used.insert(String(match.1))
            }
        }
        let documented = try documented()
        #expect(used.subtracting(documented) == [], "logged, not in docs/observability.md")
        #expect(documented.subtracting(used) == [], "in docs/observability.md, never logged")
    }

    /// The fields that an entry has besides its name, its reader and the attachment stand in its row.
    @Test func theFieldsAreThere() throws {
        let page = try String(contentsOfFile: "\(Self.root)/docs/observability.md", encoding: .utf8)
        let rows = page.split(separator: "\n")
        var seen = 0
        for (path, text) in try sources() {
            // In a dictionary with the name, or behind the name and the message.
            let entries =
                text.matches(of: /"event": "([a-z]+\.[a-z_]+)",([^\]]*)\]/).map { ($0.1, $0.2) }
                + text.matches(of: /"([a-z]+\.[a-z_]+)", "[^"]*",\s*\[([^\]]*)\]/).map { ($0.1, $0.2) }
            for (name, fields) in entries {
                let row = rows.first { $0.hasPrefix("| `\(name)` |") } ?? ""
                let words = Set(row.split { !$0.isLetter && $0 != "_" })
                for field in fields.matches(of: /"([a-z_]+)":/).map(\.1) {
                    seen += 1
                    #expect(words.contains(field), "\(path): \(name) has '\(field)'")
                }
            }
        }
        #expect(seen >= 12, "a search that finds no fields would pass everything")
    }

    @Test func everyMessageHasAName() throws {
        for (path, text) in try sources() {
            for call in text.matches(
                of: /logger\b[^\n]*\.(?:trace|debug|info|notice|warning|error|critical)\(/)
            {
                let what = text[call.range.lowerBound...].prefix(300)
                #expect(
                    what.contains("\"event\"") || what.contains("metadata: metadata"),
                    "\(path): \(call.output)")
            }
        }
    }
}
