internal import Logging
internal import NIOCore
internal import ServiceSupport

/// What is done from time to time: late connections and slow pages, the metrics' file, the watchdog.
final class Housekeeping: Sendable {
    private let gateway: NIOLoopBound<Gateway>
    private let loop: any EventLoop
    private let notifier: ServiceNotifier
    private let configuration: WebConfiguration

    private static let tick = TimeAmount.seconds(1)
    /// How long pages have to read that it is over.
    private static let farewell = TimeAmount.milliseconds(500)

    init(
        gateway: NIOLoopBound<Gateway>, loop: any EventLoop, notifier: ServiceNotifier,
        configuration: WebConfiguration
    ) {
        self.gateway = gateway
        self.loop = loop
        self.notifier = notifier
        self.configuration = configuration
    }

    /// From the loop itself: where it hangs, the watchdog gets no message.
    func begin(_ logger: Logger) {
        let (gateway, notifier) = (gateway, notifier)
        loop.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { _ in
            gateway.value.tick()
            if notifier.watchdogInterval != nil { notifier.notify(.watchdog) }
        }
        guard !configuration.metrics.isEmpty else { return }
        let file = MetricsFile(path: configuration.metrics)
        let failed = NIOLoopBoundBox.makeBoxSendingValue(false, eventLoop: loop)
        let (path, interval) = (
            configuration.metrics, TimeAmount.seconds(Int64(configuration.metricsSeconds))
        )
        loop.scheduleRepeatedTask(initialDelay: .zero, delay: interval) { _ in
            let failure = file.write(gateway.value.metrics)
            if let failure, !failed.value {
                logger.notice(
                    "metrics cannot be written, trying again",
                    metadata: ["event": "web.metrics_failed", "path": "\(path)", "errno": "\(failure)"])
            }
            failed.value = failure != nil
        }
    }

    /// Says to each page that it is over, and removes the metrics' file.
    func end() async throws {
        let gateway = gateway
        try await loop.submit { gateway.value.endAll() }.get()
        try await loop.scheduleTask(in: Self.farewell) {}.futureResult.get()
        if !configuration.metrics.isEmpty { MetricsFile(path: configuration.metrics).remove() }
    }
}
