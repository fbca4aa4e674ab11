internal import SectionFiles

/// What the file of every service may say: where its counters are written, and how much it logs.
package struct ServiceSettings: Sendable {
    /// The counters' file; empty where none is written.
    package var metrics: String
    package var metricsSeconds = 15
    package var level = "info"

    static let sections = ["[metrics]", "[log]"]
    private static let intervalRange = 1...3_600
    private static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    package init(metrics: String) { self.metrics = metrics }

    /// - Returns: whether it is one of these sections.
    mutating func take(_ section: FileSection) throws(SectionFaults) -> Bool {
        switch section.words {
        case ["metrics"]: try takeMetrics(section)
        case ["log"]: try takeLog(section)
        case _: return false
        }
        return true
    }

    private mutating func takeMetrics(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            switch entry.key {
            case "file": metrics = try entry.pathOrNothing()
            case "interval": metricsSeconds = try entry.whole(Self.intervalRange)
            case _: throw entry.unknown(["file", "interval"])
            }
        }
    }

    private mutating func takeLog(_ section: FileSection) throws(SectionFaults) {
        try section.each { entry throws(SectionFault) in
            guard entry.key == "level" else { throw entry.unknown(["level"]) }
            level = try entry.word(of: Self.levels)
        }
    }
}
