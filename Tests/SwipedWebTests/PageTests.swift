import Foundation
import ServiceSupport
import TestSupport
import Testing

@testable import SwipedWeb

/// docs/web.md held against the code.
@Suite struct PageTests {
    private let page: String

    init() throws {
        page = try String(contentsOf: Programs.root.appending(path: "docs/web.md"), encoding: .utf8)
    }

    private func named(_ pattern: Regex<(Substring, Substring)>, in text: String) -> Set<String> {
        Set(text.matches(of: pattern).map { String($0.1) })
    }

    @Test func everyRefusalIsThere() {
        let known = Set(Refusal.allCases.map(\.rawValue))
        let said = named(
            /`((?:host|origin|fetch|token|pairing|request|pages|connections|frame|page)\.[a-z_]+)`/, in: page)
        #expect(said.subtracting(known) == [], "in docs/web.md, never refused")
        #expect(known.subtracting(said) == [], "refused, not in docs/web.md")
    }

    @Test func everyMetricIsThere() {
        let text = WebMetrics(WebCounts(), version: "1", pages: 0, limit: 0, tokens: 0, waiting: 0).text
        #expect(named(#/TYPE (swiped_web_[a-z_]+) /#, in: text) == named(/`(swiped_web_[a-z_]+)`/, in: page))
    }

    @Test func everyLogEntryIsThere() throws {
        let folder = Programs.root.appending(path: "Sources/SwipedWeb")
        var used: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            used.formUnion(named(/"event": "(web\.[a-z_]+)"/, in: text))
        }
        #expect(used.count >= 10)
        used.formUnion(ServiceEvent.allCases.map { "web.\($0.rawValue)" })
        #expect(used == named(/`(web\.[a-z_]+)`/, in: page).subtracting(["web.md"]))
    }

    /// The limits as they stand in the page's table.
    @Test(arguments: [
        "| pages at once | \(WebConfiguration().maximumPages); ",
        "| connections that are no page yet | \(Lobby.maximum) |",
        "| the same without a request | \(Lobby.patience / 1_000_000_000) s |",
        "| a message of a page | 16,384 bytes, \(WebConnection.maximumFragments) pieces |",
        "| a page that has no room for lines | \(Gateway.stall / 1_000_000_000) s, ",
        "| what is read of one connection before the others have their turn | \(Listeners.turn / 1_024) KiB |",
        "| a request's headers | \(Listeners.maximumHeaders / 1_024) KiB, ",
        "| a body | \(WebConnection.maximumBody / 1_024) KiB |",
        "; asked for in a minute | \(PairingDesk.maximum); \(PairingDesk.maximumOfAnOrigin); \(PairingDesk.asksPerMinute) |",
        "| wrong codes, wrong tickets in a minute | \(PairingDesk.wrongPerMinute) each |",
        "of ids that there are not | \(TokenStore.wrongPerMinute) each |",
        "| tokens | \(TokenStore.maximum) |",
    ]) func everyLimitIsThere(_ words: String) { #expect(page.contains(words)) }
}
