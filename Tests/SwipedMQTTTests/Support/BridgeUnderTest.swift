import Foundation
import SwipeClient
import SwipeProtocol
import TestSupport
import Testing

/// The built swiped and swiped-mqtt with a real mosquitto and an application, in a folder of their own.
///
/// The application is mosquitto_sub with a session that the broker keeps, also over its own restart: what it prints is all that an
/// application gets.
final class BridgeUnderTest {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    static let isMissing: Comment = "This test needs mosquitto and mosquitto-clients"
    static let broker = "/usr/sbin/mosquitto"
    static let application = "/usr/bin/mosquitto_sub"
    static let isThere = [broker, application].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let folder: URL
    let port: Int
    let client: SwipeClient
    private(set) var daemon: Process?
    private(set) var bridge: Process?
    private(set) var broker: Process?
    private var application: Process?
    private let credentials: [String]

    static let daemonDefaults = """
        [access]
        masked = *
        admin = *
        [hid]
        enabled = no
        [virtual-hid till]
        source = {}/reports

        """

    /// - Parameters:
    ///   - configuration: what swiped-mqtt.conf says in addition; `{}` stands for the folder.
    ///   - broker: what mosquitto.conf says in addition.
    ///   - credentials: what the application says to the broker, as mosquitto_sub's arguments.
    ///   - prepare: makes files in the folder before anything starts.
    init(
        _ configuration: String = "", keepAlive: Int = 5, daemon: String = BridgeUnderTest.daemonDefaults,
        broker: String = "allow_anonymous true", credentials: [String] = [],
        prepare: (URL) throws -> Void = { _ in }
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "mqtt-\(UUID().uuidString.prefix(6))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = try Ports.free()
        client = SwipeClient(path: folder.appending(path: "s").path)
        self.credentials = credentials.map { [folder] in $0.replacing("{}", with: folder.path) }
        try prepare(folder)
        try write("swiped.conf", daemon)
        try write(
            "mqtt.conf",
            """
            [daemon]
            socket = {}/s
            [broker]
            host = localhost
            port = \(port)
            name = till
            keepalive = \(keepAlive)
            [metrics]
            file = {}/metrics.prom
            interval = 1

            """ + configuration)
        try write(
            "mosquitto.conf",
            """
            listener \(port) localhost
            user root
            persistence true
            persistence_location {}/
            autosave_interval 1
            autosave_on_changes true
            \(broker)

            """)
    }

