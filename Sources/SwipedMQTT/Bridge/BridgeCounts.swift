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

/// The counters in Prometheus's text format. Nothing of a card is in it.
struct BridgeMetrics {
    private(set) var text = ""

    init(
        _ counts: BridgeCounts, lost: [Loss.Reason: UInt64], waiting: Int, isBrokerThere: Bool,
        isDaemonThere: Bool, version: String
    ) {
        one("build_info", "gauge", "The bridge's version.", 1, labels: "{version=\"\(version)\"}")
        one("broker_connected", "gauge", "Whether it is connected to the broker.", isBrokerThere ? 1 : 0)
        one("daemon_connected", "gauge", "Whether it is connected to the daemon.", isDaemonThere ? 1 : 0)
        one("swipes_waiting", "gauge", "Swipes that the broker does not have yet.", UInt64(waiting))
        one("swipes_total", "counter", "Swipes that the daemon has sent.", counts.swipes)
        heading("published_total", "counter", "Messages that the broker has, by what they are.")
        for (what, count) in [
            ("swipe", counts.swipesPublished), ("state", counts.statesPublished),
            ("loss", counts.lossesPublished),
        ] {
            text += "swiped_mqtt_published_total{what=\"\(what)\"} \(count)\n"
        }
        one("refused_total", "counter", "Messages that the broker does not take.", counts.refused)
        one("commands_total", "counter", "Commands that came over the broker.", counts.commands)
        one("broker_connections_total", "counter", "Connections to the broker.", counts.connections)
        one(
            "broker_failures_total", "counter", "Connections to the broker that broke or could not be made.",
            counts.brokerFailures)
        one(
            "daemon_failures_total", "counter", "Connections to the daemon that broke or could not be made.",
            counts.daemonFailures)
        heading("lost_total", "counter", "Swipes that are lost, or numbers among which some are, by reason.")
        for reason in Loss.Reason.allCases {
            text += "swiped_mqtt_lost_total{reason=\"\(reason.rawValue)\"} \(lost[reason, default: 0])\n"
        }
    }

    private mutating func one(
        _ name: String, _ kind: String, _ help: String, _ value: UInt64, labels: String = ""
    ) {
        heading(name, kind, help)
        text += "swiped_mqtt_\(name)\(labels) \(value)\n"
    }

    private mutating func heading(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP swiped_mqtt_\(name) \(help)\n# TYPE swiped_mqtt_\(name) \(kind)\n"
    }
}
