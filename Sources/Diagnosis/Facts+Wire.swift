package import SwipeProtocol

extension ReaderFacts {
    /// What the daemon says of a reader, and what it counted of it.
    package init(_ info: ReaderInfo, counted: JSONObject?) {
        self.init(
            id: info.id, bus: info.bus.rawValue, state: info.state.rawValue, detail: info.detail)
        name = info.name
        serial = info.serial
        encryption = info.encryption.rawValue
        holder = info.claimedBy?.pid
        isSimulated = info.isSimulated
        for member in counted?.members ?? [] { counts[member.name] = member.value.integer.map { Int($0) } }
    }
}

extension UnusedFacts {
    package init(_ info: UnusedInputInfo) {
        self.init(section: info.section, device: info.device, why: info.why)
    }
}

extension Diagnosis {
    /// What is wrong by what the daemon says alone, for who may look at nothing else of the system.
    ///
    /// - Parameter counted: the readers' counters in the answer to `stats`, by their ids.
    package static func findings(_ list: ReaderList, counted: JSONObject) -> [Finding] {
        var facts = Facts()
        facts.daemon.answer = .roles([])
        facts.readers = list.readers.map { ReaderFacts($0, counted: counted[$0.id]?.object) }
        let ofReaders = findings(facts).filter { finding in
            // Of everything else nothing was looked at.
            if case .reader = finding.subject { true } else { false }
        }
        let unused = list.unusedInputs.map { input in
            var finding = Diagnosis.unused(UnusedFacts(input))
            finding.advice = ["sudo swipectl doctor"]
            return finding
        }
        return unused + ofReaders
    }
}

/// A finding for programs: its `check` never changes its meaning.
package struct FindingLine: JSONEncodable {
    private let finding: Finding
    private let shown: (String) -> String

    /// - Parameter shown: what of a text is shown.
    package init(_ finding: Finding, shown: @escaping (String) -> String = { $0 }) {
        self.finding = finding
        self.shown = shown
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("check", finding.check.rawValue)
        writer.field("title", finding.check.title)
        writer.field("fault", !finding.check.onlyExplains)
        writer.field("subject", subject)
        writer.field("evidence", finding.evidence.map(shown))
        writer.field("cause", shown(finding.cause))
        writer.field("advice", finding.advice.map(shown))
        writer.endObject()
    }

    private var subject: String {
        switch finding.subject {
        case .system: "system"
        case .reader(let id): shown(id)
        case .node(let node): node
        case .card(let index): "card \(index)"
        case .section(let name): "[\(shown(name))]"
        }
    }
}
