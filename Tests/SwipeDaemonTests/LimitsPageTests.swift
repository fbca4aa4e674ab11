import FoundationEssentials
import NIOCore
import ReaderKit
import SwipeProtocol
import Testing

@testable import AudioReaders
@testable import DeviceIO
@testable import EventServer
@testable import HIDReaders
@testable import SwipeDaemon

/// What a limit can be.
protocol Countable {
    var number: Double { get }
}

extension Int: Countable {
    var number: Double { Double(self) }
}

extension Double: Countable {
    var number: Double { self }
}

/// The tables of limits in docs/protocol.md held against the code: every row, and each of its numbers.
@Suite struct LimitsPageTests {
    /// A row: how its first column begins, and the numbers of its second one as the code has them, in their order there.
    struct Limit: Sendable, CustomTestStringConvertible {
        let row: String
        let values: [Double]

        init(_ row: String, _ values: any Countable...) {
            self.row = row
            self.values = values.map(\.number)
        }

        var testDescription: String { row }
    }

    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }

    /// The rows of the section's tables: first and second column.
    private static func rows() throws -> [(name: Substring, value: Substring)] {
        let section = try text("docs/protocol.md").split(separator: "\n## ").first { $0.hasPrefix("Limits") }
        let lines = try #require(section).split(separator: "\n").filter { $0.hasPrefix("| ") }
        return lines.map { $0.split(separator: "|") }.filter { $0[0] != " limit " }.map {
            ($0[0].dropFirst(), $0[1])
        }
    }

    private static func numbers(in value: Substring) -> [Double] {
        value.replacing(/([0-9]),([0-9]{3})/, with: { "\($0.1)\($0.2)" }).matches(of: /[0-9]+(\.[0-9]+)?/)
            .compactMap {
                Double($0.0)
            }
    }

    @Test(arguments: socket + readers) func theNumbersAreTheCodes(_ limit: Limit) throws {
        let found = try Self.rows().filter { $0.name.hasPrefix(limit.row) }
        #expect(found.count == 1, "rows of docs/protocol.md, Limits, that begin with '\(limit.row)'")
        #expect(found.first.map { Self.numbers(in: $0.value) } == limit.values, "docs/protocol.md, Limits")
    }

    @Test func theClientsNumbersAreTheirSources() throws {
        let rows = try Self.rows()
        for limit in try Self.clients() {
            let found = rows.filter { $0.name.hasPrefix(limit.row) }
            #expect(found.count == 1, "\(limit.row)")
            #expect(found.first.map { Self.numbers(in: $0.value) } == limit.values, "\(limit.row)")
        }
    }

    @Test func everyRowIsHeldAgainstTheCode() throws {
        let held = (Self.socket + Self.readers + (try Self.clients())).map(\.row)
        for (name, _) in try Self.rows() { #expect(held.contains { name.hasPrefix($0) }, "\(name)") }
    }

    // MARK: The numbers

    private static let limits = ServerLimits()

    static let socket = [
        Limit("a line from a client", ProtocolLimits.lineIn),
        Limit("a line from the daemon ", ProtocolLimits.lineOut),
        Limit("depth of arrays", ProtocolLimits.depth),
        Limit("a name twice"),
        Limit("requests that wait for an answer", ConnectionHandler.unansweredBytes >> 10),
        Limit(
            "a name or token", ProtocolLimits.name, ProtocolLimits.readersNamed, EventKind.allCases.count * 2),
        Limit("requests being done", 1),
        Limit(
            "the loop's time for answering", Int(RequestTurns.shareNanoseconds / 1_000),
            Int(RequestTurns.windowNanoseconds / 1_000), ConnectionHandler.linesPerTurn,
            Double(RequestTurns.longestDebt / RequestTurns.shareNanoseconds * RequestTurns.windowNanoseconds)
                / 1_000_000),
        Limit("what counts as asking now and then", Int(RequestTurns.sparseNanoseconds / 1_000_000)),
        Limit(
            "a turn of sending", Int(FlushPace.briefNanoseconds / 1_000), Int(FlushPace.pauseInTurns),
            Int(FlushPace.longestPauseNanoseconds / 1_000_000)),
        Limit(
            "replies that a client has not read", ConnectionHandler.pauseReadingAboveBytes >> 10,
            ConnectionHandler.pauseReadingAboveLines),
        Limit(
            "what waits for one connection", limits.queueEvents, limits.queueBytes >> 10, limits.eventsKept),
        Limit("no whole line delivered", limits.stall / .seconds(1), seconds(EventHub.stallCheck)),
        Limit(
            "connections in all", limits.connections, limits.connectionsPerUser,
            range("max_clients").lowerBound,
            range("max_clients_per_user").upperBound),
        Limit(
            "descriptors kept", DescriptorLimit.reservedPart, DescriptorLimit.reserve.lowerBound,
            DescriptorLimit.reserve.upperBound),
        Limit(
            "no descriptor", Int(Porter.pauseWithoutDescriptor / 1_000_000)),
        Limit(
            "the loop's time for letting in", Int(Lobby.shareNanoseconds / 1_000),
            Int(Lobby.windowNanoseconds / 1_000)),
        Limit("a lost socket file", Int(OpenListener.retryNanoseconds / 1_000_000_000)),
        Limit("connections that wait", Int(EventServer.backlog)),
        Limit("no role"),
        Limit("events kept", ProtocolLimits.eventsKept),
        Limit("replays that wait", 1),
        Limit("`since.seq`"),
        Limit(
            "a holder's time", ProtocolLimits.retainSeconds,
            Int(RetainTime.longestPauseNanoseconds / 1_000_000_000)),
        Limit("clients who may ask", 1),
        Limit(
            "a reader kept", Int(limits.swipeHold / .seconds(1)), range("swipe_hold").lowerBound,
            range("swipe_hold").upperBound),
        Limit("swipes kept", 1),
        Limit("cards in locked memory", lockedMebibytes, lockedInTheService),
        Limit("readers whose counters", ReaderCounts.limit),
        Limit("lines in the log", 1, Int(RefusalThrottle.interval / 1_000_000_000)),
        Limit("the daemon ends", limits.farewell / .seconds(1)),
    ]

    static let readers = [
        Limit("readers that are attached", DeviceTable.maximumDevices),
        Limit("readers whose `attachment`", AttachmentCounter.maximumRemembered),
        Limit("ports remembered", ReaderNames.maximumRemembered),
        Limit("a serial number or port", ReaderName.maximumLength),
        Limit(
            "reports that wait", HIDTransport.queuedReports, VirtualHIDTransport.queuedInputs,
            CaptureTransport.queuedBlocks),
        Limit("questions about properties", ExchangeQueue<Int>.maximumWaiting),
        Limit(
            "a reader's answer", MagTekReader.answerTimeout / .seconds(1),
            IDTechDialogue.pause * IDTechDialogue.maximumPolls / .seconds(1)),
        Limit(
            "a request for a swipe", ProtocolLimits.swipeTimeoutSeconds.lowerBound,
            ProtocolLimits.swipeTimeoutSeconds.upperBound),
        Limit(
            "a question to people", Int(ReaderOptions().promptTimeout / .seconds(1)),
            ReaderOptions.promptTimeouts.lowerBound, ReaderOptions.promptTimeouts.upperBound),
        Limit("an answer to a test", IPSDriver<EncryptedIPS>.testDuration / .seconds(1)),
        Limit("a card while", AutodetectDriver.listeningTime / .seconds(1)),
        Limit("a bad read", InsertReads.patience / .seconds(1)),
        Limit("something in a jack", JackDebounce.usualTime / .milliseconds(1)),
        Limit(
            "a reader that cannot be opened", Backoff.first / .milliseconds(1), Backoff.limit / .seconds(1)),
        Limit("a reader that was reset", AttachmentRun<PassiveHeadDriver>.removalGrace / .seconds(1)),
        Limit("`simulate` a swipe", Double(Simulator.patienceMilliseconds) / 1_000),
    ]

    /// The numbers of our clients stand in their sources, where a program in another language has them.
    private static func clients() throws -> [Limit] {
        let connection = "Sources/SwipeClient/Connection"
        let buffer = "Sources/SwipeClient/Events/EventBuffer.swift"
        let python = try text("clients/python/swiped.py")
        let pauses = try #require(
            python.firstMatch(of: /RETRY_SECONDS = \(([0-9.]+), ([0-9.]+)\)/).map { [$0.1, $0.2] })
        let swift = try #require(
            text("\(connection)/Backoff.swift").firstMatch(
                of: /milliseconds: ClosedRange<Int> = ([0-9_]+)\.\.\.([0-9_]+)/))
        let first = try number(swift.1), longest = try number(swift.2) / 1_000
        #expect(try number(pauses[0]) * 1_000 == first && number(pauses[1]) == longest)
        let answer = try constant(
            /timeout: Duration = \.seconds\(([0-9_]+)\)/, "Sources/SwipeClient/SwipeClient.swift")
        #expect(try constant(/timeout: Optional\[float\] = ([0-9.]+)/, "clients/python/swiped.py") == answer)
        #expect(
            try constant(/MAXIMUM_LINE = ([0-9_]+)/, "clients/python/swiped.py")
                == Double(ProtocolLimits.lineOut))
        return [
            Limit("an answer, the wait", answer),
            Limit(
                "a greeting",
                try constant(
                    /greetingPatience = Duration\.seconds\(([0-9_]+)\)/, "\(connection)/Link+Thread.swift")),
            Limit(
                "requests that the daemon",
                try constant(/patience = Duration\.seconds\(([0-9_]+)\)/, "\(connection)/Outbox.swift")),
            Limit("an endless line", Double(ProtocolLimits.lineOut)),
            Limit("the wait before", first, longest),
            Limit("events that wait in a stream", try constant(/let capacity = ([0-9_]+)/, buffer)),
            Limit("the same while", try constant(/capacityWhileAsked = ([0-9_]+)/, buffer)),
            Limit("the same before", try constant(/capacityUnused = ([0-9_]+)/, buffer)),
            Limit("swipes before", try constant(/earlySwipes = ([0-9_]+)/, "\(connection)/Listener.swift")),
            Limit(
                "readers that Swift's", Double(ProtocolLimits.readersNamed), Double(ProtocolLimits.lineIn) / 2
            ),
        ]
    }

    private static func constant(_ pattern: Regex<(Substring, Substring)>, _ path: String) throws -> Double {
        try number(#require(text(path).firstMatch(of: pattern), "\(path)").1)
    }

    private static func number(_ digits: Substring) throws -> Double {
        try #require(Double(String(digits.filter { $0 != "_" })))
    }

    private static func seconds(_ time: TimeAmount) -> Double { Double(time.nanoseconds) / 1_000_000_000 }

    /// What a whole number in the configuration may be.
    private static func range(_ key: String) -> ClosedRange<Int> {
        guard case .integer(let range) = SettingsCatalogue.find("server", key)?.kind else { return -1 ... -1 }
        return range
    }

    private static let lockedInTheService: Int = {
        let unit = (try? text("systemd/swiped.service")) ?? ""
        return unit.firstMatch(of: /(?m)^LimitMEMLOCK=([0-9]+)M$/).flatMap { Int($0.1) } ?? 0
    }()

    /// Of the arenas in C.
    private static let lockedMebibytes: Int = {
        let source = (try? text("Sources/CSensitiveMemory/sensitive_memory.c")) ?? ""
        let words = [/block_size = ([0-9]+)/, /block_count = ([0-9]+)/, /arena_limit = ([0-9]+)/]
        return words.reduce(1) { $0 * (source.firstMatch(of: $1).flatMap { Int($0.1) } ?? 0) } >> 20
    }()
}
