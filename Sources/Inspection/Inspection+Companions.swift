import Diagnosis

/// The gateway to pages and the bridge to a broker.
extension Inspection {
    static let companions = ["swiped-web", "swiped-mqtt"]

    /// Nil where it is not installed, or systemd is not there to ask.
    func companion(_ name: String) -> CompanionFacts? {
        guard let service = show("\(name).service"), service["LoadState"] == "loaded",
            let state = service["ActiveState"]
        else { return nil }
        var companion = CompanionFacts(name: name, state: state)
        if state == "failed", let checked = run(["/usr/sbin/\(name)", "--check-config"]), checked.status != 0
        {
            companion.faults = checked.output.split(separator: "\n").map(String.init)
        }
        companion.figures = figures(tree.lines("/run/\(name)/metrics.prom"), of: name)
        return companion
    }

    /// Prometheus' text format: `name{labels} value`, and comments.
    private func figures(_ lines: [String], of name: String) -> [String: Int] {
        let prefix = name.map { $0 == "-" ? "_" : String($0) }.joined() + "_"
        var figures: [String: Int] = [:]
        for line in lines where line.hasPrefix(prefix) {
            let parts = line.dropFirst(prefix.count).split(separator: " ")
            guard parts.count == 2, let value = Int(parts[1]),
                let figure = parts[0].split(separator: "{").first
            else { continue }
            figures[String(figure)] =
                figures[String(figure), default: 0].addingReportingOverflow(value).partialValue
        }
        return figures
    }
}