    /// Starts all of it, and returns when the reader is there and the application has seen that the host is online.
    static func started(
        _ configuration: String = "", keepAlive: Int = 5, daemon: String = daemonDefaults,
        broker: String = "allow_anonymous true",
        credentials: [String] = [], prepare: (URL) throws -> Void = { _ in }
    ) async throws -> BridgeUnderTest {
        let scene = try BridgeUnderTest(
            configuration, keepAlive: keepAlive, daemon: daemon, broker: broker, credentials: credentials,
            prepare: prepare)
        try await scene.startBroker()
        try scene.startApplication()
        try await scene.startDaemon()
        try scene.startBridge()
        try await scene.eventually("the reader's state") {
            scene.states("reader/virtual-till/state").last?.contains(#""state":"ready""#) == true
        }
        return scene
    }

    deinit {
        client.close()
        for process in [application, bridge, daemon, broker].compactMap(\.self) where process.isRunning {
            kill(process.processIdentifier, SIGKILL)
        }
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func write(_ name: String, _ text: String) throws {
        try text.replacing("{}", with: folder.path).write(
            to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    // MARK: The programs

    func startBroker() async throws {
        broker = try Programs.start(
            at: Self.broker, ["-c", path("mosquitto.conf")], log: path("broker.log"))
        // A connection is the one sign that it listens.
        try await eventually("the broker") { Ports.answers(self.port) }
    }

    func startApplication() throws {
        application = try Programs.start(
            at: Self.application,
            [
                "-h", "localhost", "-p", "\(port)", "-V", "5", "-c", "-i", "application", "-x", "3600", "-q",
                "1", "-t", "swiped/#", "-F", "%r %E %t %p",
            ] + credentials, log: path("received"))
    }

    func startDaemon() async throws {
        daemon = try Programs.start(
            "swiped",
            ["--config", path("swiped.conf"), "--socket", path("s"), "--foreground", "--allow-simulate"],
            log: path("daemon.log"))
        try await eventually("the daemon's socket") { Ports.answers(self.path("s")) }
        try await simulate(.connect)
    }

    /// - Parameter environment: variables of its own, as env(1) has them; `{}` stands for the folder.
    func startBridge(_ environment: [String] = []) throws {
        bridge = try Programs.start(
            at: "/usr/bin/env",
            environment.map { $0.replacing("{}", with: folder.path) } + [
                Programs.path("swiped-mqtt").path, "--config", path("mqtt.conf"), "--foreground",
            ], log: path("bridge.log"))
    }

    enum Part { case daemon, bridge, broker }

    private func running(_ part: Part) -> Process? {
        switch part {
        case .daemon: daemon
        case .bridge: bridge
        case .broker: broker
        }
    }

    func signal(_ part: Part, _ number: Int32) throws {
        kill(try #require(running(part)).processIdentifier, number)
    }

    /// Ends one, and waits until it has; its status.
    @discardableResult
    func end(_ part: Part, _ number: Int32 = SIGTERM) async throws -> Int32 {
        let process = try #require(running(part))
        kill(process.processIdentifier, number)
        try await eventually("the end of \(part)") { !process.isRunning }
        return process.terminationStatus
    }

    // MARK: What happens

    func simulate(_ action: SimulatedAction.Kind, card: String? = nil) async throws {
        try await client.control(.simulate(SimulatedAction(action, card: card)), reader: "virtual-till")
    }

    /// Swipes that often, and gives their events' numbers, by a client of the daemon's own.
    @discardableResult
    func swipe(_ count: Int) async throws -> [UInt64] {
        try await withThrowingTaskGroup(of: [UInt64]?.self) { group in
            group.addTask { [client] in try await Self.swipe(count, client) }
            group.addTask {
                try await Task.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            guard let numbers = try await group.next() ?? nil else {
                throw Failure(description: "no \(count) swipes in time:\n\(logs)")
            }
            return numbers
        }
    }

    private static func swipe(_ count: Int, _ client: SwipeClient) async throws -> [UInt64] {
        var events = client.events([.swipe, .connect]).makeAsyncIterator()
        // The reader that is there: from then on it is subscribed.
        while let event = try await events.next() {
            if case .connect = event.body { break }
        }
        var numbers: [UInt64] = []
        while numbers.count < count {
            try await client.control(.simulate(SimulatedAction(.swipe)), reader: "virtual-till")
            guard let event = try await events.next(), case .swipe = event.body, let sequence = event.sequence
            else { throw Failure(description: "something else than a swipe") }
            numbers.append(sequence)
        }
        return numbers
    }

    /// One message, as the application got it.
    struct Received: Hashable {
        var isRetained: Bool
        var expiry: Int?
        var topic: String
        var text: String
    }

    var received: [Received] {
        let text = (try? String(contentsOfFile: path("received"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, parts[2].hasPrefix("swiped/") else { return nil }
            return Received(
                isRetained: parts[0] == "1", expiry: Int(parts[1]), topic: String(parts[2]),
                text: String(parts[3]))
        }
    }

    /// What came at a topic of this host, in order.
    func states(_ topic: String) -> [String] {
        received.filter { $0.topic == "swiped/till/\(topic)" }.map(\.text)
    }

    var swipes: [Received] { received.filter { $0.topic.hasSuffix("/swipe") } }

    /// The events' ids, each once, as an application that drops duplicates has them.
    var identifiers: [String] {
        var seen: Set<String> = []
        return swipes.compactMap { swipe in
            swipe.text.firstMatch(of: /"event_id":"([0-9a-f]+:[0-9]+)"/).map { String($0.1) }
        }.filter { seen.insert($0).inserted }
    }

    var logged: String { text("bridge.log") }
    var metrics: String { text("metrics.prom") }

    func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }

    /// The application has been told again that the host is there, and its reader ready.
    func statesAreRight(after count: Int) async throws {
        try await eventually("the states") {
            let later = received.dropFirst(count)
            func last(_ name: String) -> String? { later.last { $0.topic == "swiped/till/\(name)" }?.text }
            return last("availability") == "online"
                && last("reader/virtual-till/state")?.contains(#""state":"ready""#) == true
        }
    }

    /// The broker has written down what it remembers, after all that it has got so far: a message that came last is in its file.
    func brokerRemembers() async throws {
        let mark = "mark-\(UUID().uuidString)"
        try self.mark(mark)
        try await eventually("the broker's file") {
            let file = FileManager.default.contents(atPath: path("mosquitto.db"))
            return file?.range(of: Data(mark.utf8)) != nil
        }
    }

    /// A message that the broker keeps, beside those of swiped.
    func mark(_ mark: String) throws {
        let told = try Programs.run(
            at: "/usr/bin/mosquitto_pub",
            ["-h", "localhost", "-p", "\(port)", "-q", "1", "-r", "-t", "marks/last", "-m", mark])
        guard told.status == 0 else { throw Failure(description: "no mark: \(told.said)") }
    }

    private static let patience = Duration.seconds(40)

    /// What each program has said.
    private var logs: String {
        ["bridge.log", "daemon.log", "broker.log"].map { "\($0):\n\(text($0))" }.joined(separator: "\n")
    }

    func eventually(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while !condition() {
            guard .now < deadline else {
                let received = received.map { "\($0.topic) \($0.text)" }.joined(separator: "\n")
                throw Failure(description: "\(what) did not come:\n\(logs)\nreceived:\n\(received)")
            }
            // Another program cannot be awaited otherwise.
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
