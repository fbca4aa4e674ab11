import ArgumentParser
import ProgramSupport
import ServiceSupport
import SwipeProtocol
import SwipedWeb

/// The gateway's command line.
struct SwipedWebCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiped-web",
        abstract: "Lets pages in a browser use card readers: the right pages, and on this machine alone.",
        discussion: """
            Without options it reads /etc/swiped/swiped-web.conf and serves the sockets that systemd hands over. It is a client of \
            swiped, listens on the loopback alone, and never forks.

            Exit status: 0 ended by a signal, 1 failed, 2 wrong usage, 78 bad configuration.
            """,
        version: "swiped-web \(PackageVersion.current)")

    @Option(
        name: .customLong("config"), help: "The configuration file, instead of /etc/swiped/swiped-web.conf.",
        completion: .file())
    var configurationPath: String?

    @Option(help: "Listen here as well: 127.0.0.1:PORT (localhost:PORT is the same) or [::1]:PORT.")
    var listen: [String] = []

    @Option(help: "Listen here with TLS as well.")
    var listenTLS: [String] = []

    @Option(
        help: "Where swipectl web connects, where systemd hands no such socket over.", completion: .file())
    var control: String?

    @Flag(help: "Log for a person at a terminal, not for the journal.")
    var foreground = false

    @Flag(help: "Check the configuration, say what is wrong with it, and end.")
    var checkConfig = false

    var needsNoThreads: Bool { checkConfig }

    func run() async throws {
        if checkConfig {
            throw ExitCode(Console.result(of: WebConfiguration.self, configurationPath).rawValue)
        }
        // As in the daemon: lines with cards in full may pass through.
        CardKeeping.begin()
        let options = WebOptions(
            ServiceOptions(configurationPath: configurationPath, isForeground: foreground), listen: listen,
            listenTLS: listenTLS, control: control)
        throw ExitCode(await WebProgram.run(options, environment: ServiceProgram.environment()).rawValue)
    }
}
