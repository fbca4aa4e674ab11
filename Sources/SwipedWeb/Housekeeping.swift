internal import NIOCore
internal import ServiceSupport

/// What is done from time to time: late connections and slow pages, the metrics' file, the watchdog.
final class Housekeeping: Sendable {
    private let gateway: NIOLoopBound<Gateway>
    private let loop: any EventLoop
    private let notifier: ServiceNotifier
    private let metrics: MetricsReport?
    private let interval: TimeAmount

    private static let tick = TimeAmount.seconds(1)
    /// How long pages have to read that it is over.
    private static let farewell = TimeAmount.milliseconds(500)

    init(
        gateway: NIOLoopBound<Gateway>, loop: any EventLoop, notifier: ServiceNotifier,
        metrics: MetricsReport?, every seconds: Int
    ) {
        self.gateway = gateway
        self.loop = loop
        self.notifier = notifier
        self.metrics = metrics
        interval = .seconds(Int64(seconds))
    }

    /// From the loop itself: where it hangs, the watchdog gets no message.
    func begin() {
        let (gateway, notifier) = (gateway, notifier)
        loop.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { _ in
            gateway.value.tick()
            if notifier.watchdogInterval != nil { notifier.notify(.watchdog) }
        }
        guard let metrics else { return }
        let report = NIOLoopBoundBox.makeBoxSendingValue(metrics, eventLoop: loop)
        loop.scheduleRepeatedTask(initialDelay: .zero, delay: interval) { _ in
            report.value.write(gateway.value.metrics)
        }
    }

    /// Says to each page that it is over, and removes the metrics' file.
    func end() async throws {
        let gateway = gateway
        try await loop.submit { gateway.value.endAll() }.get()
        try await loop.scheduleTask(in: Self.farewell) {}.futureResult.get()
        metrics?.remove()
    }
}
