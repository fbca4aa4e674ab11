internal import ServiceSupport

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

/// The counters for Prometheus. Nothing of a card, an origin or a token is in it.
struct WebMetrics {
    var text: String { samples.text }
    private var samples = PrometheusText(prefix: "swiped_web_")

    init(_ counts: WebCounts, version: String, pages: Int, limit: Int, tokens: Int, waiting: Int) {
        samples.gauge("build_info", "The gateway's version.", 1, [("version", version)])
        samples.gauge("pages", "Pages that are connected.", pages)
        samples.gauge("pages_limit", "How many pages there may be.", limit)
        samples.gauge("tokens", "Tokens that are good.", tokens)
        samples.gauge("pairings_waiting", "Pages whose code nobody has confirmed yet.", waiting)
        samples.counter("connections_total", "Connections that were accepted.", counts.connections)
        samples.counter("requests_total", "Requests that were read.", counts.requests)
        samples.counter("pages_total", "Pages that were let in.", counts.pages)
        samples.counter("lines_from_pages_total", "Lines from pages to the daemon.", counts.linesFromPages)
        samples.counter("lines_to_pages_total", "Lines from the daemon to pages.", counts.linesToPages)
        samples.counter("pairings_total", "Tokens that were given out.", counts.pairings)
        samples.counter(
            "daemon_failures_total", "Connections to the daemon that could not be made.",
            counts.daemonFailures)
        for reason in Refusal.allCases {
            samples.counter(
                "refused_total", "What was refused, by reason.", counts.refused[reason, default: 0],
                [("reason", reason.rawValue)])
        }
    }
}
