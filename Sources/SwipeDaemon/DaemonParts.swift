import EventServer
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ReaderKit
import ServiceSupport
import SwipeProtocol

/// Everything that runs, put together.
struct DaemonParts: Sendable {
    private let log: DaemonLog
    private let loop: any EventLoop
    private let server: EventServer
    private let supervisor: ReaderSupervisor
    private let notifier: ServiceNotifier
    private let reloader: Reloader
    private let devices: DeviceWatch
    private let eventLog: EventLog
    private let metrics: DaemonConfiguration.Metrics
    /// How long the log waits for more of readers' events.
    private static let logDelay = TimeAmount.milliseconds(50)
    /// How long devices have to end before clients do.
    private static let patience = TimeAmount.milliseconds(900)
    /// The number is the unit's, and more than the memory for cards can become (`CSensitiveMemory`).
    private static let notLocked = """
        memory for cards is not locked and may be swapped out: allow the daemon 16 MiB of it \
        (LimitMEMLOCK=16M in systemd, ulimit -l 16384 elsewhere)
        """

    init(
        _ options: DaemonOptions, _ configuration: DaemonConfiguration, _ environment: [String: String],
        _ log: DaemonLog
    ) throws {
        self.log = log
        metrics = configuration.metrics
        let logger = log.logger
        loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).any()
        notifier = ServiceNotifier(environment: environment)
        let access = NIOLockedValueBox(AccessRules(configuration.access))
        let publications = PublicationRelay()
        let prompts = PromptLedger()
        let eventLog = EventLog(logger) { [loop] in _ = loop.scheduleTask(in: Self.logDelay, $0) }
        self.eventLog = eventLog
        let publisher = ReaderPublisher(
            publish: { publications.publish($0) }, prompts: prompts,
            countCommunicationError: { publications.countCommunicationError(of: $0) },
            countOverruns: { publications.countOverruns(of: $0, $1) },
            hash: try configuration.hashKeyPath.map { path throws(CardHash.Fault) in
                try CardHash(path: path)
            },
            log: { announcement in
                publications.whenSent { eventLog.add(EventLog.Entry(announcement)) }
            })
        supervisor = ReaderSupervisor(logger: logger) { publisher.announce($0) }
        devices = DeviceWatch(
            configuration, supervisor: supervisor, executor: LoopTaskExecutor(loop),
            loop: LoopSources.of(loop, logger), logger: logger,
            describeInput: { publications.describe(audioInput: $0, $1) },
            describeUnused: { publications.describe(unusedInputs: $0) })
        reloader = Reloader(
            options: options, notifier: notifier, log: log, access: access, devices: devices,
            reviewAccess: { publications.reviewAccess() })
        let backend = DaemonBackend(
            supervisor: supervisor, devices: devices, prompts: prompts, reloader: reloader, log: log,
            simulator: Simulator(isAllowed: options.allowsSimulation, devices: devices))
        server = EventServer(
            configuration: try Self.serverConfiguration(options, configuration, environment, logger),
            eventLoop: loop,
            access: { peer in
                access.withLockedValue { $0.roles(uid: peer.uid, gids: [peer.gid] + peer.groups) }
            }, backend: backend, logger: logger)
        publications.server = server
        reloader.started(with: configuration)
    }

    /// Lets clients in. Devices are looked for later: what is found then is told to those who ask.
    func listen() throws(ServerError) {
        try server.start()
        let logger = log.logger
        logger.info("listening", metadata: ["event": "daemon.start", "version": "\(DaemonVersion.current)"])
        if !CardMemory.isLocked {
            logger.warning("\(Self.notLocked)", metadata: ["event": "daemon.memory_not_locked"])
        }
        notifier.notify(.ready)
    }

    /// Runs until it is told to end.
    func run(_ signals: AsyncStream<ServiceSignal>) async {
        // Only now: a daemon whose socket another one has must not touch the other one's file.
        let figures = Task {
            await MetricsWriter(server: server, configuration: metrics, logger: log.logger).run()
        }
        let watchdog = Task { await Watchdog(notifier: notifier, loop: loop, logger: log.logger).run() }
        // Many that come during one are one.
        let (reloads, reload) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let reloading = Task { for await _ in reloads { _ = await reloader.reload() } }
        await devices.begin()
        for await signal in signals {
            guard signal == .reload else { break }
            reload.yield()
        }
        let closing = Task {
            // First: what a reload begins is ended with the rest.
            reload.finish()
            await reloading.value
            await devices.end()
            await supervisor.stop(.shutdown)
        }
        // Clients hear of the end in time, whatever a device does.
        if await !isThrough(closing, in: Self.patience) {
            // Now: where it never is, systemd ends the daemon without another word.
            log.logger.warning(
                "a device was not closed in time; clients do not wait for it",
                metadata: ["event": "daemon.cut_short"])
        }
        watchdog.cancel()
        figures.cancel()
        await figures.value
        notifier.notify(.stopping)
        await server.stop()
        // Sound cards get their settings back, and readers their last words, for as long as the unit lets us.
        await closing.value
        await server.allSent()
        await eventLog.end()
    }

    /// Whether something ends in that time. It goes on where it does not.
    private func isThrough(_ work: Task<Void, Never>, in time: TimeAmount) async -> Bool {
        let answer = loop.makePromise(of: Bool.self)
        let deadline = loop.scheduleTask(in: time) { answer.succeed(false) }
        Task {
            await work.value
            deadline.cancel()
            // The first answer counts.
            answer.succeed(true)
        }
        return (try? await answer.futureResult.get()) ?? false
    }

    private static func serverConfiguration(
        _ options: DaemonOptions, _ configuration: DaemonConfiguration, _ environment: [String: String],
        _ logger: Logger
    ) throws -> ServerConfiguration {
        let (most, wanted) = (DescriptorLimit.raised(), configuration.server.maximumClients)
        var limits = ServerLimits()
        limits.descriptors = most.descriptors
        limits.connections = min(wanted, most.clients)
        if limits.connections < wanted {
            logger.warning(
                "max_clients does not fit the limit on descriptors (LimitNOFILE= in systemd, ulimit -n elsewhere)",
                metadata: [
                    "event": "daemon.few_descriptors", "max_clients": "\(wanted)",
                    "clients": "\(limits.connections)", "descriptors": "\(most.descriptors)",
                ])
        }
        limits.connectionsPerUser = configuration.server.maximumClientsPerUser
        limits.swipeHold = configuration.server.swipeHold
        return ServerConfiguration(
            listener: try listener(options, configuration.server, environment),
            daemon: "swiped \(DaemonVersion.current)", limits: limits)
    }

    private static func listener(
        _ options: DaemonOptions, _ server: DaemonConfiguration.Server, _ environment: [String: String]
    ) throws -> ServerConfiguration.Listener {
        if options.socketPath == nil, let descriptor = try ActivatedSocket.take(environment: environment) {
            return .descriptor(descriptor)
        }
        return .path(
            server.socketPath, mode: server.socketMode,
            group: server.socketGroup.flatMap { UInt32($0) ?? AccessRules.groupID($0) })
    }
}

/// Hands publications to the server, which is made after those who publish.
private final class PublicationRelay: Sendable {
    private let box = NIOLockedValueBox<EventServer?>(nil)

    var server: EventServer? {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }

    func publish(_ publication: Publication) { server?.publish(publication) }
    func whenSent(_ body: @escaping @Sendable () -> Void) { server?.whenSent(body) }
    func reviewAccess() { server?.reviewAccess() }
    func describe(audioInput id: String, _ input: AudioInputInfo?) {
        server?.describe(audioInput: id, input)
    }
    func describe(unusedInputs inputs: [UnusedInputInfo]) { server?.describe(unusedInputs: inputs) }
    func countOverruns(of reader: String, _ count: Int) { server?.countOverruns(of: reader, count) }
    func countCommunicationError(of reader: String) { server?.countCommunicationError(of: reader) }
}
