import Diagnosis
import SwipeProtocol

/// What was found, for people or programs.
struct DoctorReport {
    private let findings: [Finding]
    private let facts: Facts
    /// Serial numbers that are not shown.
    private let hidden: DeviceNumbers?

    init(findings: [Finding], facts: Facts, hidden: DeviceNumbers?) {
        self.findings = findings
        self.facts = facts
        // The longest first: one may be the beginning of another.
        self.hidden = hidden
    }

    /// What only explains is no fault.
    var isHealthy: Bool { findings.allSatisfy(\.check.onlyExplains) }

    func text(_ style: Style) -> String {
        let isSilent = findings.isEmpty
        let verdict = isSilent ? "All is in order: " : "No fault was found: "
        var text = isHealthy ? style.paint(verdict, isSilent ? .good : .notable) + shown(summary) + "\n" : ""
        var number = 0
        for finding in findings {
            let mark: String
            if finding.check.onlyExplains {
                mark = "note"
            } else {
                number += 1
                mark = "\(number)."
            }
            text +=
                (text.isEmpty ? "" : "\n") + style.paint("\(mark) \(finding.check.title)", color(finding))
                + "\n"
            text += finding.evidence.map { "   seen: \(shown($0))\n" }.joined()
            text += "   that is: \(shown(finding.cause))\n"
            text += finding.advice.map { "       \(shown($0))\n" }.joined()
        }
        return text
    }

    private func color(_ finding: Finding) -> Style.Color {
        finding.check.onlyExplains ? .notable : .bad
    }

    private var summary: String {
        let listed = facts.readers.filter { $0.state != "absent" }
        let ready = listed.filter { $0.state == "ready" || $0.state == "reading" }.count
        return "swiped answers; \(listed.count) reader\(listed.count == 1 ? "" : "s"), \(ready) ready."
    }

    /// A reader's id without its number is still the beginning by which it can be named.
    private func shown(_ text: String) -> String {
        (hidden?.removed(from: text) ?? text).printable
    }
}

extension DoctorReport: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("healthy", isHealthy)
        writer.name("findings")
        writer.beginArray()
        for finding in findings { FindingLine(finding, shown: shown).write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}
