import CCommandLine
import CWipingHeap
import ProgramSupport
import ServiceSupport
import SwipeProtocol
import SwipedMQTT

/// The bridge's command line.
enum SwipedMQTTCommand {
    private static let config = ProgramLine.Option.file(
        "config", "The configuration file, instead of /etc/swiped/swiped-mqtt.conf.")
    private static let foreground = ProgramLine.Option.flag(
        "foreground", "Log for a person at a terminal, not for the journal.")
    private static let checkConfig = ProgramLine.Option.flag(
        "check-config", "Check the configuration, say what is wrong with it, and end.")
    private static let printDropIn = ProgramLine.Option.flag(
        "print-drop-in",
        "Print a drop-in for the service that lets it reach the configured broker alone, and end.")

    static let line = ProgramLine(
        "swiped-mqtt", version: PackageVersion.current,
        abstract: "Publishes the events of card readers on an MQTT broker, for a fleet of machines.",
        discussion: """
            Without options it reads /etc/swiped/swiped-mqtt.conf. It is a client of swiped that sees cards masked, or less, and \
            never forks.
            """,
        statuses: """
            0 ended by a signal, 1 failed, 2 wrong usage, 78 bad configuration, or a daemon that would show cards in \
            full
            """,
        options: [config, foreground, checkConfig, printDropIn])

    static func run(_ words: ProgramWords) throws(UsageFault) -> ExitStatus {
        let path = words.value(config)
        if words.has(printDropIn) { return printTheDropIn(path) }
        if words.has(checkConfig) { return Console.result(of: MQTTConfiguration.self, path) }
        ServiceProgram.needThreads()
        process_use_small_pages()
        CardKeeping.begin()
        let options = ServiceOptions(configurationPath: path, isForeground: words.has(foreground))
        let signals = [ServiceSignal.end]
        ServiceSignal.hold(signals)
        ServiceProgram.serve(hearing: signals) {
            await MQTTProgram.run(options, environment: ServiceProgram.environment(), signals: $0)
        }
    }

    private static func printTheDropIn(_ path: String?) -> ExitStatus {
        do {
            Console.result(try MQTTProgram.dropIn(path))
            return .ok
        } catch let fault as ConfigurationFault {
            for line in fault.lines { Console.complain(line) }
            return .badConfiguration
        } catch {
            Console.complain((error as? StartFault)?.words ?? "\(error)")
            return .failure
        }
    }
}
