import FoundationEssentials
import SwipeProtocol
import TestSupport
import Testing

/// docs/protocol.md held against the code: its examples fit the schema, its tables are complete and its numbers right.
@Suite struct ProtocolPageTests {
    private let page: String

    init() throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        page = try String(contentsOfFile: root + "/docs/protocol.md", encoding: .utf8)
    }

    private func check(_ line: some StringProtocol) throws {
        let json = try JSONReader.value(of: Array(line.utf8))
        #expect(SchemaChecker().complaint(about: json) == nil, "\(line)")
    }

    @Test func theLinesOfTheExamplesFitTheSchema() throws {
        let lines = page.matches(of: /(?m)^(?:<-|->) (\{.*\})$/)
        #expect(lines.count >= 6)
        for line in lines { try check(line.1) }
        for line in page.matches(of: /(?m)^-> (\{.*\})$/) {
            _ = try Request(line: Array(String(line.1).utf8))
        }
    }

    @Test func everyMemberAndStateOfAReaderIsThere() throws {
        let members = ProtocolSchema.document.object?["$defs"]?.object?["reader"]?.object?["properties"]?
            .object
        let names = Set(try #require(members).members.map(\.name))
        try expect("Readers", names.union(ReaderState.allCases.map(\.rawValue)))
    }

    /// Where a client author looks: members of a swipe and of what stands in it.
    @Test(arguments: ["swipe", "track", "card", "encryption", "quality"])
    func everyMemberOfASwipeIsNamed(definition: String) throws {
        let object = try #require(ProtocolSchema.document.object?["$defs"]?.object?[definition]?.object)
        for member in try #require(object["properties"]?.object).members {
            // `pan.number`, `tracks[].text`, or in the example.
            let named = try Regex("[`.\"]\(member.name)[`\"]")
            #expect(page.contains(named), "docs/protocol.md does not name '\(member.name)' of \(definition)")
        }
    }

    /// A section's first column has these words, and no others.
    private func expect(_ heading: String, _ wanted: Set<String>) throws {
        let found = try firstColumn(under: heading)
        #expect(found == wanted, "docs/protocol.md, \(heading): \(difference(found, wanted))")
    }

    /// The words in backquotes in a table's first column.
    private func firstColumn(under heading: String) throws -> Set<String> {
        let sections = page.split(separator: "\n## ")
        let section = try #require(sections.first { $0.hasPrefix("\(heading)\n") })
        var words: Set<String> = []
        for row in section.matches(of: /(?m)^\| (`[^|]*) \|/) {
            for word in row.1.matches(of: /`([a-z_.]+)`/) { words.insert(String(word.1)) }
        }
        return words
    }

    @Test func everyEventIsThere() throws {
        try expect("Events", Set(EventKind.allCases.map(\.rawValue)))
    }

    @Test func everyMethodIsThere() throws {
        try expect("Methods", Set(Method.allCases.map(\.rawValue)))
    }

    @Test func everyRoleIsThere() throws {
        try expect("Roles", Set(Role.allCases.map(\.rawValue)))
    }

    @Test func everyErrorIsThereWithItsEquivalent() throws {
        for row in ErrorCode.all {
            let line =
                "| `\(row.code.rawValue)` | \(row.unifiedPOS) | \(row.isRetryable ? "yes" : "no") | \(row.meaning) |"
            #expect(page.contains(line), "\(line)")
        }
        #expect(try firstColumn(under: "Errors").count == ErrorCode.all.count)
    }

    @Test func theReasonsOfAnEventAreThere() throws {
        let words: [(String, [String])] = [
            ("disconnect", DisconnectReason.words),
            ("activate", ActivationOutcome.words),
            ("deactivate", DeactivationReason.words),
            ("unready", UnreadyCause.words),
            ("claim_released", ClaimEnd.words),
            ("gap", GapReason.words),
            ("bye", ByeCode.words),
            ("swipe_untaken", UntakenReason.words),
        ]
        for (event, reasons) in words {
            let row = try #require(
                page.split(separator: "\n").first { $0.contains(/^\| .*`/) && $0.hasPrefix("| `\(event)`") })
            for reason in reasons { #expect(row.contains(reason), "\(event): \(reason)") }
        }
    }

    @Test func theExampleOfASwipeFitsTheSchema() throws {
        let swipe = try #require(page.firstMatch(of: /`{3}\n(\{"card"[^`]*)`{3}/)).1
        try check(
            #"{"event":"swipe","seq":1,"time":"2026-01-31T09:30:00.123456Z","mono_ns":1,"data":\#(swipe)}"#)
    }
}
