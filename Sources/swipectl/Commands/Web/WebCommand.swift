import ArgumentParser
import Glibc
import SwipeProtocol

/// What an operator does with the gateway for pages in a browser.
struct WebCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Let pages in a browser in, and out again (swiped-web).",
        discussion:
            "Needs the gateway's control socket, which is root's unless swiped-web-control.socket says otherwise.",
        subcommands: [
            WebPairCommand.self, WebPairingsCommand.self, WebTokensCommand.self, WebRevokeCommand.self,
        ])
}

struct WebPairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Let the page in that shows this code.",
        discussion:
            "The page gets a token that is good for its origin. Its role is what swiped-web.conf says.")

    @OptionGroup var gateway: GatewayOptions

    @Flag(
        name: .customLong("operator"), help: "The live page may then answer questions and let other pages in."
    )
    var isOperator = false

    @Argument(help: "The code, as 123-456.")
    var code: String

    func run() throws {
        let answer = try gateway.ask("pair", ["code": .string(code), "operator": .bool(isOperator)])
        if gateway.json { return try Output.line(answer) }
        let origin = answer.object?["origin"]?.string ?? "?"
        let role = answer.object?["role"]?.string ?? "?"
        try Output.result(
            "Paired: \(origin.printable), with the role '\(role.printable)'\(isOperator ? " and an operator's session" : "").\n"
        )
    }
}

struct WebPairingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pairings", abstract: "List the pages that ask to be let in, with their codes.")

    @OptionGroup var gateway: GatewayOptions

    func run() throws {
        let answer = try gateway.ask("pairings", [:])
        if gateway.json { return try Output.line(answer) }
        var table = Table(header: ["CODE", "ORIGIN", "ASKED"])
        let waiting = answer.object?["pairings"]?.array ?? []
        for pairing in waiting.compactMap(\.object) {
            table.append([
                Table.Cell(pairing["code"]?.string ?? "?", .notable),
                Table.Cell(pairing["origin"]?.string ?? "?"),
                Table.Cell("\(pairing["age_s"]?.integer ?? 0) s ago"),
            ])
        }
        try Output.result(
            waiting.isEmpty ? "No page waits to be paired.\n" : table.text(.forStandardOutput()))
    }
}

struct WebTokensCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "List the pages that were let in.")

    @OptionGroup var gateway: GatewayOptions

    func run() throws {
        let answer = try gateway.ask("tokens", [:])
        if gateway.json { return try Output.line(answer) }
        var table = Table(header: ["ID", "ORIGIN", "MADE", "OPERATOR", "CONNECTED"])
        let tokens = answer.object?["tokens"]?.array ?? []
        for token in tokens.compactMap(\.object) {
            table.append([
                Table.Cell(token["id"]?.string ?? "?", .notable), Table.Cell(token["origin"]?.string ?? "?"),
                Table.Cell(token["made_at"]?.integer.map(Self.minute) ?? "?"),
                Table.Cell(token["operator"]?.bool == true ? "yes" : "no"),
                Table.Cell(token["connected"]?.bool == true ? "yes" : "no"),
            ])
        }
        try Output.result(tokens.isEmpty ? "No page was let in.\n" : table.text(.forStandardOutput()))
    }
}

extension WebTokensCommand {
    /// Unix time as a day and a minute of this machine's clock.
    private static func minute(_ seconds: Int64) -> String {
        var (time, parts, text) = (time_t(seconds), tm(), [CChar](repeating: 0, count: 32))
        localtime_r(&time, &parts)
        let count = strftime(&text, text.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

struct WebRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Make a page's token useless, and end its connections.")

    @OptionGroup var gateway: GatewayOptions

    @Argument(help: "The token's id, as 'swipectl web tokens' lists it.")
    var id: String

    func run() throws {
        let answer = try gateway.ask("revoke", ["id": .string(id)])
        if gateway.json { return try Output.line(answer) }
        try Output.result("Revoked: the token of \((answer.object?["origin"]?.string ?? "?").printable).\n")
    }
}
