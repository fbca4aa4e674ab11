internal import ServiceSupport

/// What the bridge has counted since it started.
struct BridgeCounts: Sendable {
    /// Swipes that the daemon has sent.
    var swipes: UInt64 = 0
    /// Messages that the broker has, by what they are.
    var swipesPublished: UInt64 = 0
    var statesPublished: UInt64 = 0
    var lossesPublished: UInt64 = 0
    /// Messages that the broker does not take.
    var refused: UInt64 = 0
    /// Commands that came over the broker, refused ones too.
    var commands: UInt64 = 0
    var connections: UInt64 = 0
    var brokerFailures: UInt64 = 0
    var daemonFailures: UInt64 = 0
}

/// The counters for Prometheus. Nothing of a card is in it.
struct BridgeMetrics {
    var text: String { samples.text }
    private var samples = PrometheusText(prefix: "swiped_mqtt_")

    init(
        _ counts: BridgeCounts, lost: [Loss.Reason: UInt64], waiting: Int, isBrokerThere: Bool,
        isDaemonThere: Bool, version: String
    ) {
        samples.gauge("build_info", "The bridge's version.", 1, [("version", version)])
        samples.gauge("broker_connected", "Whether it is connected to the broker.", isBrokerThere ? 1 : 0)
        samples.gauge("daemon_connected", "Whether it is connected to the daemon.", isDaemonThere ? 1 : 0)
        samples.gauge("swipes_waiting", "Swipes that the broker does not have yet.", waiting)
        samples.counter("swipes_total", "Swipes that the daemon has sent.", counts.swipes)
        let published = [
            ("swipe", counts.swipesPublished), ("state", counts.statesPublished),
            ("loss", counts.lossesPublished),
        ]
        for (what, count) in published {
            samples.counter(
                "published_total", "Messages that the broker has, by what they are.", count,
                [("what", what)])
        }
        samples.counter("refused_total", "Messages that the broker does not take.", counts.refused)
        samples.counter("commands_total", "Commands that came over the broker.", counts.commands)
        samples.counter("broker_connections_total", "Connections to the broker.", counts.connections)
        samples.counter(
            "broker_failures_total", "Connections to the broker that broke or could not be made.",
            counts.brokerFailures)
        samples.counter(
            "daemon_failures_total", "Connections to the daemon that broke or could not be made.",
            counts.daemonFailures)
        for reason in Loss.Reason.allCases {
            samples.counter(
                "lost_total", "Swipes that are lost, or numbers among which some are, by reason.",
                lost[reason, default: 0], [("reason", reason.rawValue)])
        }
    }
}
