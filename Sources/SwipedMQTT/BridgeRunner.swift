internal import Glibc
internal import Logging
internal import ServiceSupport
internal import SwipeProtocol
internal import UnixIO

/// The bridge at work: one task tells the value what happens, and does what it wants.
struct BridgeRunner {
    private let configuration: MQTTConfiguration
    private let logger: Logger
    private let notifier: ServiceNotifier
    private let inbox = BridgeInbox()
    private let broker: Broker
    private let daemon: DaemonSide
    private let topics: HostTopics

    private static let tick = Duration.seconds(1)

    init(
        _ configuration: MQTTConfiguration, _ environment: [String: String], _ logger: Logger
    ) throws(StartFault) {
        self.configuration = configuration
        self.logger = logger
        notifier = ServiceNotifier(environment: environment)
        do throws(TopicTemplate.Fault) {
            topics = try HostTopics(
                configuration.topics, host: configuration.broker.name ?? BrokerIdentity.hostName)
        } catch {
            throw StartFault(words: "[topics] \(error.key): \(error.words)")
        }
        let identity = try BrokerIdentity.make(configuration.broker, topics, environment)
        do throws(WakePipe.Failure) {
            broker = try Broker(identity) { [inbox] connection, news in
                inbox.tell(.broker(connection: connection, news))
            }
        } catch {
            throw StartFault(words: "no pipe: \(String(cString: strerror(error.errno)))")
        }
        daemon = DaemonSide(path: configuration.daemon, role: configuration.role, inbox: inbox)
    }

    func run(_ signals: AsyncStream<ServiceSignal>) async -> ExitStatus {
        if let why = broker.start() {
            logger.error("cannot start: no thread: \(why)", metadata: ["event": "mqtt.failed"])
            return .failure
        }
        logger.info(
            "started",
            metadata: [
                "event": "mqtt.start", "version": "\(PackageVersion.current)", "base": "\(topics.base)",
            ])
        notifier.notify(.ready)
        let exit = await withDiscardingTaskGroup { group in
            group.addTask { for await _ in signals { inbox.tell(.stop) } }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: Self.tick)
                    inbox.tell(.tick)
                }
            }
            let exit = await serve(&group)
            group.cancelAll()
            daemon.close()
            return exit
        }
        notifier.notify(.stopping)
        broker.stop()
        MetricsReport(configuration, logger)?.remove()
        logger.info("ended", metadata: ["event": "mqtt.end"])
        return exit
    }

    private func serve(_ group: inout DiscardingTaskGroup) async -> ExitStatus {
        var bridge = Bridge(
            configuration, topics: topics, identifier: Self.randomName(), at: Self.now())
        var figures = MetricsSchedule(configuration, logger)
        for await input in inbox.inputs {
            inbox.taken(input)
            let now = Self.now()
            for action in bridge.handle(input, at: now) {
                if let exit = perform(action, &group) { return exit }
            }
            while let outgoing = bridge.next(at: now) {
                let handing = broker.publish(outgoing, on: bridge.connection)
                for action in bridge.handed(outgoing, handing, at: now) {
                    if let exit = perform(action, &group) { return exit }
                }
            }
            if case .tick = input {
                // From here: where nothing is done any more, the watchdog gets no message.
                if notifier.watchdogInterval != nil { notifier.notify(.watchdog) }
                figures.write(bridge, at: now)
            }
        }
        return .failure
    }

    /// - Returns: how the program ends, where it does.
    private func perform(_ action: BridgeAction, _ group: inout DiscardingTaskGroup) -> ExitStatus? {
        let daemon = daemon
        switch action {
        case .beginDaemon(let point): group.addTask { await daemon.run(after: point) }
        case .askReaders: group.addTask { await daemon.askReaders() }
        case .askStatistics: group.addTask { await daemon.askStatistics() }
        case .perform(let command): group.addTask { await daemon.perform(command) }
        case .subscribe(let filter): broker.subscribe(filter)
        case .unsubscribe(let filter): broker.unsubscribe(filter)
        case .giveUpBroker(let connection): broker.giveUp(connection)
        case .log(let line): log(line)
        case .fail: return .badConfiguration
        case .end: return .ok
        }
        return nil
    }

    private func log(_ line: BridgeLogLine) {
        var metadata: Logger.Metadata = ["event": "\(line.event)"]
        for (name, value) in line.details { metadata[name] = "\(value)" }
        let level: Logger.Level =
            switch line.level {
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        logger.log(level: level, "\(line.words)", metadata: metadata)
    }

    private static func now() -> Moment {
        let wall = time(of: CLOCK_REALTIME)
        return Moment(
            monotonic: time(of: CLOCK_BOOTTIME), awake: time(of: CLOCK_MONOTONIC),
            wall: WallTime(microseconds: Int64(clamping: wall / 1_000)))
    }

    /// In nanoseconds.
    private static func time(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(clamping: time.tv_sec) * 1_000_000_000 + UInt64(clamping: time.tv_nsec)
    }

    private static func randomName() -> String {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}

/// Writes the metrics' file from time to time.
private struct MetricsSchedule {
    private var report: MetricsReport?
    private let interval: UInt64
    private var due: UInt64 = 0

    init(_ configuration: MQTTConfiguration, _ logger: Logger) {
        report = MetricsReport(configuration, logger)
        interval = UInt64(configuration.service.metricsSeconds) * 1_000_000_000
    }

    mutating func write(_ bridge: Bridge, at now: Moment) {
        guard report != nil, now.monotonic >= due else { return }
        due = now.monotonic + interval
        let metrics = BridgeMetrics(
            bridge.counts, lost: bridge.outbox.losses.totals, waiting: bridge.outbox.waiting,
            isBrokerThere: bridge.isConnected, isDaemonThere: bridge.isDaemonThere,
            version: PackageVersion.current)
        report?.write(metrics.text)
    }
}
