import CCommandLine
import CWipingHeap
import ProgramSupport
import ServiceSupport
import SwipeDaemon

/// The daemon's command line.
enum Swiped {
    private static let config = ProgramLine.Option.file(
        "config", "The configuration file, instead of /etc/swiped/swiped.conf.")
    private static let socket = ProgramLine.Option.file(
        "socket", "Where to listen, instead of what the configuration says.")
    private static let foreground = ProgramLine.Option.flag(
        "foreground", "Log for a person at a terminal, not for the journal.")
    private static let checkConfig = ProgramLine.Option.flag(
        "check-config",
        "Check the configuration, as the user swiped where root asks, say what is wrong with it, and end.")
    private static let strict = ProgramLine.Option.flag(
        "strict",
        "With --check-config: names under [access] that this system does not have are faults too.")
    private static let allowSimulate = ProgramLine.Option.flag(
        "allow-simulate", "Let administrators swipe test cards on virtual readers through the socket.")
    /// For scripts/generate: the source of swiped.conf(5).
    private static let settingsPage = ProgramLine.Option.flag("settings-page", "", isHidden: true)

    static let line = ProgramLine(
        "swiped", version: DaemonVersion.current,
        abstract: "Finds magnetic-stripe readers and publishes every swipe to local programs.",
        discussion: """
            Without options it reads /etc/swiped/swiped.conf and /etc/swiped/swiped.conf.d/*.conf, and listens on \
            the socket that systemd hands over, or else on /run/swiped/swiped.sock. It never forks.
            """,
        statuses: "0 ended by a signal, 1 failed, 2 wrong usage, 78 bad configuration",
        options: [config, socket, foreground, checkConfig, strict, allowSimulate, settingsPage])

    static func run(_ words: ProgramWords) throws(UsageFault) -> ExitStatus {
        guard words.has(checkConfig) || !words.has(strict) else {
            throw UsageFault("--strict goes with --check-config")
        }
        if words.has(settingsPage) {
            Console.result(SettingsPage.text)
            return .ok
        }
        let options = DaemonOptions(
            configurationPath: words.value(config), socketPath: words.value(socket),
            isForeground: words.has(foreground), allowsSimulation: words.has(allowSimulate))
        // A file that is given by name may be a draft that is root's alone.
        if words.has(checkConfig) {
            return check(options, isStrict: words.has(strict), isNamed: words.has(config))
        }
        ServiceProgram.needThreads()
        process_use_small_pages()
        CardKeeping.begin()
        do throws(Daemon.Failure) {
            let daemon = try Daemon(options, environment: ServiceProgram.environment())
            ServiceProgram.serve(hearing: Daemon.signals) { await daemon.run($0) }
        } catch {
            return error.status
        }
    }

    private static func check(_ options: DaemonOptions, isStrict: Bool, isNamed: Bool) -> ExitStatus {
        let isOfService = !isNamed && ServiceUser.become()
        do throws(ConfigurationError) {
            let checked = try Daemon.checkConfiguration(options)
            for line in checked.unknownNames + checked.unknownDefaults { Console.complain(line) }
            if isStrict, !checked.unknownNames.isEmpty { return .badConfiguration }
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
