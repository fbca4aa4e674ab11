import ArgumentParser
import CCommandLine
import CWipingHeap
import ProgramSupport
import ServiceSupport
import SwipeDaemon

/// The daemon's command line.
struct Swiped: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiped",
        abstract: "Finds magnetic-stripe readers and publishes every swipe to local programs.",
        discussion: """
            Without options it reads /etc/swiped/swiped.conf and /etc/swiped/swiped.conf.d/*.conf, and listens on \
            the socket that systemd hands over, or else on /run/swiped/swiped.sock. It never forks.

            Exit status: 0 ended by a signal, 1 failed, 2 wrong usage, 78 bad configuration.
            """,
        version: "swiped \(DaemonVersion.current)")

    @Option(
        name: .customLong("config"), help: "The configuration file, instead of /etc/swiped/swiped.conf.",
        completion: .file())
    var configurationPath: String?

    @Option(
        name: .customLong("socket"), help: "Where to listen, instead of what the configuration says.",
        completion: .file())
    var socketPath: String?

    @Flag(help: "Log for a person at a terminal, not for the journal.")
    var foreground = false

    @Flag(
        help:
            "Check the configuration, as the user swiped where root asks, say what is wrong with it, and end."
    )
    var checkConfig = false

    @Flag(help: "With --check-config: names under [access] that this system does not have are faults too.")
    var strict = false

    @Flag(help: "Let administrators swipe test cards on virtual readers through the socket.")
    var allowSimulate = false

    /// For scripts/generate.
    @Flag(help: ArgumentHelp("Print the source of swiped.conf(5), and end.", visibility: .private))
    var settingsPage = false

    var needsNoThreads: Bool { checkConfig || settingsPage }

    func validate() throws {
        guard checkConfig || !strict else { throw ValidationError("--strict goes with --check-config") }
    }

    func run() async throws {
        if settingsPage { return Console.result(SettingsPage.text) }
        let options = DaemonOptions(
            configurationPath: configurationPath, socketPath: socketPath, isForeground: foreground,
            allowsSimulation: allowSimulate)
        if checkConfig { throw ExitCode(await check(options).rawValue) }
        process_use_small_pages()
        CardKeeping.begin()
        throw ExitCode(await Daemon.run(options).rawValue)
    }

    private func check(_ options: DaemonOptions) async -> ExitStatus {
        // A file that is given by name may be a draft that is root's alone.
        let isOfService = configurationPath == nil && ServiceUser.become()
        do throws(ConfigurationError) {
            let checked = try await Daemon.checkConfiguration(options)
            for line in checked.unknownNames + checked.unknownDefaults { Console.complain(line) }
            if strict, !checked.unknownNames.isEmpty { return .badConfiguration }
            for file in checked.files { Console.result("\(file): the configuration is good\n") }
            if checked.files.isEmpty {
                Console.result("\(options.configurationPath): there is no such file; the defaults hold\n")
            }
            return .ok
        } catch {
            for line in error.lines + error.unknownNames { Console.complain(line) }
            if isOfService {
                Console.complain("read as the user \(ServiceUser.name), as the daemon does")
            }
            return .badConfiguration
        }
    }
}
