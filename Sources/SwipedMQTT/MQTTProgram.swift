internal import Glibc
internal import Logging
internal import ServiceSupport
internal import SwipeProtocol
internal import UnixSignals

/// The bridge as a program: reads its configuration, connects to both sides, and runs until a signal ends it.
package enum MQTTProgram {
    /// What was read of the configuration: the file, and what an administrator should know of it.
    package struct Checked: Sendable {
        package var file: String
        package var isThere: Bool
        package var warnings: [String]
    }

    /// Why it does not start.
    struct Complaint: Error {
        var words: String
        var exit = MQTTExit.failure
    }

    package static func check(_ options: MQTTOptions) throws(MQTTConfigurationFault) -> Checked {
        let (configuration, isThere) = try load(options)
        let file = options.configurationPath ?? MQTTConfiguration.path
        let faults = BrokerIdentity.faults(of: configuration.broker)
        guard faults.isEmpty else { throw MQTTConfigurationFault(lines: faults) }
        return Checked(file: file, isThere: isThere, warnings: configuration.warnings)
    }

    static func load(
        _ options: MQTTOptions
    ) throws(MQTTConfigurationFault) -> (MQTTConfiguration, isThere: Bool) {
        let text: String?
        do throws(FileContent.Unreadable) {
            text = try FileContent.configuration(
                options.configurationPath, usual: MQTTConfiguration.path,
                maximumBytes: MQTTConfiguration.maximumBytes)
        } catch {
            throw MQTTConfigurationFault(lines: [error.line])
        }
        guard let text else { return (MQTTConfiguration(), false) }
        return (try MQTTConfiguration(text, of: options.configurationPath ?? MQTTConfiguration.path), true)
    }

    /// Runs until SIGTERM or SIGINT.
    package static func run(_ options: MQTTOptions, environment: [String: String]) async -> MQTTExit {
        let isJournal = environment["JOURNAL_STREAM"] != nil && !options.isForeground
        let handler = JournalLogHandler(
            isJournal: isJournal, journal: isJournal ? JournalSocket(program: "swiped-mqtt") : nil)
        var logger = Logger(label: "swiped-mqtt") { _ in handler }
        do {
            let (configuration, _) = try load(options)
            logger.logLevel = Logger.Level(rawValue: configuration.level) ?? .info
            for warning in configuration.warnings {
                logger.warning("\(warning)", metadata: ["event": "mqtt.warning"])
            }
            let runner = try BridgeRunner(configuration, environment, logger)
            return await runner.run()
        } catch let fault as MQTTConfigurationFault {
            for line in fault.lines {
                logger.error("bad configuration: \(line)", metadata: ["event": "mqtt.bad_configuration"])
            }
            return .badConfiguration
        } catch let complaint as Complaint {
            logger.error("cannot start: \(complaint.words)", metadata: ["event": "mqtt.failed"])
            return complaint.exit
        } catch {
            logger.error("cannot start: \(error)", metadata: ["event": "mqtt.failed"])
            return .failure
        }
    }
}
