import ArgumentParser
import CCommandLine
import CWipingHeap
import ProgramSupport
import ServiceSupport
import SwipeProtocol
import SwipedMQTT

/// The bridge's command line.
struct SwipedMQTTCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiped-mqtt",
        abstract: "Publishes the events of card readers on an MQTT broker, for a fleet of machines.",
        discussion: """
            Without options it reads /etc/swiped/swiped-mqtt.conf. It is a client of swiped that sees cards masked, or less, and \
            never forks.

            Exit status: 0 ended by a signal, 1 failed, 2 wrong usage, 78 bad configuration, or a daemon that would show cards in \
            full.
            """,
        version: "swiped-mqtt \(PackageVersion.current)")

    @Option(
        name: .customLong("config"), help: "The configuration file, instead of /etc/swiped/swiped-mqtt.conf.",
        completion: .file())
    var configurationPath: String?

    @Flag(help: "Log for a person at a terminal, not for the journal.")
    var foreground = false

    @Flag(help: "Check the configuration, say what is wrong with it, and end.")
    var checkConfig = false

    @Flag(help: "Print a drop-in for the service that lets it reach the configured broker alone, and end.")
    var printDropIn = false

    var needsNoThreads: Bool { checkConfig || printDropIn }

    func run() async throws {
        if printDropIn { return try printTheDropIn() }
        if checkConfig {
            throw ExitCode(Console.result(of: MQTTConfiguration.self, configurationPath).rawValue)
        }
        process_use_small_pages()
        CardKeeping.begin()
        let options = ServiceOptions(configurationPath: configurationPath, isForeground: foreground)
        throw ExitCode(await MQTTProgram.run(options, environment: ServiceProgram.environment()).rawValue)
    }

    private func printTheDropIn() throws {
        do {
            Console.result(try MQTTProgram.dropIn(configurationPath))
        } catch let fault as ConfigurationFault {
            for line in fault.lines { Console.complain(line) }
            throw ExitCode(ExitStatus.badConfiguration.rawValue)
        } catch {
            Console.complain((error as? StartFault)?.words ?? "\(error)")
            throw ExitCode(ExitStatus.failure.rawValue)
        }
    }
}
