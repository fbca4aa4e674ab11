/// What is wrong with the programs that take the daemon's events on: the gateway to pages, and the bridge to a broker.
extension Diagnosis {
    static func companions(_ facts: Facts) -> [Finding] {
        facts.companions.flatMap { companion in
            companion.state == "failed" ? [failed(companion)] : brokers(companion) + losses(companion)
        }
    }

    private static func failed(_ companion: CompanionFacts) -> Finding {
        let name = companion.name
        return Finding(
            .companionFailed, seen: ["\(name).service is failed"] + companion.faults,
            cause: companion.faults.isEmpty
                ? "Its last lines in the journal say why." : "Its configuration is not valid.",
            do: companion.faults.isEmpty
                ? ["sudo journalctl -u \(name) -n 20", "sudo systemctl restart \(name)"]
                : ["\(name) --check-config", "sudo systemctl restart \(name)  # once that is mended"])
    }

    private static func brokers(_ companion: CompanionFacts) -> [Finding] {
        guard companion.figures["broker_connected"] == 0 else { return [] }
        let failures = companion.figures["broker_failures_total", default: 0]
        let waiting = companion.figures["swipes_waiting", default: 0]
        return [
            Finding(
                .brokerUnreachable,
                seen: [
                    "\(companion.name) has no connection to the broker; \(failures) failed, \(waiting) swipes wait for one"
                ],
                cause: "The broker is down, elsewhere, or does not let it in; it tries again by itself.",
                do: ["sudo journalctl -u \(companion.name) -n 20  # the broker's answer stands there"])
        ]
    }

    private static func losses(_ companion: CompanionFacts) -> [Finding] {
        guard let lost = companion.figures["lost_total"], lost > 0 else { return [] }
        return [
            Finding(
                .messagesLost, seen: ["\(companion.name) counted \(lost) lost swipes since it started"],
                cause: "The broker was away for longer than memory lasts, or the daemon restarted meanwhile.",
                do: ["# the messages at loss say which; docs/fleet.md has the reasons"])
        ]
    }
}
