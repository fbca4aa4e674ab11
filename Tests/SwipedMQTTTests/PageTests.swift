import Foundation
import ServiceSupport
import TestSupport
import Testing

@testable import SwipedMQTT

/// docs/fleet.md names what the bridge writes, and nothing else.
@Suite struct PageTests {
    private let page: String

    init() throws {
        page = try String(contentsOf: Programs.root.appending(path: "docs/fleet.md"), encoding: .utf8)
    }

    private func named(_ pattern: Regex<(Substring, Substring)>, in text: String) -> Set<String> {
        Set(text.matches(of: pattern).map { String($0.1) })
    }

    @Test func everyMetricIsThere() {
        let text = BridgeMetrics(
            BridgeCounts(), lost: [:], waiting: 0, isBrokerThere: false, isDaemonThere: false, version: "1"
        ).text
        #expect(
            named(#/TYPE (swiped_mqtt_[a-z_]+) /#, in: text) == named(/`(swiped_mqtt_[a-z_]+)`/, in: page))
    }

    @Test func everyLogEntryIsThere() throws {
        let folder = Programs.root.appending(path: "Sources/SwipedMQTT")
        var used = Set(ServiceEvent.allCases.map { "mqtt.\($0.rawValue)" })
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            used.formUnion(named(/"(mqtt\.[a-z_]+)"/, in: text))
        }
        #expect(used.count >= 10)
        #expect(used == named(/`(mqtt\.[a-z_]+)`/, in: page))
    }

    @Test func everyReasonOfALossIsThere() {
        let losses =
            page.components(separatedBy: "\n## Losses").last?.components(separatedBy: "\n## ").first ?? ""
        let said = named(/`([a-z_]+)`/, in: losses)
        #expect(Set(Loss.Reason.allCases.map(\.rawValue)).subtracting(said) == [])
    }
}
