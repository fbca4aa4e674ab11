import ArgumentParser
import CCommandLine
import CWipingHeap
import Glibc
import SwipeProtocol
import SwipedWeb

/// The gateway's command line.
struct SwipedWebCommand: AsyncParsableCommand {
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

    @Option(help: "Listen here as well: 127.0.0.1:PORT or [::1]:PORT.")
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

    func run() async throws {
        let options = WebOptions(
            configurationPath: configurationPath, listen: listen, listenTLS: listenTLS, control: control,
            isForeground: foreground)
        if checkConfig { throw ExitCode(check(options).rawValue) }
        process_needs_proc("swiped-web", WebExit.failure.rawValue)
        keepCardsIn()
        throw ExitCode(await WebProgram.run(options, environment: environment()).rawValue)
    }

    /// As in the daemon: lines with cards in full may pass through.
    private func keepCardsIn() {
        if wiping_heap_is_at_work() { CrashReports.turnOff() }
        if !process_forbid_dumps() {
            Console.error("swiped-web: the kernel does not let us forbid core files\n")
        }
        if !wiping_heap_is_at_work() {
            Console.error("swiped-web: built with a sanitizer: freed memory is not wiped\n")
        }
    }

    /// What systemd says to a service.
    private func environment() -> [String: String] {
        let names = [
            "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
            "JOURNAL_STREAM",
        ]
        var values: [String: String] = [:]
        for name in names { values[name] = getenv(name).map { String(cString: $0) } }
        return values
    }

    private func check(_ options: WebOptions) -> WebExit {
        do throws(WebConfigurationFault) {
            let checked = try WebProgram.check(options)
            for warning in checked.warnings { Console.error("swiped-web: \(warning)\n") }
            Console.result(
                checked.isThere
                    ? "\(checked.file): the configuration is good\n"
                    : "\(checked.file): there is no such file; the defaults hold\n")
            return .ok
        } catch {
            for line in error.lines { Console.error("swiped-web: \(line)\n") }
            return .badConfiguration
        }
    }
}
