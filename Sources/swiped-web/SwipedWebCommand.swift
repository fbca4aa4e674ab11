import ProgramSupport
import ServiceSupport
import SwipeProtocol
import SwipedWeb

/// The gateway's command line.
enum SwipedWebCommand {
    private static let config = ProgramLine.Option.file(
        "config", "The configuration file, instead of /etc/swiped/swiped-web.conf.")
    private static let listen = ProgramLine.Option.texts(
        "listen", "Listen here as well: 127.0.0.1:PORT (localhost:PORT is the same) or [::1]:PORT.")
    private static let listenTLS = ProgramLine.Option.texts("listen-tls", "Listen here with TLS as well.")
    private static let control = ProgramLine.Option.file(
        "control", "Where swipectl web connects, where systemd hands no such socket over.")
    private static let foreground = ProgramLine.Option.flag(
        "foreground", "Log for a person at a terminal, not for the journal.")
    private static let checkConfig = ProgramLine.Option.flag(
        "check-config", "Check the configuration, say what is wrong with it, and end.")

    static let line = ProgramLine(
        "swiped-web", version: PackageVersion.current,
        abstract: "Lets pages in a browser use card readers: the right pages, and on this machine alone.",
        discussion: """
            Without options it reads /etc/swiped/swiped-web.conf and serves the sockets that systemd hands over. It is a client of \
            swiped, listens on the loopback alone, and never forks.
            """,
        statuses: "0 ended by a signal, 1 failed, 2 wrong usage, 78 bad configuration",
        options: [config, listen, listenTLS, control, foreground, checkConfig])

    static func run(_ words: ProgramWords) throws(UsageFault) -> ExitStatus {
        let path = words.value(config)
        if words.has(checkConfig) { return Console.result(of: WebConfiguration.self, path) }
        ServiceProgram.needThreads()
        // As in the daemon: lines with cards in full may pass through.
        CardKeeping.begin()
        let options = WebOptions(
            ServiceOptions(configurationPath: path, isForeground: words.has(foreground)),
            listen: words.all(listen), listenTLS: words.all(listenTLS), control: words.value(control))
        let signals = [ServiceSignal.end]
        ServiceSignal.hold(signals)
        ServiceProgram.serve(hearing: signals) {
            await WebProgram.run(options, environment: ServiceProgram.environment(), signals: $0)
        }
    }
}
