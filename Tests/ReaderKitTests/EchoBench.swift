import ReaderKit
import ReaderTesting

/// A session at work with an echoing driver, and the stream of what it says.
struct EchoBench<Transport: ReaderTransport<HIDReport>> {
    let transport: Transport
    let session: ReaderSession<EchoDriver>
    let steps: AsyncStream<ReaderStep>

    init(_ transport: Transport) {
        let (steps, sink) = AsyncStream<ReaderStep>.makeStream()
        self.steps = steps
        self.transport = transport
        let device = DeviceIdentity(readerID: "echo-1", bus: .usb, node: "/dev/hidraw0")
        session = ReaderSession(
            driver: EchoDriver(device), transport: transport,
            lifecycle: ReaderLifecycle(ReaderDetails(model: "echo"))
        ) { step, _ in sink.yield(step) }
    }

    /// The next of the events; `skipped` is for those of every session's beginning.
    func next(skipping skipped: Int = 0) async -> ReaderEvent? {
        var left = skipped
        for await step in steps {
            if left == 0 { return step.event }
            left -= 1
        }
        return nil
    }
}

extension EchoBench where Transport == ScriptedTransport<HIDReport> {
    init() { self.init(ScriptedTransport()) }
}
