/// Counters as Prometheus reads them: its text format, version 0.0.4, one family after the other.
package struct PrometheusText: Sendable {
    package enum Kind: String, Sendable {
        case counter, gauge
    }

    package private(set) var text = ""
    private let prefix: String
    private var lastFamily = ""

    /// - Parameter prefix: what every family's name begins with.
    package init(prefix: String = "") { self.prefix = prefix }

    package mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ labels: [(String, String)], _ value: Double
    ) {
        if name != lastFamily {
            text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(kind.rawValue)\n"
            lastFamily = name
        }
        let words = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        text += "\(prefix)\(name)\(words.isEmpty ? "" : "{\(words)}") \(Self.number(value))\n"
    }

    package mutating func gauge(
        _ name: String, _ help: String, _ value: Int, _ labels: [(String, String)] = []
    ) { add(name, .gauge, help, labels, Double(value)) }

    package mutating func counter(
        _ name: String, _ help: String, _ value: UInt64, _ labels: [(String, String)] = []
    ) { add(name, .counter, help, labels, Double(value)) }

    /// A device's strings end up here, and a device can be made to say anything.
    private static func escaped(_ value: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in value.unicodeScalars {
            if scalar == "\\" || scalar == "\"" || scalar == "\n" { escaped.append("\\") }
            escaped.append(scalar == "\n" ? "n" : scalar)
        }
        return String(escaped)
    }

    /// Whole numbers without a fraction; Prometheus reads both.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
