import Logging
import NIOConcurrencyHelpers
import ServiceSupport

/// Takes a changed configuration over while the daemon runs. Connections, readers and claims stay.
///
/// What takes effect: `[access]` (a client that has lost a role gets `bye`, one that has gained a role gets it when it
/// connects again), `[log]`, and readers that came or went. The socket, its limits and the metrics need a restart, and
/// a change of them is said in the log.
final class Reloader: Sendable {
    private let options: DaemonOptions
    private let notifier: ServiceNotifier
    private let log: DaemonLog
    private let access: NIOLockedValueBox<AccessRules>
    private let devices: DeviceWatch
    private let reviewAccess: @Sendable () -> Void
    private let atStart: NIOLockedValueBox<DaemonConfiguration?>
    private let reloads = OneAtATime<Result<Void, ConfigurationError>>()

    init(
        options: DaemonOptions, notifier: ServiceNotifier, log: DaemonLog,
        access: NIOLockedValueBox<AccessRules>, devices: DeviceWatch,
        reviewAccess: @escaping @Sendable () -> Void
    ) {
        self.reviewAccess = reviewAccess
        self.options = options
        self.notifier = notifier
        self.log = log
        self.access = access
        self.devices = devices
        atStart = NIOLockedValueBox(nil)
    }

    /// The configuration that the daemon started with.
    func started(with configuration: DaemonConfiguration) {
        atStart.withLockedValue { $0 = configuration }
        warnOfUnknownNames(AccessRules(configuration.access))
    }

    /// Reads the configuration again. A broken one is refused, and the old one goes on.
    ///
    /// One after the other: of two at a time the one that read the older file could be applied last, and a right that
    /// was removed would be back.
    func reload() async -> Result<Void, ConfigurationError> {
        await reloads.run { await self.reloadNow() }
    }

    private func reloadNow() async -> Result<Void, ConfigurationError> {
        notifier.notify(.reloading(monotonicMicroseconds: MonotonicClock.microseconds()))
        defer { notifier.notify(.ready) }
        do throws(ConfigurationError) {
            let configuration = try Daemon.load(options)
            await apply(configuration)
            log.logger.info("configuration reloaded", metadata: ["event": "daemon.reload"])
            warnOfWhatWaits(configuration)
            return .success(())
        } catch {
            log.logger.error(
                "the changed configuration is refused, the old one goes on: \(error)",
                metadata: ["event": "daemon.reload_refused"])
            return .failure(error)
        }
    }

    private func apply(_ configuration: DaemonConfiguration) async {
        let rules = AccessRules(configuration.access)
        access.withLockedValue { $0 = rules }
        reviewAccess()
        log.level = configuration.logLevel
        warnOfUnknownNames(rules)
        await devices.reconfigure(configuration)
    }

    /// Behind the word that it was reloaded: the last word is what holds, and a change that was taken back needs no restart.
    private func warnOfWhatWaits(_ configuration: DaemonConfiguration) {
        let started = atStart.withLockedValue { $0 }
        guard let started, started.isOtherAtStart(than: configuration) else { return }
        log.logger.warning(
            "[server], [cards] and [metrics] take effect at the next start",
            metadata: ["event": "daemon.reload_partial"])
    }

    private func warnOfUnknownNames(_ rules: AccessRules) {
        for name in rules.unknownNames {
            log.logger.warning(
                "[access] names a group or user that this system does not have, ignoring",
                metadata: ["event": "daemon.unknown_name", "name": "\(name)"])
        }
    }
}
