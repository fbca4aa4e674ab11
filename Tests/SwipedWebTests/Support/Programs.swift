import Foundation
import TestSupport
import Testing

/// The built swiped and swiped-web, run as a user runs them, in a folder of their own.
final class GatewayUnderTest {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let folder: URL
    private(set) var daemon: Process?
    private(set) var gateway: Process?
    private let daemonConfiguration: String
    private let gatewayConfiguration: String
    private(set) var port = 0

    var socket: String { folder.appending(path: "s").path }
    var control: String { folder.appending(path: "c").path }
    var origin: String { "http://localhost:\(port)" }

    /// An origin that the usual configuration names, and that needs no pairing.
    static let open = "https://open.example"
    /// One that needs pairing.
    static let till = "https://till.example"
    /// One whose pages see all of a card.
    static let full = "https://full.example"

    static let daemonDefaults = """
        [access]
        masked = *
        full = *
        admin = *
        [hid]
        enabled = no
        [virtual-hid till]
        source = {}/reports

        """
    static let gatewayDefaults = """
        [origin \(open)]
        pairing = no
        [origin \(till)]
        role = masked
        [origin \(full)]
        role = full
        pairing = no

        """

    /// Starts both, and returns when the gateway listens.
    ///
    /// - Parameter configuration: what swiped-web.conf says in addition; `{}` stands for the folder.
    init(_ configuration: String = "", daemon: String = GatewayUnderTest.daemonDefaults) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "web-\(UUID().uuidString.prefix(6))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        daemonConfiguration = daemon
        gatewayConfiguration =
            Self.gatewayDefaults + configuration + """
                [server]
                daemon = {}/s
                state = {}
                files = {}/files
                [metrics]
                file = {}/metrics.prom
                interval = 1

                """
        try FileManager.default.createDirectory(
            at: folder.appending(path: "files"), withIntermediateDirectories: true)
        let sources = Programs.root.appending(path: "clients/javascript")
        for name in ["live/index.html", "live/live.js", "live/live.css", "swiped.js"] {
            let file = sources.appending(path: name)
            try FileManager.default.copyItem(
                at: file, to: folder.appending(path: "files/\(file.lastPathComponent)"))
        }
        try write("swiped.conf", daemonConfiguration)
        try write("web.conf", gatewayConfiguration)
        try startDaemon()
        try startGateway()
    }

    deinit {
        for process in [gateway, daemon].compactMap(\.self) where process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: folder)
    }

    private func write(_ name: String, _ text: String) throws {
        try text.replacing("{}", with: folder.path).write(
            to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    func startDaemon() throws {
        daemon = try Programs.start(
            "swiped",
            ["--config", path("swiped.conf"), "--socket", socket, "--foreground", "--allow-simulate"],
            log: path("daemon.log"))
        try eventually("the daemon's socket") { FileManager.default.fileExists(atPath: self.socket) }
    }

    /// - Parameter port: the one to listen at again; 0 for any.
    func startGateway(port: Int = 0) throws {
        let before = logged.count
        gateway = try Programs.start(
            "swiped-web",
            [
                "--config", path("web.conf"), "--listen", "127.0.0.1:\(port)", "--control", control,
                "--foreground",
            ],
            log: path("web.log"))
        try eventually("the gateway") { self.logged.dropFirst(before).contains("ports=") }
        let words = logged.dropFirst(before).split { $0 == " " || $0 == "\n" }
        let found = words.last { $0.hasPrefix("ports=") }.flatMap { Int($0.dropFirst(6)) }
        self.port = try #require(found)
    }

    static let activator = "/usr/bin/systemd-socket-activate"
    static let hasActivator = FileManager.default.isExecutableFile(atPath: activator)

    /// Starts the gateway as systemd does: with the first connection at a socket that is handed over.
    ///
    /// - Parameter address: the host part; the port is that of the gateway before.
    func activateGateway(at address: String) throws {
        stopGateway()
        gateway = try Programs.start(
            at: Self.activator,
            [
                "--listen=\(address):\(port)", "--listen=\(control)", "--fdname=http:control",
                Programs.path("swiped-web").path, "--config",
                path("web.conf"), "--foreground",
            ],
            log: path("web.log"))
        try eventually("systemd's socket") { (try? RawSocket(port: self.port)) != nil }
    }

    func stopDaemon() { stop(&daemon) }
    func stopGateway() { stop(&gateway) }

    private func stop(_ process: inout Process?) {
        process?.terminate()
        process?.waitUntilExit()
        process = nil
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    /// What the gateway has logged.
    var logged: String { (try? String(contentsOfFile: path("web.log"), encoding: .utf8)) ?? "" }

    /// Waits until the log names the reason of a refusal.
    func awaitLog(_ text: String) throws {
        try eventually("'\(text)' in the log") { self.logged.contains(text) }
    }

    func eventually(_ what: String, _ condition: () -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            guard .now < deadline else { throw Failure(description: "\(what) did not come:\n\(logged)") }
            // Another process cannot be awaited otherwise.
            usleep(5_000)
        }
    }

    /// Plugs the virtual reader in, or swipes a test card on it, as an administrator of the daemon.
    func simulate(_ action: String) throws {
        let client = try LineSocket(path: socket)
        _ = try client.line()
        try client.send(
            #"{"id":1,"method":"simulate","params":{"reader":"virtual-till","action":"\#(action)"}}"# + "\n")
        let answer = try client.line()
        guard answer.contains(#""result""#) else { throw Failure(description: answer) }
    }

    /// Asks the gateway over its control socket.
    func operate(_ method: String, _ params: String = "{}") throws -> String {
        let client = try LineSocket(path: control)
        try client.send(#"{"method":"\#(method)","params":\#(params)}"# + "\n")
        return try client.line()
    }

    /// Pairs a page of an origin, as a page and an operator do it; the token.
    func pair(_ origin: String, isOperator: Bool = false) throws -> String {
        let asked = try http("POST", "/v1/pairings", ["Origin": origin], body: "{}")
        let code = try #require(asked.member("code"))
        let ticket = try #require(asked.member("pairing"))
        _ = try operate("pair", #"{"code":"\#(code)","operator":\#(isOperator)}"#)
        let got = try http(
            "POST", "/v1/pairings/token", ["Origin": origin], body: #"{"pairing":"\#(ticket)"}"#)
        return try #require(got.member("token"))
    }
}
