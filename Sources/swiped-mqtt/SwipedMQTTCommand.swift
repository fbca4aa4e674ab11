import ArgumentParser
import CCommandLine
import CWipingHeap
import ProgramSupport
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

    var needsNoThreads: Bool { checkConfig }

    func run() async throws {
        let options = MQTTOptions(configurationPath: configurationPath, isForeground: foreground)
        if checkConfig { throw ExitCode(check(options).rawValue) }
        process_use_small_pages()
        CardKeeping.begin()
        throw ExitCode(await MQTTProgram.run(options, environment: ServiceProgram.environment()).rawValue)
    }

    private func check(_ options: MQTTOptions) -> MQTTExit {
        do throws(MQTTConfigurationFault) {
            let checked = try MQTTProgram.check(options)
            for warning in checked.warnings { Console.complain(warning) }
            Console.result(
                checked.isThere
                    ? "\(checked.file): the configuration is good\n"
                    : "\(checked.file): there is no such file; the defaults hold\n")
            return .ok
        } catch {
            for line in error.lines { Console.complain(line) }
            return .badConfiguration
        }
    }
}
