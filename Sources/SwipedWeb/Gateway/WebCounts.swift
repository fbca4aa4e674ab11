/// What the gateway has counted since it started.
struct WebCounts: Sendable {
    var connections: UInt64 = 0
    var requests: UInt64 = 0
    var pages: UInt64 = 0
    var linesFromPages: UInt64 = 0
    var linesToPages: UInt64 = 0
    var pairings: UInt64 = 0
    var refused: [Refusal: UInt64] = [:]
    var daemonFailures: UInt64 = 0
}

/// The counters in Prometheus's text format. Nothing of a card, an origin or a token is in it.
struct WebMetrics {
    private(set) var text = ""

    init(_ counts: WebCounts, version: String, pages: Int, limit: Int, tokens: Int, waiting: Int) {
        one("build_info", "gauge", "The gateway's version.", 1, labels: "{version=\"\(version)\"}")
        one("pages", "gauge", "Pages that are connected.", UInt64(pages))
        one("pages_limit", "gauge", "How many pages there may be.", UInt64(limit))
        one("tokens", "gauge", "Tokens that are good.", UInt64(tokens))
        one("pairings_waiting", "gauge", "Pages whose code nobody has confirmed yet.", UInt64(waiting))
        one("connections_total", "counter", "Connections that were accepted.", counts.connections)
        one("requests_total", "counter", "Requests that were read.", counts.requests)
        one("pages_total", "counter", "Pages that were let in.", counts.pages)
        one("lines_from_pages_total", "counter", "Lines from pages to the daemon.", counts.linesFromPages)
        one("lines_to_pages_total", "counter", "Lines from the daemon to pages.", counts.linesToPages)
        one("pairings_total", "counter", "Tokens that were given out.", counts.pairings)
        one(
            "daemon_failures_total", "counter", "Connections to the daemon that could not be made.",
            counts.daemonFailures)
        heading("refused_total", "counter", "What was refused, by reason.")
        for reason in Refusal.allCases {
            text +=
                "swiped_web_refused_total{reason=\"\(reason.rawValue)\"} \(counts.refused[reason, default: 0])\n"
        }
    }

    private mutating func one(
        _ name: String, _ kind: String, _ help: String, _ value: UInt64, labels: String = ""
    ) {
        heading(name, kind, help)
        text += "swiped_web_\(name)\(labels) \(value)\n"
    }

    private mutating func heading(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP swiped_web_\(name) \(help)\n# TYPE swiped_web_\(name) \(kind)\n"
    }
}
